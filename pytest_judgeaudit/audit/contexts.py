"""Context audits: the same comparisons with and without a displayed third candidate (METHODS 2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.audits import ContextEffect
from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.stats.context import context_audit

CONTEXTS = ("absent", "present")


def context_effects(cells: Sequence[Measured]) -> tuple[ContextEffect, ...]:
    """
    Lay the two contexts of each judge, criterion and arm beside each other.

    Tasks are resampled within their family, or their subset where they name none. Descriptive: no test.
    """
    groups: dict[tuple[object, ...], dict[str, Measured]] = defaultdict(dict)
    for cell in cells:
        plan = cell.observed.plan
        if plan.context:
            place = (plan.study, plan.eval, plan.variant, plan.judge, plan.criterion, plan.stratum)
            groups[place][plan.context] = cell
    return tuple(_effect(group) for group in groups.values())


def _effect(group: Mapping[str, Measured]) -> ContextEffect:
    some = next(iter(group.values()))
    plan = some.observed.plan
    names = list(dict.fromkeys(presentation.task for presentation in some.observed.scheduled))
    reason = _reason(group)
    what = f"present − absent over {counted(len(names), 'task')}"
    bare = ContextEffect(
        study=plan.study,
        eval=plan.eval,
        judge=plan.judge or "",
        criterion=plan.criterion,
        arm=plan.arm,
        tasks=len(names),
        families=len({_family(some, name) for name in names}),
        reason=reason,
        statement=f"{what}: not compared ({reason})",
    )
    return bare if reason else _measured(bare, group, names, what)


def _measured(
    bare: ContextEffect, group: Mapping[str, Measured], names: Sequence[str], what: str
) -> ContextEffect:
    without, beside = (_success(group[context]) for context in CONTEXTS)
    cell = group["absent"]
    found = context_audit([(_family(cell, name), without[name], beside[name]) for name in names])
    adverse = tuple(_adverse(group, names))
    low, high = found["interval"]
    return replace(
        bare,
        adverse=len(adverse),
        adverse_tasks=adverse,
        absent=found["absent"],
        present=found["present"],
        difference=found["difference"],
        interval=found["interval"],
        statement=(
            f"{what}: {found['difference']:+.4f} [{low:+.4f}, {high:+.4f}]; "
            f"{counted(len(adverse), 'adverse task')}; descriptive, for these families: an interval "
            "without width says that outcomes were constant, not that the judge is invariant"
        ),
    )


def _family(cell: Measured, name: str) -> str:
    task = cell.observed.task(name)
    return task.family or task.subset or NO_SUBSET


def _reason(group: Mapping[str, Measured]) -> str:
    """Say why the contexts cannot be compared; "" where they can."""
    held = [cell.state for cell in group.values() if cell.state != "OK"]
    if held:
        return held[0]
    if set(group) != set(CONTEXTS):
        return "one context was not run"
    absent, present = (set(group[context].observed.trials) for context in CONTEXTS)
    return "" if absent == present else "the task sets differ"


def _success(cell: Measured) -> dict[str, float]:
    """Return the share of each task's calls that are what the arm wants: the mean over its orders."""
    tasks = cell.tally.tasks if cell.tally else {}
    return {name: task.correct / task.calls for name, task in tasks.items()}


def _adverse(group: Mapping[str, Measured], names: Sequence[str]) -> Iterator[str]:
    """Yield the tasks whose winner changes with the context in any order, or that met invalid output."""
    without, beside = (group[context].observed.trials for context in CONTEXTS)
    moved = {
        presentation.task
        for presentation, trial in without.items()
        if trial.winner != beside[presentation].winner or trial.winner == "invalid"
    }
    yield from (name for name in names if name in moved)
