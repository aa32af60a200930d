"""When a machine has stood still too often to ask anything of it."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.judge.stalls import ADVICE, Stalls
from pytest_judgeaudit.records.answers import Attempt


def attempt(outcome):
    return Attempt(started=1.0, ended=2.0, outcome=outcome)


STALLED, ANSWERED = [attempt("host_stalled")], [attempt("answered")]


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([STALLED] * 3, [None, None, ADVICE]),
        ([STALLED] * 4, [None, None, ADVICE, ADVICE]),
        ([STALLED, STALLED, ANSWERED, STALLED, STALLED], [None] * 5),
        ([STALLED, STALLED, [], STALLED], [None] * 4),
        # What counts is how a call ended: one that was answered in the end measured something.
        ([[*STALLED, *ANSWERED]] * 5, [None] * 5),
        ([[*ANSWERED, *STALLED]] * 3, [None, None, ADVICE]),
        ([[attempt("timeout")]] * 5, [None] * 5),
    ],
)
def test_three_stalled_calls_in_a_row_end_the_asking(calls, told):
    stalls = Stalls()
    assert [stalls.ended(one) for one in calls] == told
