"""Makers of plans and trials: what a session would have collected and observed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from pytest_judgeaudit.audit.auditing import audit
from pytest_judgeaudit.audit.names import family_name, gate_id
from pytest_judgeaudit.records.audits import Answers, Audit, Protocol
from pytest_judgeaudit.records.plans import (
    CellPlan,
    FamilyMember,
    GateSpec,
    JudgePlan,
    Plan,
    Presentation,
    Task,
)
from pytest_judgeaudit.records.trials import Trial

MODULE = "evals/test_study.py"
SUBSETS = ("Factuality", "Focus", "Math", "PreciseIF", "Safety", "Ties")
CLONE = GateSpec(kind="clone_gate", upper=0.05)
UTILITY = GateSpec(kind="utility_gate", lower=0.75)
RATE = GateSpec(kind="rate_gate", lower=0.75)
LABELLED = ("good", "bad", "blank", "repeated")
ORDERS = dict.fromkeys(("clone", "all", *LABELLED), ("AB",))
TESTS = {"clone": "test_copies", "equivalent": "test_equivalents", "signal": "test_better"}


def tasks(
    count: int, *, prefix: str = "t", subsets: Sequence[str] = ("one",), **known: Any
) -> dict[str, Task]:
    """So many tasks, their subsets in blocks of equal size."""
    return {
        f"{prefix}{i:03d}": Task(
            id=f"{prefix}{i:03d}",
            subset=subsets[i * len(subsets) // count],
            **{"target": "first", **known},
        )
        for i in range(count)
    }


def cell(arm: str, names: Iterable[str], **changes: Any) -> CellPlan:
    """A cell that schedules these tasks in the arm's orders, all of them selected unless said otherwise."""
    orders = changes.pop("orders", ORDERS.get(arm, ("AB", "BA")))
    replicates = range(1, changes.pop("replicates", 1) + 1)
    declared = tuple(Presentation(name, o, r) for name in names for o in orders for r in replicates)
    test = changes.pop("test", TESTS.get(arm, "test_any"))
    values: dict[str, Any] = {
        "eval": f"{MODULE}::{test}",
        "variant": "",
        "study": MODULE,
        "judge": "qwen",
        "criterion": "neutral",
        "arm": arm,
        "stratum": "core" if arm == "clone" else None,
        "gates": {"clone": (CLONE,), "signal": (UTILITY,)}.get(arm, ()),
        "declared": declared,
        "selected": declared,
        "location": (MODULE, 3),
        **changes,
    }
    seat = f"{values['judge']}-{values['criterion']}" if values["judge"] else "all"
    variant = f"[{values['variant']}]" if values["variant"] else ""
    edge = f"::{values['stratum']}" if values["stratum"] else ""
    return CellPlan(**{"id": f"{values['eval']}{variant}::{seat}::{arm}{edge}", **values})


def judge(name: str = "qwen", **changes: Any) -> JudgePlan:
    """A judge that answers in the process, unless its identity is another."""
    apis = {"served": "openai", "log": "recorded", "undeclared log": "recorded"}
    api = apis.get(changes.get("identity", ""), "embedded")
    values = {"family": name, "api": api, "requested": name, "expect": "certified"}
    return JudgePlan(**{"name": name, "identity": "construction", **values, **changes})


def plan(
    cells: Sequence[CellPlan],
    known: Mapping[str, Task],
    *,
    judges: Sequence[JudgePlan] = (),
    **changes: Any,
) -> Plan:
    """A plan of these cells; its families are those of the clone gates that it holds."""
    names = dict.fromkeys(c.judge for c in cells if c.judge)
    judges = judges or [judge(name) for name in names]
    values: dict[str, Any] = {
        "cells": tuple(cells),
        "judges": tuple(judges),
        "tasks": {c.eval: known for c in cells},
        "members": tuple(members(cells, judges)),
        **changes,
    }
    return Plan(**values)


def members(cells: Iterable[CellPlan], judges: Iterable[JudgePlan]) -> Iterable[FamilyMember]:
    """The members of the Holm families that these cells declare."""
    expects = {one.name: one.expect for one in judges}
    for one in cells:
        for gate in one.gates:
            if gate.kind == "clone_gate" and gate.adjust == "holm":
                family = family_name(one.study, gate.family, expects.get(one.judge, "certified"))
                yield FamilyMember(one.study, family, gate_id(one, gate.kind))


def trials(planned: CellPlan, winners: Sequence[str], **changes: Any) -> list[Trial]:
    """One trial a presentation with these winners; the assertion agrees with what the arm wants."""
    wanted = {"signal": "first", "good": "accept", "bad": "reject", "blank": "reject"}.get(
        planned.arm, "tie"
    )
    return [
        trial(
            planned, presentation, winner, outcome="success" if winner == wanted else "adverse", **changes
        )
        for presentation, winner in zip(planned.selected, winners, strict=True)
    ]


def trial(planned: CellPlan, presentation: Presentation, winner: str | None, **changes: Any) -> Trial:
    """One trial."""
    values = {
        "outcome": "success",
        "answer": "direct",
        "digest": "0" * 16,
        "reason": "the output is no verdict" if winner == "invalid" else None,
        **changes,
    }
    task, order, replicate = presentation
    return Trial(cell=planned.id, task=task, order=order, replicate=replicate, winner=winner, **values)


def copies(planned: CellPlan, *, adverse: int = 0, invalid: int = 0, **changes: Any) -> list[Trial]:
    """Trials of copies: so many non-ties, then so many invalid ones, then ties."""
    rest = len(planned.selected) - adverse - invalid
    return trials(planned, ["first"] * adverse + ["invalid"] * invalid + ["tie"] * rest, **changes)


def scored(
    planned: CellPlan, halves: Iterable[int], *, miss: str = "second", **changes: Any
) -> list[Trial]:
    """Trials of signal pairs in two orders: per task the number of orders that are right; AB first."""
    winners = {0: (miss, miss), 1: ("first", miss), 2: ("first", "first")}
    return trials(planned, list(chain.from_iterable(winners[right] for right in halves)), **changes)


def halves(strata: Iterable[tuple[int, int, int]]) -> list[int]:
    """Per task the number of right orders, from the tasks with score 0, 1/2 and 1 in each stratum."""
    return [right for counts in strata for right, count in enumerate(counts) for _ in range(count)]


def strata_tasks(strata: Sequence[tuple[int, int, int]], names: Sequence[str] = SUBSETS) -> dict[str, Task]:
    """Tasks in subsets of these sizes."""
    subsets = [name for name, counts in zip(names, strata, strict=False) for _ in range(sum(counts))]
    return {f"t{i:03d}": Task(id=f"t{i:03d}", subset=s, target="first") for i, s in enumerate(subsets)}


def run(planned: Plan, observed: Iterable[Trial], **options: Any) -> Audit:
    """Analyse; served names are compared as they are written."""
    values = {
        "answers": Answers(),
        "protocol": Protocol(sha256="0" * 64),
        "same_model": lambda requested, served: requested == served,
        **options,
    }
    return audit(planned, list(observed), **values)
