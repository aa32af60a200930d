"""What a token is by its shape, and under which spellings a number is looked up."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.grade.shapes import shape_of, values_of


@pytest.mark.parametrize(
    ("token", "sort"),
    [
        *(
            (token, "path")
            for token in ("a.py", "src/x.unknown", "a\\b.cbl", "https://x.org", "a.py:3", "a.md#L3")
        ),
        *((token, "number") for token in ("7", "1_000", "12,000.5", ".5", "21:30", "ninety", "Fifty")),
        *(
            (token, "identifier")
            for token in ("a_b", "_x1_y", "loadB", "HttpClient", "ABCD", "A1-B", "call()", "a_b.get")
        ),
        *(
            (token, None)
            for token in ("word", "Word", "ABC", "JSON", "well-known", "A-B", "v2.1", "e.g", "3rd")
        ),
        *((token, None) for token in ("", "-", "_", "__", "1-2", "ten", "and/or", "x.y")),
    ],
)
def test_a_token_has_one_sort_or_is_prose(token, sort):
    shape = shape_of(token)
    assert (shape and shape.sort) == sort


@pytest.mark.parametrize(
    ("word", "known"), [("word", True), ("no", False), ("two words", False), ("1st", False)]
)
def test_in_code_a_single_word_is_a_name(word, known):
    assert (shape_of(word, code=True) is not None) == known


@pytest.mark.parametrize(
    ("number", "percent", "values"),
    [
        ("12,000", False, {"12000"}),
        ("12_000", False, {"12000"}),
        (".60", False, {"0.6"}),
        ("0.600", False, {"0.6"}),
        ("60.0", False, {"60"}),
        ("60", True, {"60", "0.6"}),
        ("12.5", True, {"12.5", "0.125"}),
        ("05", False, {"05"}),
        ("0", False, {"0"}),
        ("fifty", False, {"50"}),
        ("21:30", True, {"21:30"}),
        ("9" * 100, False, {"9" * 30}),
    ],
)
def test_equal_numbers_have_a_spelling_in_common(number, percent, values):
    assert values_of(number, percent=percent) == values
