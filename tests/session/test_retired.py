"""Stored answers to retired questions: graded as they are, while their prompt has not moved."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.plans import CellPlan, Plan, Presentation
from pytest_judgeaudit.records.questions import Fact, Match, Question, Retirement
from pytest_judgeaudit.session.retired import retired_rows
from pytest_judgeaudit.session.using import used_names

EVAL = "evals/test_a.py::test_reads"
FACT = Fact(id="f1", match=Match(type="literal", values=("daily_rate",)), must=True)
QUESTION = Question(id="old", prompt="Where?", facts=(FACT,), retired=Retirement(why="false premise"))
CELL = CellPlan(
    id="c",
    eval=EVAL,
    variant="calm",
    study="s",
    judge=None,
    criterion=None,
    arm="sighted",
    stratum=None,
    gates=(),
    declared=(),
    selected=(),
    location=("evals/test_a.py", 1),
    agent="reader",
    corpus="code",
    scored=("opus",),
    retired=(Presentation("old", "AB"), Presentation("old", "AB", 2)),
)
PLAN = Plan(cells=(CELL,), questions={EVAL: {"old": QUESTION}})
NAME = "test_reads[calm]-reader-old-sighted-1"


def stored(text="daily_rate does.", prompt="Where?"):
    parts = {"prompt": short_digest(prompt)}
    return StoredAnswer(name=NAME, fingerprint="f", parts=parts, instrument="", reply=Reply(text=text))


def rows(answer):
    """The rows where one answer is stored."""
    place = ("evals/test_a.py", "reader", NAME)
    return list(retired_rows(PLAN, lambda *asked: answer if asked == place else None))


@pytest.mark.parametrize(("text", "score"), [("daily_rate does.", 1.0), ("It is elsewhere.", 0.0)])
def test_a_stored_answer_is_graded_by_the_key_of_its_question(text, score):
    (row,) = rows(stored(text))
    assert (row.grade.score, row.question.retired) == (score, QUESTION.retired)
    assert (row.eval, row.agent, row.arm, row.replicate) == (f"{EVAL}[calm]", "reader", "sighted", 1)


def test_an_answer_to_another_prompt_weighs_nothing():
    assert rows(stored(prompt="Where else?")) == []


def test_an_answer_whose_key_cannot_be_searched_for_is_left_out(monkeypatch):
    def slow(*_asked, **_how):
        raise JudgeAuditError("the pattern took too long")

    monkeypatch.setattr("pytest_judgeaudit.session.grading.graded", slow)
    assert rows(stored()) == []


def test_without_an_answer_there_is_no_row():
    assert rows(None) == []


def test_its_answers_and_their_verdicts_are_in_use():
    used = used_names(PLAN)
    assert NAME in used["evals/test_a.py", "reader"]
    assert f"{NAME}-opus-checklist" in used["evals/test_a.py", "opus"]
