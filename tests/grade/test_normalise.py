"""The one normaliser: what it takes off, what it leaves, and its laws."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.grade import folded, hit, match_of, plain

DECORATED = st.text(alphabet="ab *`_-\u2011\u2212\u200b\ufeff\u0301\u2019\n\t.e", max_size=40)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("**bold** and *it* and `code`", "bold and it and code"),
        ("```py\nx\n```", "py\nx\n"),
        ("mean * n", "mean * n"),
        ("* a bullet\n  * another", " a bullet\n   another"),
        ("src/**/*.py", "src//.py"),
        ("_GALE_DIR_", "_GALE_DIR_"),
        ("doesn\u2019t \u201cquote\u201d", 'doesn\'t "quote"'),
        ("single\u200b-wri\u00adter\ufeff", "single-writer"),
        ("cafe\u0301", "caf\u00e9"),
        ("\ud800", "\ud800"),
    ],
)
def test_decoration_is_taken_off_and_content_stays(text, bare):
    assert plain(text) == bare


@pytest.mark.parametrize(
    "dash", ["-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "\u00a0", "\n  "]
)
def test_every_separator_folds_to_one_blank(dash):
    assert folded(f"Single{dash}Writer") == "single writer"


@settings(deadline=None)
@given(st.text() | DECORATED)
def test_taking_off_twice_is_taking_off_once(text):
    assert plain(plain(text)) == plain(text)
    assert folded(folded(text)) == folded(text)


@settings(deadline=None)
@given(st.text() | DECORATED)
def test_no_underscore_is_lost(text):
    assert folded(plain(text)).count("_") == text.casefold().count("_")


@settings(deadline=None)
@given(st.text(alphabet="ab -c", min_size=1, max_size=12), st.sampled_from(["**", "`", "*", ""]))
def test_a_literal_is_found_in_its_own_decorated_text(needle, mark):
    if folded(plain(needle).strip()).strip():
        match = match_of({"type": "literal", "value": needle})
        assert hit(f"It is {mark}{needle.strip()}{mark}, here.", match)


@settings(deadline=None)
@given(DECORATED)
def test_folding_never_reaches_patterns(text):
    # A hyphen in a pattern is deliberate: it is found exactly where the plain text has one.
    assert hit(text, match_of({"type": "regex", "value": "a-b"})) == ("a-b" in plain(text).lower())
