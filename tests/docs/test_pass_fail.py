"""The page on pass/fail judges as a reader follows it: its files, its commands in order, what it shows."""

from __future__ import annotations

from tests.docs.following import followed


def test_following_the_page_gives_what_it_shows(tmp_path):
    assert followed("audit-a-pass-fail-judge", tmp_path) == []
