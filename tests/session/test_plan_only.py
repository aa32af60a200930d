"""What is stored of a plan, so that only the rest is counted as calls to make."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.audits import Answers
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.session.plan_only import stored_answers
from pytest_judgeaudit.session.trial import SLOT, Seat, Slot


def item(judge=None, task="c1"):
    stash = pytest.Stash()
    seat = Seat(judge, "neutral") if judge else None
    stash[SLOT] = Slot(cell="c", module="m", test="t", arm="clone", task=task, seat=seat)
    return SimpleNamespace(stash=stash)


class Bench:
    """A bench that has stored the answers to these tasks, with so many tokens."""

    def __init__(self, **usage):
        self.usage = usage

    def stored(self, slot):
        return Reply(text="tie", usage=self.usage[slot.task]) if slot.task in self.usage else None


def test_stored_answers_are_counted_by_judge_with_their_tokens():
    bench = Bench(c1=Usage(prompt=10, completion=2), c2=Usage(prompt=5, completion=1), c3=None)
    items = [item("qwen", task) for task in ("c1", "c2", "c3", "c4")] + [
        item("gpt", "c1"),
        item("gpt", "c9"),
    ]
    known, usage = stored_answers(items, [bench.stored], {"c": "s"})
    assert known == {("s", "qwen"): Answers(hit=3), ("s", "gpt"): Answers(hit=1)}
    assert usage == {
        "qwen": Usage(prompt=15, completion=3, unknown_calls=1),
        "gpt": Usage(prompt=10, completion=2),
    }


def test_plain_items_and_trials_without_a_judge_have_no_answer():
    plain = SimpleNamespace(stash=pytest.Stash())
    assert stored_answers([plain, item(task="c1")], [Bench(c1=None).stored], {}) == ({}, {})


def test_nothing_is_stored_where_no_judge_is_needed():
    assert stored_answers([item("qwen")], [], {}) == ({}, {})
