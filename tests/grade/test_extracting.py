"""What of an answer is a checkable claim, of which sort, and in which context."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.grade.extracting import MOST_CHARACTERS, MOST_CLAIMS, claims_of


def found(text):
    return [(one.sort, one.text) for one in claims_of(text).claims]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("", []),
        (
            "It is a well-known, state-of-the-art and/or single-writer design, i.e. v2.1 of 3.",
            [("number", "3")],
        ),
        ("The COBOL and JSON parts are NOT shared.", []),
        ("Is MAX_RATE in a/b.py?", []),
        ("See a/b.py, src\\c.cbl and Makefile.am.", [("path", "a/b.py"), ("path", "src\\c.cbl")]),
        ("See https://example.org/a_b.py.", [("path", "https://example.org/a_b.py")]),
        (
            "**`loadAll`** calls OrderStore, add_row() and `close`.",
            [
                ("identifier", "loadAll"),
                ("identifier", "OrderStore"),
                ("identifier", "add_row"),
                ("identifier", "close"),
            ],
        ),
        (
            "WS-X, C-0412, 2200-POST and POSTING, not a-b or A-B.",
            [
                ("identifier", "WS-X"),
                ("identifier", "C-0412"),
                ("identifier", "2200-POST"),
                ("identifier", "POSTING"),
            ],
        ),
        (
            "1. It takes 12,000 g.\n2. After fifty rows and 21:30.",
            [
                ("number", "12,000"),
                ("number", "fifty"),
                ("number", "21:30"),
            ],
        ),
        (
            'He said "hello there", and "MOVE A TO B", and "x = 1;".',
            [
                ("quote", "MOVE A TO B"),
                ("quote", "x = 1;"),
            ],
        ),
        (
            "```py\nx = 1\n  y = 2\n```\nand\n~~~\nunclosed block",
            [
                ("quote", "x = 1\n  y = 2"),
                ("quote", "unclosed block"),
            ],
        ),
        ("It is not MAX_RATE but MIN_RATE.", [("identifier", "MIN_RATE")]),
        ("There is no MAX_RATE in this code base.", [("absence", "MAX_RATE")]),
        ("a/b.py does not exist.", [("absence", "a/b.py")]),
        ("MAX_RATE, MAX_RATE and MAX_RATE.", [("identifier", "MAX_RATE")]),
    ],
)
def test_claims_are_found_by_their_shape(text, claims):
    assert found(text) == claims


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("See a/b.py:12.", "a/b.py:12", (12, None)),
        ("See a/b.py:12-14.", "a/b.py:12-14", (12, 14)),
        ("See `a/b.py:12:5`.", "a/b.py:12:5", (12, None)),
        ("See a/b.py#L12-L14.", "a/b.py#L12-L14", (12, 14)),
        ("See a/b.py, lines 12 to 14.", "a/b.py", (12, 14)),
        ("Line 12 of a/b.py says so.", "a/b.py", (12, None)),
        ("See a/b.py.", "a/b.py", (None, None)),
    ],
)
def test_a_path_carries_the_lines_that_it_cites(text, path, lines):
    (one,) = claims_of(text).claims
    assert (one.sort, one.text, (one.line, one.last)) == ("path", path, lines)


def test_a_number_knows_the_nearest_name_in_front_of_it():
    numbers = [one for one in claims_of("A_ONE is 11 and B_TWO is 22.").claims if one.sort == "number"]
    assert [(one.text, one.names[0]) for one in numbers] == [("11", "A_ONE"), ("22", "B_TWO")]


def test_a_name_knows_the_files_of_its_clause():
    first, _, second, _ = claims_of("A_ONE is in a/b.py, but B_TWO is in c.cbl.").claims
    assert (first.paths, second.paths) == (("a/b.py",), ("c.cbl",))


def test_a_percentage_is_one_claim():
    assert found("The share is 60 % or 5 percent.") == [("number", "60 %"), ("number", "5 percent")]


def test_more_than_is_looked_at_is_said():
    assert not claims_of("A_B " * 100).cut
    assert claims_of("x" * (MOST_CHARACTERS + 1)).cut
    many = claims_of(" ".join(f"AB_{number}" for number in range(MOST_CLAIMS + 1)))
    assert many.cut
    assert len(many.claims) == MOST_CLAIMS


def test_a_long_sentence_is_cut_at_blanks():
    names = [f"LONG_NAME_{number}" for number in range(150)]
    assert [text for _, text in found(" ".join(names))] == names
