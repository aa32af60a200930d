"""Tries of an answer: whether each may leave is asked in its slot, and what came is told there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.agent.answering import Agent, Try
from pytest_judgeaudit.records.errors import CampaignStopped


class Diary(list):
    """A limiter and a flight that write into one list; ``tries`` may leave."""

    tries = 99

    def __bool__(self):
        return True

    def __enter__(self):
        self.append("in")

    def __exit__(self, *_):
        self.append("out")

    def departs(self, attempts):
        self.append(f"departs after {len(attempts)}")
        if len(attempts) >= self.tries:
            raise CampaignStopped("nothing further is asked", tuple(attempts))

    def landed(self, attempts, served=None):
        self.append(f"landed after {len(attempts)}, served {served}")


@pytest.fixture
def answer(settings, sandboxes):
    """Answer with tries of these outcomes; returns the reply."""

    def run(diary, *outcomes):
        tries = iter(Try(outcome=outcome, text="said", served="m") for outcome in outcomes)
        kind = SimpleNamespace(
            enforcement=lambda _: None,
            attempt=lambda *_: next(tries),
            describe=lambda _: {"endpoint": "e", "tools": (), "instructions": ""},
        )
        agent = Agent(settings("command", limits={"attempts": 2}), kind, limiter=diary)
        sandbox = sandboxes()
        return agent.answer(agent.request("why?", sandbox), sandbox, diary)

    return run


def test_whether_a_try_leaves_is_asked_in_its_slot_and_its_end_told_there(answer):
    diary = Diary()
    assert len(answer(diary, "timeout", "ok").attempts) == 2
    told = ["out", "in", "departs after 1", "landed after 2, served m", "out"]
    assert diary == ["in", "departs after 0", *told]


def test_what_may_not_be_tried_again_is_not_and_keeps_its_attempts(answer):
    diary = Diary()
    diary.tries = 1
    with pytest.raises(CampaignStopped) as caught:
        answer(diary, "timeout", "ok")
    assert [one.outcome for one in caught.value.attempts] == ["timeout"]
    assert diary[-3:] == ["in", "departs after 1", "out"]
