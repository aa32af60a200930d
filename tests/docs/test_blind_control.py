"""The page on blind controls as a reader follows it: its files, its commands in order, what it shows."""

from __future__ import annotations

import pytest

from tests.docs.following import followed


@pytest.mark.slow
def test_following_the_page_gives_what_it_shows(tmp_path):
    assert followed("run-a-blind-control", tmp_path) == []
