"""Verdicts that are stale or pending: named with their rows, and with what asks for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.unsettled import unsettled
from pytest_judgeaudit.records.grades import ChecklistVerdict, Grade, GradedRow
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.scores import RubricScore


def row(state, question="q", reason="because", **scores):
    return GradedRow(
        question=Question(id=question, prompt="?"),
        grade=Grade(score=1.0),
        answer="",
        agent="reader",
        eval="e",
        checks={"opus": ChecklistVerdict(state=state, reason=reason)},
        scores=scores,
    )


@pytest.mark.parametrize("state", ["ok", "not applicable"])
def test_what_is_settled_is_no_finding(state):
    assert list(unsettled([row(state)])) == []


def test_stale_verdicts_are_named_with_the_command_that_asks_again():
    (found,) = unsettled([row("stale", "q1"), row("ok", "q2"), row("not applicable", "q3")])
    assert (found.code, found.where) == ("stale-verdicts", "opus in e")
    assert found.symptom == "1 of 2 verdicts is stale, since what was judged moved: q1 [reader sighted]"
    assert "pytest --judge-audit --judge-live" in found.check


def test_pending_verdicts_are_named_with_each_cause_once():
    rows = [row("pending", f"q{n}", reason="HTTP 500\nmore") for n in range(2)]
    (found,) = unsettled([*rows, row("pending", "q2", reason="prose")])
    assert found.symptom == (
        "3 of 3 verdicts are pending: q0 [reader sighted], q1 [reader sighted], q2 [reader sighted] "
        "(HTTP 500, prose)"
    )


def test_scores_on_a_rubric_are_verdicts_too_and_each_judge_has_its_own():
    pending = RubricScore(state="pending", reason="down")
    found = list(unsettled([row("stale", gpt=pending), row("ok", gpt=RubricScore(state="ok"))]))
    assert [(one.code, one.where) for one in found] == [
        ("stale-verdicts", "opus in e"),
        ("pending-verdicts", "gpt in e"),
    ]
    assert "1 of 2 verdicts" in found[1].symptom


def test_a_reply_that_cannot_be_read_is_never_said_to_be_asked_for_again():
    replied = ChecklistVerdict(state="pending", reason="prose", replied=True)
    rows = [row("ok", "q1", gpt=RubricScore(state="invalid", reason="prose")), row("pending", "q2")]
    found = list(unsettled([rows[0], replace(rows[1], checks={"opus": replied})]))
    assert [(one.code, one.where) for one in found] == [
        ("unreadable-verdicts", "gpt in e"),
        ("unreadable-verdicts", "opus in e"),
    ]
    assert found[1].symptom == "1 of 2 verdicts cannot be read: q2 [reader sighted] (prose)"
    assert "none is asked for again because of what it says" in found[0].check
    assert "asks again" not in found[0].check
