"""Values in errors: bounded, printable, never a secret."""

from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.settings.showing import key, quoted, shown


def test_control_and_direction_characters_are_escaped():
    assert quoted("a\x1b[2J\n\u202eb\ud800") == '"a\\x1b[2J\\n\\u202eb\\ud800"'


def test_long_texts_are_cut():
    assert quoted("a" * 61) == '"' + "a" * 59 + '…"'


def test_a_key_is_bare_or_quoted():
    assert (key("a-b_1"), key("a b"), key("")) == ("a-b_1", '"a b"', '""')


def test_kinds_are_named_and_contents_are_not():
    shapes = [{"secret": 1}, [1], None, datetime.date(2024, 1, 1)]
    assert [shown(value) for value in shapes] == ["a table", "an array of 1", "a NoneType", "a date"]


@given(st.text())
def test_whatever_is_shown_is_printable_and_bounded(text):
    assert shown(text).isprintable()
    assert len(shown(text)) <= 60 * 10 + 2
