"""One run against an earlier one: paired by task, tested exactly, with the tasks that flipped (R28)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import fsum
from typing import Any

from pytest_judgeaudit.audit.numbers import counted, p_value, some
from pytest_judgeaudit.records.audits import Audit, Cell, Contrast, Flip
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.stats.randomization import mcnemar_p, randomization_p

Report = Mapping[str, Any]
"""An earlier audit as its JSON report holds it."""

Scores = Mapping[str, float]
"""By task, the share of its calls that succeeded."""

EXCHANGEABLE = "exchangeability assumed"
NAMED = ("requested", "served", "api", "family", "state")
"""What of a configuration is named where it differs."""


def against(audit: Audit, earlier: Report) -> tuple[Contrast, ...]:
    """
    Compare each cell with the same one of an earlier report, on the tasks that both hold.

    Scores of 0 and 1 only: McNemar's exact test; others: all sign flips of the tasks' differences. Both
    assume that the two runs are exchangeable within a task. No cell that was not evaluated is compared.
    """
    before, now = _scores(earlier["trials"]), _scores(audit.trials)
    cells = {cell["id"]: cell for cell in earlier["cells"]}
    changed = _changed(audit, earlier)
    return tuple(
        _compared(cell, cells[cell.id], now.get(cell.id, {}), before.get(cell.id, {}), changed)
        for cell in audit.cells
        if cell.id in cells and cell.judge is not None
    )


def unmatched(audit: Audit, earlier: Report, *, name: str) -> Iterator[Finding]:
    """Find the cells that only one of the two runs holds."""
    here, there = {cell.id for cell in audit.cells}, {cell["id"] for cell in earlier["cells"]}
    for which, left in (("this run", sorted(here - there)), (name, sorted(there - here))):
        if left:
            yield Finding(
                code="baseline-cells",
                where=name,
                symptom=f"{counted(len(left), 'cell')} only in {which}: {some(left, shown=2)}",
                check="whether an eval, a judge or a criterion was renamed; they are not compared",
            )


def _scores(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Scores]:
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        found[row["cell"]][row["task"]].append(row["outcome"] == "success")
    return {
        cell: {task: fsum(right) / len(right) for task, right in tasks.items()}
        for cell, tasks in found.items()
    }


def _changed(audit: Audit, earlier: Report) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Name what differs between the configurations of both runs, by study and judge."""
    before = {(one["study"], one["judge"]): one for one in earlier["configurations"]}
    return {
        (one.study, one.judge): tuple(_differences(asdict(one), before.get((one.study, one.judge), {})))
        for one in audit.configurations
    }


def _differences(now: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    for name in NAMED:
        old, new = before.get(name), now[name]
        if name == "served":
            # How often each answered follows from the number of calls.
            old, new = ", ".join(sorted(old or {})), ", ".join(sorted(new))
        if old != new:
            yield f"{name}: {old or 'nothing'} → {new or 'nothing'}"


def _compared(
    cell: Cell,
    other: Mapping[str, Any],
    now: Scores,
    before: Scores,
    changed: Mapping[tuple[str, str], tuple[str, ...]],
) -> Contrast:
    shared = [task for task in now if task in before]
    state = next((found for found in (cell.state, other["state"]) if found != "OK"), None)
    usable = state is None and bool(shared)
    differences = [now[task] - before[task] for task in shared] if usable else []
    p = _p(now, before, shared) if usable else None
    flips = tuple(
        Flip(task=task, before=before[task], after=now[task])
        for task, difference in zip(shared, differences, strict=False)
        if difference
    )
    difference = fsum(differences) / len(differences) if usable else None
    return Contrast(
        study=cell.study,
        eval=cell.eval,
        judge=cell.judge or "",
        criterion=cell.criterion,
        arm=cell.arm,
        kind="baseline",
        of="success",
        minuend="this run",
        subtrahend="baseline",
        difference=difference,
        tasks=len(shared),
        family="baseline",
        p=p,
        reason=EXCHANGEABLE if usable else state or "no task in common",
        flipped=flips,
        changed=changed.get((cell.study, cell.judge or ""), ()),
        statement=_statement(difference, shared, flips, p, alone=len(now.keys() ^ before.keys())),
    )


def _p(now: Scores, before: Scores, shared: Sequence[str]) -> float:
    if all(score in {0.0, 1.0} for task in shared for score in (now[task], before[task])):
        lost = sum(before[task] > now[task] for task in shared)
        return mcnemar_p(lost, sum(now[task] > before[task] for task in shared))
    return randomization_p([now[task] - before[task] for task in shared])


def _statement(
    difference: float | None, shared: Sequence[str], flips: Sequence[Flip], p: float | None, *, alone: int
) -> str:
    if difference is None or p is None:
        return "not compared with the baseline"
    apart = f"; {counted(alone, 'task')} in one of the runs only" if alone else ""
    if not flips:
        return f"no task of {len(shared)} flipped{apart}"
    return (
        f"success {difference:+.4f} over {counted(len(shared), 'task')}, {len(flips)} flipped: "
        f"{some(flip.task for flip in flips)}; {p_value(p)} ({EXCHANGEABLE}); "
        f"noise floor not measured{apart}"
    )
