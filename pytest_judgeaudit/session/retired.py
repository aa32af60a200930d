"""Stored answers to retired questions: asked no more, and graded once more to show what they weighed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.plans import CellPlan, Plan, Presentation, question_key
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.session.trial import Asked, agent_answer_name, test_name

Find = Callable[[str, str, str], StoredAnswer | None]
"""From module, agent and name to a stored answer."""


def retired_rows(plan: Plan, find: Find) -> Iterator[GradedRow]:
    """Yield a row for each stored answer to a retired question that can be graded, its prompt unmoved."""
    for cell in plan.cells:
        questions = plan.questions.get(cell.eval, {})
        for presentation in cell.retired:
            question = questions.get(question_key(presentation.task, cell.arm))
            row = _row(cell, presentation, question, find) if question is not None else None
            if row is not None:
                yield row


def _row(cell: CellPlan, presentation: Presentation, question: Question, find: Find) -> GradedRow | None:
    agent, test = cell.agent or "", test_name(cell.eval, cell.variant)
    name = agent_answer_name(test, agent, presentation.task, cell.arm, presentation.replicate)
    stored = find(cell.eval.partition("::")[0], agent, name)
    if stored is None or stored.parts.get("prompt") != short_digest(question.prompt):
        return None
    # Graders compile many patterns, which a run without retired questions does without.
    from pytest_judgeaudit.grade.guarding import Guard
    from pytest_judgeaudit.session.grading import graded

    asked = Asked(
        question=replace(question, retired=None),
        arm=cell.arm,
        replicate=presentation.replicate,
        agent=agent,
        corpus=cell.corpus,
        guard=Guard(ids=(question.id,)),
    )
    try:
        made = graded(asked, Answer.of(stored.reply), traced=False)
    except JudgeAuditError:
        # A pattern of a key that took too long, say: what weighs nothing must not end the analysis.
        return None
    return replace(
        made, question=question, eval=f"{cell.eval}[{cell.variant}]" if cell.variant else cell.eval
    )
