"""One run against an earlier one: paired by task, tested exactly, with the tasks that flipped (R28)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import fsum
from typing import Any, NamedTuple

from pytest_judgeaudit.audit.numbers import counted, p_value, some
from pytest_judgeaudit.records.audits import Audit, Cell, Contrast, Flip
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.stats.randomization import mcnemar_p, randomization_p

Report = Mapping[str, Any]
"""An earlier audit as its JSON report holds it."""

Scores = Mapping[str, float]
"""By task, the share of its calls that succeeded."""

EXCHANGEABLE = "exchangeability assumed"
TWO_INSTRUMENTS = "two instruments"
NAMED = ("requested", "served", "api", "kind", "family", "state")
"""What of a configuration or an agent is named where it differs."""
MODEL = ("requested", "served")
"""What makes a judge another instrument: the difference of two runs is then the judges' as well."""


def against(audit: Audit, earlier: Report) -> tuple[Contrast, ...]:
    """
    Compare each cell with the same one of an earlier report, on the tasks that both hold.

    Scores of 0 and 1 only: McNemar's exact test; others: all sign flips of the tasks' differences. Both
    assume that the two runs are exchangeable within a task. Nothing is tested where the judges were other
    models: the difference is then named, and no p. No cell that was not evaluated is compared.
    """
    before, now = _scores(earlier["trials"]), _scores(audit.trials)
    cells = {cell["id"]: cell for cell in earlier["cells"]}
    changes = _Changes(audit, earlier)
    return tuple(
        _compared(cell, cells[cell.id], now.get(cell.id, {}), before.get(cell.id, {}), changes.of(cell))
        for cell in audit.cells
        if cell.id in cells and (cell.judge is not None or cell.agent)
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


class _Changed(NamedTuple):
    """What of a cell's configuration differs between two runs, and whether other models judged it."""

    told: tuple[str, ...]
    instrument: bool


class _Changes:
    """What differs between the judges and agents of two runs."""

    def __init__(self, audit: Audit, earlier: Report) -> None:
        before = {(one["study"], one["judge"]): one for one in earlier["configurations"]}
        self._judges = {
            (one.study, one.judge): dict(_differences(asdict(one), before.get((one.study, one.judge), {})))
            for one in audit.configurations
        }
        agents = {(one["study"], one["agent"]): one for one in earlier.get("agents", ())}
        self._agents = {
            (one.study, one.agent): dict(_differences(asdict(one), agents.get((one.study, one.agent), {})))
            for one in audit.agents
        }
        self._rows = audit.grades

    def of(self, cell: Cell) -> _Changed:
        """Return what differs for a cell: of its judge, or of the judges of its answers and its agent."""
        if not cell.agent:
            found = self._judges.get((cell.study, cell.judge or ""), {})
            told = [f"{name}: {what}" for name, what in found.items()]
            return _Changed(tuple(told), not found.keys().isdisjoint(MODEL))
        judges = {name: self._judges.get((cell.study, name), {}) for name in self._judges_of(cell)}
        parts = [*judges.items(), (cell.agent, self._agents.get((cell.study, cell.agent), {}))]
        told = [f"{who} {name}: {what}" for who, found in parts for name, what in found.items()]
        other = any(not found.keys().isdisjoint(MODEL) for found in judges.values())
        return _Changed(tuple(told), other)

    def _judges_of(self, cell: Cell) -> Iterable[str]:
        own = [row for row in self._rows if (row.agent, row.arm) == (cell.agent, cell.arm)]
        return dict.fromkeys(
            judge
            for row in own
            if row.eval.partition("[")[0] == cell.eval
            for judge in (*row.checks, *row.scores)
        )


def _differences(now: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what differs by name, as a text; of an agent its tools as well, before any score."""
    # How often each model answered follows from the number of calls.
    sides = [{**{name: one.get(name) for name in NAMED}, **_counted(one)} for one in (before, now)]
    for name, old in sides[0].items():
        new = sides[1][name]
        if old != new:
            yield name, f"{old or 'nothing'} → {new or 'nothing'}"


def _counted(one: Mapping[str, Any]) -> Mapping[str, str]:
    return {"served": ", ".join(sorted(one.get("served") or {})), "tools": _tools(one.get("tool_calls"))}


def _tools(counts: Mapping[str, int] | None) -> str:
    return ", ".join(f"{times} {tool}" for tool, times in sorted((counts or {}).items()))


def _compared(
    cell: Cell,
    other: Mapping[str, Any],
    now: Scores,
    before: Scores,
    changed: _Changed,
) -> Contrast:
    shared = [task for task in now if task in before]
    state = next((found for found in (cell.state, other["state"]) if found != "OK"), None)
    usable = state is None and bool(shared)
    differences = [now[task] - before[task] for task in shared] if usable else []
    p = _p(now, before, shared) if usable and not changed.instrument else None
    tested = TWO_INSTRUMENTS if changed.instrument else EXCHANGEABLE
    flips = _flips(now, before, shared) if usable else ()
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
        reason=tested if usable else state or "no task in common",
        flipped=flips,
        changed=changed.told,
        agent=cell.agent or "",
        statement=_statement(difference, shared, flips, p, alone=len(now.keys() ^ before.keys())),
    )


def _flips(now: Scores, before: Scores, shared: Sequence[str]) -> tuple[Flip, ...]:
    return tuple(
        Flip(task=task, before=before[task], after=now[task])
        for task in shared
        if now[task] != before[task]
    )


def _p(now: Scores, before: Scores, shared: Sequence[str]) -> float:
    if all(score in {0.0, 1.0} for task in shared for score in (now[task], before[task])):
        lost = sum(before[task] > now[task] for task in shared)
        return mcnemar_p(lost, sum(now[task] > before[task] for task in shared))
    return randomization_p([now[task] - before[task] for task in shared])


def _statement(
    difference: float | None, shared: Sequence[str], flips: Sequence[Flip], p: float | None, *, alone: int
) -> str:
    if difference is None:
        return "not compared with the baseline"
    apart = f"; {counted(alone, 'task')} in one of the runs only" if alone else ""
    if not flips:
        return f"no task of {len(shared)} flipped{apart}"
    return (
        f"success {difference:+.4f} over {counted(len(shared), 'task')}, {len(flips)} flipped: "
        f"{some(flip.task for flip in flips)}; {_tested(p)}; "
        f"noise floor not measured{apart}"
    )


def _tested(p: float | None) -> str:
    if p is None:
        return f"{TWO_INSTRUMENTS} judged, and nothing tells their difference from that of the runs"
    return f"{p_value(p)} ({EXCHANGEABLE})"
