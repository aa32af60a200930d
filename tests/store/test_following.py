"""The journals of a run, followed while it goes on."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.store.following import Follower
from pytest_judgeaudit.store.journal import Journal

MODULE, JUDGE = "evals/test_a.py", "qwen"


@pytest.fixture
def journal(folder):
    return Journal(folder, "run1", "gw0", clock=lambda: 7.0)


def test_a_run_that_asked_nothing_has_begun_nothing(folder):
    asked = Follower(folder, "run1").look()
    assert (asked.begun.total(), asked.ended.total(), asked.tokens) == (0, 0, 0)


def test_calls_are_begun_and_end_with_an_answer_or_without(folder, journal, answer):
    follower = Follower(folder, "run1")
    for name in ("a", "b", "c"):
        journal.intent(MODULE, JUDGE, name, "f" * 64)
    assert (follower.look().begun, follower.look().ended) == ({JUDGE: 3}, {})
    journal.answer(MODULE, JUDGE, answer("a"))
    journal.failed(MODULE, JUDGE, "b", "f" * 64, "no")
    asked = follower.look()
    assert (asked.begun, asked.ended, asked.since) == ({JUDGE: 3}, {JUDGE: 2}, 7.0)


def test_tokens_are_those_that_were_stated(folder, journal, answer):
    stated = answer("a").reply.usage
    journal.answer(MODULE, JUDGE, answer("a"))
    journal.answer(MODULE, JUDGE, answer("b"))
    assert Follower(folder, "run1").look().tokens == 2 * (stated.prompt + stated.completion)


def test_all_journals_of_a_run_count_and_those_of_others_do_not(folder, journal, answer):
    follower = Follower(folder, "run1")
    others = [Journal(folder, run, worker) for run, worker in (("run1", "gw1"), ("run2", "gw0"))]
    for one in (journal, *others):
        one.intent(MODULE, JUDGE, "a", "f" * 64)
    assert follower.look().begun == {JUDGE: 2}


def test_a_line_counts_once_when_it_is_whole(folder, journal):
    follower = Follower(folder, "run1")
    journal.intent(MODULE, JUDGE, "a", "f" * 64)
    journal.close()
    whole = journal.path.read_bytes()
    for size in range(0, len(whole), 40):
        journal.path.write_bytes(whole[:size])
        assert follower.look().begun == {}
    journal.path.write_bytes(whole)
    assert [follower.look().begun[JUDGE] for _ in range(2)] == [1, 1]


def test_a_torn_line_is_left_aside(folder, journal):
    follower = Follower(folder, "run1")
    journal.intent(MODULE, JUDGE, "a", "f" * 64)
    with journal.path.open("ab") as file:
        file.write(b'{"kind": "intent", "mod\n[1]\n{"kind": "answer", "answer": 3}\n')
    journal.intent(MODULE, JUDGE, "b", "f" * 64)
    assert follower.look().begun == {JUDGE: 2}


def test_what_was_absorbed_and_removed_stays_counted(folder, journal):
    follower = Follower(folder, "run1")
    journal.intent(MODULE, JUDGE, "a", "f" * 64)
    follower.look()
    journal.close()
    journal.path.unlink()
    assert follower.look().begun == {JUDGE: 1}
