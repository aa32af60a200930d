"""From an agent's answer to a graded row."""

from __future__ import annotations

from dataclasses import replace

from pytest_judgeaudit.agent.blindness import blindness
from pytest_judgeaudit.grade.grading import grade
from pytest_judgeaudit.grade.guarding import Guard
from pytest_judgeaudit.grade.states import refused
from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.traces import VOID
from pytest_judgeaudit.session.arms import Arm
from pytest_judgeaudit.session.trial import Asked


def graded(asked: Asked, answer: Answer, *, traced: bool) -> GradedRow:
    """Grade an answer deterministically; raises SlowPattern where a pattern of the key does not finish."""
    blind = Arm.of(asked.arm).blind
    found = grade(asked.question, answer.text, guard=asked.guard or Guard(), tools=not blind)
    outcome = answer.outcome
    if outcome == "ok" and found.state != "contaminated" and refused(answer.text):
        outcome = "refusal"
    if outcome == "refusal":
        found = replace(found, score=None, state="refusal", reason="the agent refused to answer")
    elif found.state == "contaminated":
        outcome = "contaminated"
    elif outcome in VOID:
        told = answer.trace.error or "no reason was given"
        found = replace(found, score=None, state="unanswered", reason=f"{outcome}: {told}")
    seen = blindness([answer.trace]) if blind else None
    return GradedRow(
        question=asked.question,
        grade=found,
        answer=answer.text,
        arm=asked.arm,
        agent=asked.agent,
        replicate=asked.replicate,
        tool_calls=sum(answer.tool_calls.values()) if traced else None,
        tools=answer.tool_calls,
        outcome=outcome,
        corpus=asked.corpus or "",
        exposed=() if seen is None or seen.verified else seen.reasons,
    )
