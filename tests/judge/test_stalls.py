"""When a machine has stood still too often to ask anything of it."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.judge.stalls import ADVICE, DENIED, SILENCE_S, SILENT, Denial, Silence, Stalls
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


# A service that is out of reach


def silent(number, *, apart=SILENCE_S / SILENT * 2, status=None):
    """The attempts of the call of this number, each call so many seconds after the one before."""
    return [Attempt(started=number * apart, ended=number * apart + 1, outcome="failed", status=status)]


def test_a_service_that_stays_out_of_reach_is_asked_no_more():
    silence = Silence()
    told = [silence.ended("gpt", silent(number)) for number in range(SILENT + 1)]
    assert told[: SILENT - 1] == [None] * (SILENT - 1)
    assert told[-1].startswith(
        f"gpt: no connection in {SILENT + 1} calls in a row: nothing further is asked."
    )


def test_a_restart_ends_nothing():
    silence = Silence()
    assert [silence.ended("gpt", silent(number, apart=0.1)) for number in range(60)] == [None] * 60


@pytest.mark.parametrize("between", [ANSWERED, [], [attempt("timeout")], silent(3, status=500)])
def test_anything_but_silence_begins_anew(between):
    silence = Silence()
    calls = [*(silent(number) for number in range(SILENT - 1)), between, silent(SILENT), silent(SILENT + 1)]
    assert [silence.ended("gpt", one) for one in calls] == [None] * len(calls)


def test_each_judge_counts_for_itself():
    silence = Silence()
    for number in range(SILENT - 1):
        silence.ended("gpt", silent(number))
    assert silence.ended("opus", silent(SILENT)) is None


# A key that a service refuses


def refused(status):
    return [Attempt(started=1.0, ended=2.0, outcome="refused", status=status)]


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_ten_times_in_a_row_is_sent_no_more(status):
    denial = Denial()
    told = [denial.ended("gpt", refused(status)) for _ in range(DENIED)]
    assert told[:-1] == [None] * (DENIED - 1)
    assert told[-1] == (
        f"gpt: HTTP {status} in 10 calls in a row: nothing further is asked. Check api_key_env and "
        "the key it names; --judge-probe tries it, --judge-live goes on from here."
    )


@pytest.mark.parametrize("between", [refused(404), refused(429), [attempt("timeout")], silent(1)])
def test_another_trouble_between_begins_anew(between):
    denial = Denial()
    calls = [*[refused(401)] * 9, between, *[refused(403)] * 9]
    assert [denial.ended("gpt", one) for one in calls] == [None] * len(calls)


@pytest.mark.parametrize("place", [0, 2])
def test_a_key_that_was_ever_good_is_sent_on(place):
    denial = Denial()
    calls = [refused(403)] * 20
    calls.insert(place, ANSWERED)
    assert [denial.ended("gpt", one) for one in calls] == [None] * len(calls)


def test_refusals_of_one_judge_end_nothing_for_another_and_stored_answers_count_nothing():
    denial = Denial()
    calls = [("gpt", refused(401)), *[("opus", refused(401))] * 9, ("gpt", [])]
    assert [denial.ended(*one) for one in calls] == [None] * len(calls)
    assert denial.ended("opus", refused(401)) is not None
    assert denial.ended("gpt", refused(401)) is None
