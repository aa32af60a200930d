"""Expected losses of the cells of a study, over the source's scenarios and those that are declared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.observations import EDGES
from pytest_judgeaudit.records.audits import Loss, StudyRisk
from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.stats.risk import ARM_RATES, ArmTasks, risk_agreement, risk_grid, source_grid

LEFT_OUT = (*EDGES, "unvalidated")
"""Strata that enter no risk: inputs without text, and equivalents that nobody validated (METHODS 2)."""

Arms = Mapping[str, Measured]
"""The cells of one judge and criterion, by arm."""


def risks(cells: Sequence[Measured], *, declared: Sequence[Loss] = ()) -> tuple[StudyRisk, ...]:
    """
    Compute the risk of each judge and criterion whose core copies and signal pairs were both evaluated.

    Rates are over scheduled units (RULES R5): of tasks for copies and certified equivalents, of calls for
    signal pairs. Cells on HOLD are left out (R31). Studies without such a cell have no entry.
    """
    return tuple(
        found for study, group in _studies(cells).items() if (found := _risk(study, group, declared))
    )


def _studies(cells: Sequence[Measured]) -> Mapping[str, Mapping[str, Arms]]:
    """Put the cells of each study together, by ``JUDGE/CRITERION``; several tests of one arm count none."""
    found: dict[str, dict[str, dict[str, Measured]]] = defaultdict(lambda: defaultdict(dict))
    doubled: set[tuple[str, str]] = set()
    for cell in cells:
        plan = cell.observed.plan
        if plan.judge is None or plan.arm not in ARM_RATES or plan.stratum in LEFT_OUT or plan.context:
            continue
        name = f"{plan.judge}/{plan.criterion}"
        if plan.arm in found[plan.study][name]:
            doubled.add((plan.study, name))
        found[plan.study][name][plan.arm] = cell
    return {
        study: {name: arms for name, arms in group.items() if (study, name) not in doubled}
        for study, group in found.items()
    }


def _risk(study: str, group: Mapping[str, Arms], declared: Sequence[Loss]) -> StudyRisk | None:
    left_out = {name: reason for name, arms in group.items() if (reason := _reason(arms))}
    kept = {name: arms for name, arms in group.items() if name not in left_out}
    if not kept:
        return None
    rates = {name: dict(_rates(arms)) for name, arms in kept.items()}
    named: list[tuple[str | None, dict[str, float]]] = [(None, losses) for losses in source_grid()]
    named += [(one.name, dict(one.losses)) for one in declared]
    certified = all("equivalent" in arms for arms in kept.values())
    usable = [(name, losses) for name, losses in named if certified or not losses.get("pi_e")]
    scenarios = [losses for _, losses in usable]
    return StudyRisk(
        study=study,
        cells=rates,
        left_out=left_out,
        scenarios=tuple(
            _scenario(name, found, agreement)
            for (name, _), found, agreement in zip(
                usable,
                risk_grid(rates, scenarios=scenarios),
                _agreement(kept, scenarios),
                strict=True,
            )
        ),
    )


def _scenario(name: str | None, found: Mapping[str, Any], agreement: float | None) -> Mapping[str, Any]:
    return {**({"name": name} if name else {}), **found, "agreement": agreement}


def _reason(arms: Arms) -> str | None:
    """Say why a judge and criterion has no risk; None where it has one."""
    for arm in ("clone", "signal"):
        if arm not in arms:
            return f"no {arm} cell"
        if arms[arm].state != "OK":
            return f"its {arm} cell is {arms[arm].state}"
    equivalent = arms.get("equivalent")
    return None if equivalent is None or equivalent.state == "OK" else "its equivalent cell is on HOLD"


def _rates(arms: Arms) -> Iterator[tuple[str, float]]:
    for arm, names in ARM_RATES.items():
        if arm in arms:
            rows = list(_rows(arms[arm]).values())
            for index, name in enumerate(names):
                yield name, sum(row[index] for row in rows) / len(rows)


def _rows(cell: Measured) -> dict[str, tuple[float, ...]]:
    """Return each task's share of what :data:`ARM_RATES` names for the cell's arm."""
    winners: dict[str, list[str | None]] = defaultdict(list)
    for (task, _, _), trial in cell.observed.trials.items():
        winners[task].append(trial.winner)
    if cell.observed.plan.arm != "signal":
        return {task: _null(found) for task, found in winners.items()}
    return {task: _signal(found, cell.observed.tasks[task].target) for task, found in winners.items()}


def _null(winners: Sequence[str | None]) -> tuple[float, ...]:
    """Return whether a copy or an equivalent met a valid preference, and, if not, an invalid output."""
    swayed = any(winner in {"first", "second"} for winner in winners)
    return float(swayed), float(not swayed and "invalid" in winners)


def _signal(winners: Sequence[str | None], target: str | None) -> tuple[float, ...]:
    ties, invalid = winners.count("tie"), winners.count("invalid")
    wrong = len(winners) - ties - invalid - winners.count(target)
    return wrong / len(winners), ties / len(winners), invalid / len(winners)


def _agreement(
    kept: Mapping[str, Arms], scenarios: Sequence[Mapping[str, float]]
) -> Sequence[float | None]:
    """Return the agreement of each scenario; None where the cells were not shown the same tasks."""
    arms: dict[str, ArmTasks] = {}
    for arm in ARM_RATES:
        if not all(arm in found for found in kept.values()):
            continue
        tables = [_rows(found[arm]) for found in kept.values()]
        if any(table.keys() != tables[0].keys() for table in tables):
            return [None] * len(scenarios)
        tasks = next(iter(kept.values()))[arm].observed.tasks
        strata: dict[str, list[list[float]]] = defaultdict(list)
        for task in tables[0]:
            row = [rate for table in tables for rate in table[task]]
            strata[tasks[task].subset or NO_SUBSET].append(row)
        arms[arm] = strata
    return risk_agreement(arms, list(kept), scenarios=scenarios)
