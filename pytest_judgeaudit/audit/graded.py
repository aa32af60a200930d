"""Trials of questions beside the plan: one graded row an answer, in the plan's order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.audit.rubrics import Place, counts, place_of
from pytest_judgeaudit.judge.rubric_prompts import rubric_standing
from pytest_judgeaudit.records.grades import ChecklistVerdict, Grade, GradedRow
from pytest_judgeaudit.records.grounding import Grounding
from pytest_judgeaudit.records.packing import packed, unpacked
from pytest_judgeaudit.records.plans import CellPlan, Plan, question_key
from pytest_judgeaudit.records.scores import UNASKED, RubricScore
from pytest_judgeaudit.records.trials import Trial


def written(row: GradedRow) -> dict[str, Any]:
    """Write all of a row that the plan does not know, as plain JSON values."""
    return {
        "answer": row.answer,
        "grade": packed(row.grade),
        "checks": packed(row.checks),
        "scores": packed(row.scores),
        "truncated": row.truncated,
        "tool_calls": row.tool_calls,
        "tools": dict(row.tools),
        "outcome": row.outcome,
        "exposed": list(row.exposed),
        "grounding": None if row.grounding is None else packed(row.grounding),
    }


def graded_rows(plan: Plan, observed: Sequence[Observed]) -> tuple[GradedRow, ...]:
    """
    Return a row for each answer that was given and graded, whatever its item made of it.

    An answer that was not put to a judge who scored others of its arm has a score that is yet to come.
    """
    rows = [row for cell in observed if cell.plan.agent for row in _rows(plan, cell)]
    judges: dict[Place, dict[str, None]] = defaultdict(dict)
    for row in rows:
        judges[place_of(row)].update(dict.fromkeys(row.scores))
    return tuple(_with_unasked(row, judges[place_of(row)]) for row in rows)


def _with_unasked(row: GradedRow, judges: Iterable[str]) -> GradedRow:
    """
    Add the scores that nobody asked for, as a failed assertion before ``judge.score`` leaves them.

    Without them an arm's mean would be over the answers that its test liked.
    """
    never = [judge for judge in judges if judge not in row.scores]
    if not never or row.unjudged or not counts(row):
        return row
    settled = rubric_standing(row.question, row.answer, None, judged_key=None)
    if settled.state == "pending":
        settled = replace(settled, reason=UNASKED)
    return replace(row, scores={**row.scores, **dict.fromkeys(never, settled)})


def _rows(plan: Plan, cell: Observed) -> Iterator[GradedRow]:
    void: dict[Any, Trial] = {(trial.task, trial.order, trial.replicate): trial for trial in cell.void}
    questions = plan.questions.get(cell.plan.eval, {})
    for presentation in cell.scheduled:
        trial = cell.trials.get(presentation) or void.get(presentation)
        question = questions.get(question_key(presentation.task, cell.plan.arm))
        if trial is not None and trial.graded is not None and question is not None:
            yield _row(cell.plan, trial, trial.graded, question=question)


def _row(cell: CellPlan, trial: Trial, raw: Mapping[str, Any], *, question: Any) -> GradedRow:
    return GradedRow(
        question=question,
        grade=unpacked(Grade, raw["grade"]),
        answer=raw["answer"],
        arm=cell.arm,
        agent=cell.agent or "",
        eval=f"{cell.eval}[{cell.variant}]" if cell.variant else cell.eval,
        replicate=trial.replicate,
        checks={judge: unpacked(ChecklistVerdict, one) for judge, one in raw["checks"].items()},
        truncated=raw["truncated"],
        tool_calls=raw["tool_calls"],
        tools=raw["tools"],
        outcome=raw["outcome"],
        corpus=cell.corpus or "",
        scores={judge: unpacked(RubricScore, one) for judge, one in raw["scores"].items()},
        exposed=tuple(raw["exposed"]),
        grounding=None if raw["grounding"] is None else unpacked(Grounding, raw["grounding"]),
    )
