"""The line of a run that is asking."""

from __future__ import annotations

import time

from pytest_judgeaudit.report.progress import Progress, progress_line


def test_the_line_names_counts_tokens_and_the_end():
    ends = time.mktime((2026, 11, 30, 14, 32, 10, 0, 0, -1))
    now = Progress(asked=1, total=1200, in_flight=16, tokens=1, ends_at=ends)
    assert progress_line(now) == (
        "judge audit: 1 of 1,200 asked, 16 in flight, 1 token, ends about 14:32:10"
    )


def test_an_end_that_is_not_known_is_not_named():
    assert progress_line(Progress(asked=0, total=5, in_flight=2, tokens=0)).endswith("0 tokens")
