"""What a judge says of an answer: once, of this very answer, and with a reason where there is none."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.judge.campaign import Obtained
from pytest_judgeaudit.judge.scoring import Asking
from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.errors import CampaignStopped, JudgeFault, MissingAnswer, StaleAnswer
from pytest_judgeaudit.records.grades import Grade, GradedRow
from pytest_judgeaudit.records.grounding import Grounding
from pytest_judgeaudit.records.questions import Fact, Match, Question
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.session.judging import state_of
from pytest_judgeaudit.session.scoring import Scorers
from pytest_judgeaudit.session.trial import Asked, Hearing, Slot

FACT = Fact(id="f1", match=Match(type="literal", values=("x",)), must=True)
QUESTION = Question(id="q1", prompt="Where?", facts=(FACT,))
ABSENT = Question(id="q2", prompt="Where is none?", cls="abstain", grader="abstain")
DIMENSIONS = {"accuracy": 24, "completeness": 20, "traceability": 18, "usefulness": 15}
RUBRIC = json.dumps({**DIMENSIONS, "label": "good"})
CHECKLIST = json.dumps({"per_fact": {"f1": True}, "score": 1.0})
OPUS = SimpleNamespace(name="opus")


def reply(text, **changes):
    attempt = Attempt(started=5.0, ended=6.0, outcome="answered")
    return Reply(text=text, **{"served": "opus-1", "attempts": (attempt,), **changes})


class Campaign:
    """Says one thing, or raises it, and notes what it was asked."""

    def __init__(self, said):
        self.said = said
        self.names = []

    def obtain(self, _, __, place):
        self.names.append(place.name)
        if isinstance(self.said, Exception):
            raise self.said
        return Obtained(reply=reply(self.said), state="asked")


def seated(said="", *, question=QUESTION, embedded=None, truncated=False, **row):
    campaign = Campaign(said)
    asking = Asking(request=None, truncated=truncated)
    instrument = SimpleNamespace(on_rubric=lambda *_, **__: asking, on_checklist=lambda *_: asking)
    scorers = Scorers(
        scorings={"opus": instrument} if embedded is None else {},
        embedded=embedded or {},
        campaign=campaign,
        grounding=lambda _: Grounding(),
        state_of=state_of,
    )
    asked = Asked(question=question, arm="sighted", replicate=1, agent="reader", corpus=None)
    slot = Slot(cell="c", module="evals/test_a.py", test="test_x", arm="sighted", task="q1", asked=asked)
    slot.hearing = Hearing(answer=Answer(text="x is it"))
    values = {"question": question, "grade": Grade(score=1.0), "answer": "x is it", **row}
    slot.heard.row = GradedRow(**values)
    return scorers, slot, campaign


def test_a_score_is_read_and_its_call_is_noted():
    scorers, slot, campaign = seated(RUBRIC)
    found = scorers.score(slot, OPUS, QUESTION, slot.heard.answer)
    assert (found.total, found.served, slot.heard.late) == (77, "opus-1", [])
    (call,) = slot.heard.calls
    assert (call.judge, call.what, call.answer, call.valid, call.asked_at) == (
        "opus",
        "rubric",
        "asked",
        True,
        5.0,
    )
    assert campaign.names == ["test_x-reader-q1-sighted-1-opus-rubric"]


def test_asked_again_the_same_comes_back_and_rubric_and_checklist_are_two_calls():
    scorers, slot, campaign = seated(CHECKLIST)
    first = scorers.check(slot, OPUS, QUESTION, slot.heard.answer)
    assert first is scorers.check(slot, OPUS, QUESTION, slot.heard.answer)
    assert (first.score, first.per_fact) == (1.0, {"f1": True})
    scorers.score(slot, OPUS, QUESTION, slot.heard.answer)
    assert [name.rpartition("-")[2] for name in campaign.names] == ["checklist", "rubric"]


@pytest.mark.parametrize(
    ("error", "answer", "state"),
    [
        (MissingAnswer("no stored answer"), "missing", "pending"),
        (CampaignStopped("another model"), "stopped", "pending"),
        (JudgeFault("it raised"), "faulty", "pending"),
        (AssertionError("inside"), "faulty", "pending"),
    ],
)
def test_what_brings_nothing_fails_the_item_after_its_body(error, answer, state):
    scorers, slot, _ = seated(error)
    found = scorers.check(slot, OPUS, QUESTION, slot.heard.answer)
    assert (found.state, found.score) == (state, None)
    assert str(error) in found.reason
    (call,), (late,) = slot.heard.calls, slot.heard.late
    assert (call.answer, call.valid, late.startswith("opus: ")) == (answer, None, True)


def test_a_stale_verdict_is_shown_as_what_it_was():
    stored = StoredAnswer(name="n", fingerprint="f", parts={}, instrument="", reply=reply(CHECKLIST))
    scorers, slot, _ = seated(StaleAnswer("key moved", stored))
    found = scorers.check(slot, OPUS, QUESTION, slot.heard.answer)
    assert (found.state, found.score, found.valid, found.reason) == ("stale", 1.0, False, "key moved")
    assert slot.heard.calls[0].answer == "stale"


def test_prose_is_no_score_and_no_error():
    scorers, slot, _ = seated("I like it")
    found = scorers.score(slot, OPUS, QUESTION, slot.heard.answer)
    assert (found.state, found.total, slot.heard.late) == ("invalid", None, [])
    assert slot.heard.calls[0].valid is False


@pytest.mark.parametrize(
    "row",
    [
        {"outcome": "refusal"},
        {"outcome": "contaminated"},
        {"grade": Grade(score=None, state="unavailable")},
    ],
)
def test_nobody_is_asked_about_what_is_no_answer(row):
    scorers, slot, campaign = seated(RUBRIC, **row)
    said = [call(slot, OPUS, QUESTION, slot.heard.answer) for call in (scorers.score, scorers.check)]
    assert [one.state for one in said] == ["not applicable"] * 2
    assert all(one.reason for one in said)
    assert campaign.names == slot.heard.calls == []


def test_nobody_is_asked_where_abstaining_is_right():
    scorers, slot, campaign = seated(RUBRIC, question=ABSENT)
    assert scorers.check(slot, OPUS, ABSENT, slot.heard.answer).state == "not applicable"
    assert scorers.score(slot, OPUS, ABSENT, slot.heard.answer).state == "not applicable"
    assert campaign.names == []


def test_an_embedded_judge_scores_in_the_process_and_checks_nothing():
    score = RubricScore(state="ok", **DIMENSIONS)
    scorers, slot, campaign = seated(embedded={"opus": lambda *_: score})
    assert scorers.score(slot, OPUS, QUESTION, slot.heard.answer) is score
    assert (slot.heard.calls[0].answer, slot.heard.calls[0].valid, campaign.names) == ("direct", True, [])
    with pytest.raises(JudgeFault, match="does not judge answers"):
        scorers.check(slot, OPUS, QUESTION, slot.heard.answer)


@pytest.mark.parametrize("call", ["check", "score"])
def test_an_answer_that_was_cut_for_the_judge_is_marked(call):
    scorers, slot, _ = seated(CHECKLIST, truncated=True)
    getattr(scorers, call)(slot, OPUS, QUESTION, slot.heard.answer)
    assert slot.heard.row.truncated is True


@pytest.mark.parametrize(
    ("question", "answer", "what"),
    [
        (ABSENT, None, "another question"),
        (QUESTION, Answer(text="another"), "another answer"),
    ],
)
def test_only_the_items_own_answer_is_judged(question, answer, what):
    scorers, slot, _ = seated(RUBRIC)
    with pytest.raises(JudgeFault, match=what):
        scorers.score(slot, OPUS, question, answer or slot.heard.answer)


def test_without_an_answer_there_is_nothing_to_judge():
    scorers, slot, _ = seated(RUBRIC)
    slot.heard.row = None
    with pytest.raises(JudgeFault, match=r"Call agent\.answer first"):
        scorers.score(slot, OPUS, QUESTION, slot.heard.answer)
