"""Patterns from files: compiled strictly, bounded in time and memory."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.grade import patterns
from pytest_judgeaudit.grade.patterns import SlowPattern, compiled, near
from pytest_judgeaudit.records.errors import Refused

HANGING = [
    ("(a|a)*$", "a" * 60 + "b"),
    ("(a|aa)+$", "a" * 60 + "b"),
    (r"(?:\w+\s?)*!", "word " * 2000),
    ("(.*)(.*)(.*)(.*)(.*)x$", "ab" * 3000),
]


@pytest.mark.parametrize(("source", "text"), HANGING)
def test_no_pattern_hangs(source, text, monkeypatch):
    monkeypatch.setattr(patterns, "LIMIT_S", 0.2)
    started = time.process_time()
    with suppress(SlowPattern):
        compiled(source).find(text)
    assert time.process_time() - started < 5


def test_a_pattern_that_does_not_finish_is_neither_hit_nor_miss(monkeypatch):
    monkeypatch.setattr(patterns, "LIMIT_S", 0.05)
    with pytest.raises(SlowPattern, match="write it without nested repetition"):
        compiled("(a|a)*$").find("a" * 60 + "b")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("(open", "broken"),
        ("*a", "broken"),
        ("(?R)?a", "calls itself"),
        ("(?1)(a)", "calls itself"),
        ("(?&x)(?<x>a)", "calls itself"),
        ("(?:(?:a{1000}){1000}){1000}", "repeats too much"),
        ("(" * 900 + ")" * 900, "nested too deeply"),
        ("a" * 3000, "has 3000 characters"),
    ],
)
def test_what_is_broken_or_could_exhaust_memory_is_refused(source, words):
    with pytest.raises(Refused, match=words):
        compiled(source)


def test_ordinary_counts_are_accepted():
    assert compiled(r"\d{4}-\d{2}-\d{2}[^\n]{0,200}x").find("2026-01-31 x") == (0, 12)


@pytest.mark.parametrize(
    ("flags", "found"), [(None, True), ("i", True), ("", False), ("s", False), ("gi", True), ("mi", True)]
)
def test_given_flags_replace_the_default(flags, found):
    assert (compiled("ledger", flags=flags).find("LEDGER") is not None) == found


@pytest.mark.parametrize("flags", ["q", "iz", "I"])
def test_unknown_flags_are_refused(flags):
    with pytest.raises(Refused, match="unknown flag"):
        compiled("a", flags=flags)


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.booleans())
def test_near_counts_the_gap_in_characters_in_either_order(gap, within, swap):
    one, other = ("mast", "down") if not swap else ("down", "mast")
    text = one + "\u00e9" * gap + other
    assert (near("mast", "down", within=within).find(text) is not None) == (gap <= within)


def test_near_finds_a_pair_behind_a_far_one():
    assert near("a", "b", within=2).find("a " + " " * 50 + " a b") is not None


def test_near_refuses_references_by_number():
    with pytest.raises(Refused, match="give the group a name"):
        near(r"(a)\1", "b", within=5)
    assert near(r"(?P<x>a)(?P=x)", "b", within=5).find("aa b") is not None


@settings(deadline=None)
@given(st.text(alphabet="ab.-_", min_size=1, max_size=8), st.text(alphabet="ab.-_ ", max_size=20))
def test_an_escaped_text_is_found_as_python_finds_it(needle, text):
    found = compiled(re.escape(needle), flags="").find(text)
    assert (found[0] if found else -1) == text.find(needle)
