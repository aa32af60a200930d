"""How trials and plans travel: as one ASCII JSON string on a test report."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pytest_judgeaudit.records.plans import (
    CellPlan,
    FamilyMember,
    Finding,
    GateSpec,
    JudgePlan,
    Plan,
    Presentation,
    Task,
)

TRIAL = "judgeaudit_trial"
PLAN = "judgeaudit_plan"


def plan_to_json(plan: Plan) -> str:
    """Write a plan as one ASCII string."""
    return json.dumps(asdict(plan))


def plan_from_json(text: str) -> Plan:
    """Read what :func:`plan_to_json` wrote."""
    raw = json.loads(text)
    return Plan(
        cells=tuple(_cell(cell) for cell in raw["cells"]),
        judges=tuple(_judge(judge) for judge in raw["judges"]),
        tasks={
            name: {task_id: Task(**task) for task_id, task in tasks.items()}
            for name, tasks in raw["tasks"].items()
        },
        members=tuple(FamilyMember(*member) for member in raw["members"]),
        findings=tuple(Finding(**finding) for finding in raw["findings"]),
        seed=raw["seed"],
    )


def _judge(raw: dict[str, Any]) -> JudgePlan:
    price = tuple(raw["price"]) if raw["price"] is not None else None
    return JudgePlan(**{**raw, "criteria": tuple(raw["criteria"]), "price": price})


def _cell(raw: dict[str, Any]) -> CellPlan:
    raw["gates"] = tuple(GateSpec(**gate) for gate in raw["gates"])
    for name in ("declared", "selected"):
        raw[name] = tuple(Presentation(*presentation) for presentation in raw[name])
    raw["location"] = tuple(raw["location"])
    return CellPlan(**raw)
