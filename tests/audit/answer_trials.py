"""Makers of plans and trials of questions: what a session would have asked agents, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_judgeaudit.audit.graded import written
from pytest_judgeaudit.records.grades import Grade, GradedRow
from pytest_judgeaudit.records.plans import (
    AgentPlan,
    CellPlan,
    JudgePlan,
    Plan,
    Presentation,
    Task,
    question_key,
)
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore
from pytest_judgeaudit.records.trials import JudgeCall, Trial

MODULE = "evals/test_study.py"
EVAL = f"{MODULE}::test_reads"


def cell(arm: str = "sighted", names: Sequence[str] = ("q1", "q2"), **changes: Any) -> CellPlan:
    """A cell that asks the reader these questions."""
    replicates = changes.pop("replicates", (1,))
    declared = tuple(Presentation(name, "AB", number) for name in names for number in replicates)
    values: dict[str, Any] = {
        "id": f"{EVAL}::{changes.get('agent', 'reader')}::{arm}",
        "eval": EVAL,
        "variant": "",
        "study": MODULE,
        "judge": None,
        "criterion": None,
        "arm": arm,
        "stratum": None,
        "gates": (),
        "declared": declared,
        "selected": declared,
        "location": (MODULE, 3),
        "agent": "reader",
        "corpus": "code",
        **changes,
    }
    return CellPlan(**values)


def plan(*cells: CellPlan, judges: Sequence[JudgePlan] = (), **agent: Any) -> Plan:
    """A plan of these cells; the agents are models that a service has to declare, unless told otherwise."""
    names = dict.fromkeys(shown.task for one in cells for shown in (*one.declared, *one.retired))
    known = {"kind": "tools", "family": "m", "requested": "m-5", "served": True, **agent}
    asked = {
        question_key(name, one.arm): Question(id=name, prompt=f"{name}?") for one in cells for name in names
    }
    return Plan(
        cells=cells,
        judges=tuple(judges),
        agents=tuple(AgentPlan(name=name, **known) for name in dict.fromkeys(one.agent for one in cells)),
        tasks={EVAL: {name: Task(id=name, subset="lookup") for name in names}},
        questions={EVAL: asked},
    )


def judge(name: str = "opus", **changes: Any) -> JudgePlan:
    """A judge that a service has to declare."""
    values = {
        "family": name,
        "api": "openai",
        "requested": name,
        "expect": "certified",
        "identity": "served",
    }
    return JudgePlan(**{"name": name, **values, **changes})


def call(name: str = "opus", *, valid: bool | None = True, **changes: Any) -> JudgeCall:
    """A call of a judge that was asked."""
    values = {"what": "rubric", "answer": "asked", "served": name if valid is not None else None}
    return JudgeCall(judge=name, valid=valid, **{**values, **changes})


def score(total: float) -> RubricScore:
    """A score on the rubric, in proportion."""
    return RubricScore(state="ok", **{name: top * total / 100 for name, top in DIMENSIONS.items()})


def trial(planned: CellPlan, shown: Presentation, *, outcome: str = "success", **row: Any) -> Trial:
    """
    The trial of one question; ``row`` are fields of its graded row, or of the trial.

    ``outcome`` is the trial's, ``ended`` that of the agent's call.
    """
    if "ended" in row:
        row["outcome"] = row.pop("ended")
    own = {name: row.pop(name) for name in tuple(row) if name in _OF_TRIAL}
    values: Mapping[str, Any] = {"grade": Grade(score=1.0), "answer": f"answer to {shown.task}", **row}
    made = GradedRow(question=Question(id=shown.task, prompt="?"), **values)
    return Trial(
        cell=planned.id,
        task=shown.task,
        order=shown.order,
        replicate=shown.replicate,
        outcome=outcome,
        graded=written(made),
        **{"served": "m-5", "answer": "asked", **own},
    )


_OF_TRIAL = (
    "served",
    "judged",
    "attempts",
    "prompt_tokens",
    "completion_tokens",
    "unknown_calls",
    "reason",
)


def trials(planned: CellPlan, **row: Any) -> Iterator[Trial]:
    """A trial for every presentation of a cell, all alike."""
    for shown in planned.declared:
        yield trial(planned, shown, **row)
