"""The judge that a test holds: one call an item, and a note of what was seen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.judge.campaign import Obtained
from pytest_judgeaudit.judge.direct import Decision
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.errors import (
    CampaignStopped,
    JudgeFault,
    MissingAnswer,
    Refused,
    StaleAnswer,
    Unanswered,
)
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.verdicts import Verdict
from pytest_judgeaudit.session.judging import Bench
from pytest_judgeaudit.session.trial import Seat, Slot

SEAT = Seat("qwen", "neutral")
PAIR = Pair(id="c001", prompt="p", first="x", second="y", target="first", kind="signal", order="BA")
TIE = Verdict(slot="tie", winner="tie", raw='{"winner": "tie"}', served="qwen-1")
REPLY = Reply(text=TIE.raw, attempts=(Attempt(started=1, ended=2, outcome="answered"),) * 2)


class Instrument:
    """An instrument that reads every reply as a tie."""

    def request(self, pair, *, replicate):
        return ("request", pair.id, replicate)

    def read(self, *_):
        return TIE


class Campaign:
    """A campaign that notes what it was asked, and answers or raises."""

    def __init__(self, error=None):
        self.error = error
        self.asked = []

    def obtain(self, _, request, place):
        self.asked.append((request, place.module, place.name))
        if self.error is not None:
            raise self.error
        return Obtained(reply=REPLY, state="asked")


def seated(campaign, *, direct=None):
    slot = Slot(
        cell="cell",
        module="evals/test_a.py",
        test="test_x",
        arm="signal",
        task="c001",
        order="BA",
        seat=SEAT,
        pair=PAIR,
    )
    bench = Bench(
        judges={"qwen": SimpleNamespace(family="tongyi")},
        instruments={SEAT: Instrument()},
        direct=direct or {},
        campaign=campaign,
    )
    return bench.judge(SEAT, slot), slot


def test_a_judge_says_who_it_is():
    judge, _ = seated(Campaign())
    assert (judge.name, judge.criterion, judge.family) == ("qwen", "neutral", "tongyi")
    assert repr(judge) == "<judge qwen, criterion neutral>"


def test_a_verdict_is_noted_with_where_it_came_from():
    judge, slot = seated(Campaign())
    assert judge.compare(PAIR) is TIE
    assert (slot.verdict, slot.answer, slot.attempts) == (TIE, "asked", 2)
    assert len(slot.digest) == 16


def test_an_item_is_one_call_however_often_it_asks():
    campaign = Campaign()
    judge, slot = seated(campaign)
    assert judge.compare(PAIR) is judge.compare(PAIR)
    assert campaign.asked == [(("request", "c001", 1), "evals/test_a.py", slot.name)]


def test_an_equal_pair_is_the_items_pair_and_another_is_not():
    campaign = Campaign()
    judge, _ = seated(campaign)
    judge.compare(PAIR.shown("AB").shown("BA"))
    judge, slot = seated(campaign)
    with pytest.raises(JudgeFault, match="another pair than the item's"):
        judge.compare(PAIR.shown("AB"))
    assert (slot.answer, len(campaign.asked)) == ("faulty", 1)


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (MissingAnswer("m"), "missing"),
        (StaleAnswer("s"), "stale"),
        (CampaignStopped("c"), "stopped"),
        (Unanswered("u"), "failed"),
        (JudgeFault("f"), "faulty"),
    ],
)
def test_what_could_not_be_obtained_is_noted_and_raised_as_it_is(error, state):
    judge, slot = seated(Campaign(error))
    with pytest.raises(type(error)) as caught:
        judge.compare(PAIR)
    assert caught.value is error
    assert (slot.verdict, slot.answer, slot.problem) == (None, state, str(error))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Refused("a.jsonl:3: no JSON"), "a.jsonl:3: no JSON"),
        (AssertionError("x is y"), "qwen: an assertion failed inside the judge: x is y"),
    ],
)
def test_errors_of_ours_and_assertions_inside_a_judge_are_no_observations(error, words):
    judge, slot = seated(Campaign(error))
    with pytest.raises(JudgeFault) as caught:
        judge.compare(PAIR)
    assert (str(caught.value), slot.problem) == (words, words)


def test_a_judge_in_the_process_is_not_asked_for_an_answer():
    decided = SimpleNamespace(decide=lambda *_, **__: Decision(verdict=TIE, duplicated=True))
    campaign = Campaign()
    judge, slot = seated(campaign, direct={"qwen": decided})
    judge.compare(PAIR)
    assert (slot.answer, slot.duplicated, slot.attempts, campaign.asked) == ("direct", True, 0, [])


@pytest.mark.parametrize("name", ["score", "check"])
def test_a_judge_of_answers_needs_a_question(name):
    judge, _ = seated(Campaign())
    with pytest.raises(JudgeFault, match=f"^judge.{name} needs a question of a source"):
        getattr(judge, name)("question", "answer")


# The fixture


def test_the_fixture_says_where_it_works(project):
    project.evals()
    project.write("tests/test_plain.py", "def test_it(judge):\n    ...\n")
    ran = project.run("tests", "-q")
    assert ran.code == 1
    assert "the fixture `judge` works in eval tests, run with --judge-audit" in ran.out


def test_the_fixtures_of_questions_say_where_they_work(project):
    names = ("judges", "agent", "sandbox", "question", "arm", "replicate")
    text = "".join(f"def test_{name}({name}):\n    ...\n\n" for name in names)
    project.write("tests/test_plain.py", text)
    ran = project.run("tests", "-q")
    assert [name for name in names if f"the fixture `{name}` works in " in ran.out] == list(names)
