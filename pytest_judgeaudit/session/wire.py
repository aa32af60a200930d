"""How trials and plans travel: as one ASCII JSON string on a test report."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pytest_judgeaudit.records.packing import packed, unpacked
from pytest_judgeaudit.records.plans import (
    AgentPlan,
    CellPlan,
    FamilyMember,
    Finding,
    GateSpec,
    JudgePlan,
    Plan,
    Presentation,
    Task,
)
from pytest_judgeaudit.records.questions import Question

TRIAL = "judgeaudit_trial"
PLAN = "judgeaudit_plan"
CAUSE = "judgeaudit_cause"
"""Beside a trial that measured nothing: why, worded alike for all that failed alike."""

_PLAIN = ("members", "seed", "schedule", "rivals")
_LISTS = ("cells", "judges", "agents", "findings")


def plan_to_json(plan: Plan) -> str:
    """Write a plan as one ASCII string."""
    raw = {name: getattr(plan, name) for name in _PLAIN}
    raw |= {name: [asdict(one) for one in getattr(plan, name)] for name in _LISTS}
    raw["tasks"] = {
        name: {key: asdict(task) for key, task in tasks.items()} for name, tasks in plan.tasks.items()
    }
    return json.dumps({**raw, "questions": packed(plan.questions)})


def plan_from_json(text: str) -> Plan:
    """Read what :func:`plan_to_json` wrote."""
    raw = json.loads(text)
    return Plan(
        cells=tuple(_cell(cell) for cell in raw["cells"]),
        judges=tuple(_judge(judge) for judge in raw["judges"]),
        agents=tuple(AgentPlan(**{**agent, "price": _price(agent)}) for agent in raw["agents"]),
        questions={
            name: {key: unpacked(Question, question) for key, question in questions.items()}
            for name, questions in raw["questions"].items()
        },
        tasks={
            name: {task_id: Task(**task) for task_id, task in tasks.items()}
            for name, tasks in raw["tasks"].items()
        },
        members=tuple(FamilyMember(*member) for member in raw["members"]),
        findings=tuple(Finding(**finding) for finding in raw["findings"]),
        seed=raw["seed"],
        schedule=raw["schedule"],
        rivals=tuple(FamilyMember(*rival) for rival in raw["rivals"]),
    )


def _judge(raw: dict[str, Any]) -> JudgePlan:
    return JudgePlan(**{**raw, "criteria": tuple(raw["criteria"]), "price": _price(raw)})


def _price(raw: dict[str, Any]) -> tuple[float, float] | None:
    return tuple(raw["price"]) if raw["price"] is not None else None


def _cell(raw: dict[str, Any]) -> CellPlan:
    raw["gates"] = tuple(GateSpec(**gate) for gate in raw["gates"])
    for name in ("declared", "selected", "retired"):
        raw[name] = tuple(Presentation(*presentation) for presentation in raw[name])
    for name in ("location", "scored", "unseated"):
        raw[name] = tuple(raw[name])
    return CellPlan(**raw)
