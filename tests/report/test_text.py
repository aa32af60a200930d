"""Foreign text made safe to show."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.report.text import cells_wide, fitted, padded, safe

ANY = st.text(st.characters(exclude_categories=()), max_size=600)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[2J\x07", r"\x1b[2J\x07"),
        ("a\r\n\tb", r"a\x0d\x0a\x09b"),
        ("\x9b31m\x7f", r"\x9b31m\x7f"),
        ("a\u202eb\u2066c\u200d", r"a\u202eb\u2066c\u200d"),
        ("\u2028\u2029\ufeff", r"\u2028\u2029\ufeff"),
        ("\ud800 x \udfff", r"\ud800 x \udfff"),
        ("\U000e0041", r"\U000e0041"),
        ("Größe Ж 日本 🙂", "Größe Ж 日本 🙂"),
    ],
)
def test_what_could_be_taken_for_something_else_is_escaped(text, shown):
    assert safe(text) == shown


@given(ANY)
def test_nothing_that_controls_a_terminal_gets_through(text):
    shown = safe(text)
    assert all(unicodedata.category(character)[0] != "C" for character in shown)
    assert not set(shown) & {"\u2028", "\u2029"}
    shown.encode("utf-8")


def test_long_text_is_cut():
    assert len(safe("x" * 100_000)) == 401
    assert safe("x" * 100, shown=10) == "x" * 10 + "…"


@given(ANY, st.integers(3, 40))
def test_a_fitted_text_takes_no_more_columns_than_it_may(text, width):
    assert cells_wide(fitted(safe(text), width)) <= width


def test_wide_characters_are_padded_by_their_columns():
    assert padded("日本", 6) == "日本  "
    assert padded("日本", 6, right=True) == "  日本"
