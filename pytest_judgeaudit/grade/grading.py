"""From a question and an answer to a grade: the one place that a run and a regrade share."""

from __future__ import annotations

from dataclasses import replace

from pytest_judgeaudit.grade.abstention import absence, abstain
from pytest_judgeaudit.grade.checklists import checklist
from pytest_judgeaudit.grade.guarding import Guard, contamination
from pytest_judgeaudit.grade.sets import by_ground_truth
from pytest_judgeaudit.grade.states import out_of_reach
from pytest_judgeaudit.records.grades import Grade
from pytest_judgeaudit.records.questions import Question

_NO_GUARD = Guard()


def grade(question: Question, text: str, *, guard: Guard = _NO_GUARD, tools: bool = True) -> Grade:
    """
    Grade an answer deterministically.

    A contaminated answer has no score, and keeps what it would have scored. One that reports that its
    tools could not be used, and says nothing else that could be graded, is ``unavailable``: listed apart,
    not averaged. That an agent without ``tools`` (a blind arm) has none is no such report. A retired
    question is not graded. Raises SlowPattern where a pattern of the key does not finish.
    """
    if question.retired is not None:
        return Grade(score=None, state="retired", reason=question.retired.why)
    found = _deterministic(question, text)
    if tools and _is_unavailable(question, text, found):
        found = replace(
            found,
            score=None,
            state="unavailable",
            hallucinated=False,
            reason="reports that its tools were out of reach",
        )
    signs = contamination(text, guard)
    if not signs.contaminated:
        return replace(found, contamination=signs)
    return replace(
        found,
        score=None,
        state="contaminated",
        reason=f"rests on the question set: {', '.join(signs.hard)}",
        score_if_clean=found.score,
        contamination=signs,
    )


def _deterministic(question: Question, text: str) -> Grade:
    if question.abstains:
        return abstain(text, forbidden=question.forbidden, markers=question.markers)
    if question.grader == "checklist":
        return checklist(text, question.facts, forbidden=question.forbidden)
    return by_ground_truth(text, question.grader, gt=question.gt)


def _is_unavailable(question: Question, text: str, found: Grade) -> bool:
    if found.forbidden_hit or not out_of_reach(text):
        return False
    if question.abstains:
        return absence(text) != "stated"
    return found.score == 0.0
