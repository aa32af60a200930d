"""The controlled ladder: how large a difference in quality must be before a judge sees it (METHODS 2)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import fsum

from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.numbers import counted, rate
from pytest_judgeaudit.records.audits import Ladder
from pytest_judgeaudit.stats.limits import at_least

THRESHOLD = 0.75
_GAP = re.compile(r"gap ([1-9]\d?)")
_LEVEL = re.compile(r"level \d{1,2}")
LENGTH = "length is kept within a few per cent, but its direction is not orthogonal to quality"


def ladders(cells: Sequence[Measured]) -> tuple[Ladder, ...]:
    """
    Read the signal cells whose subsets are all ``gap 1``, ``gap 2``, …: each is a ladder.

    The pairs of one level, subsets ``level 0``, ``level 1``, …, of the same study, judge and criterion
    give the raw false preference rate. Cells on HOLD or run in part have no ladder.
    """
    flat = {_place(cell): cell for cell in cells if _is(cell, "equivalent", _LEVEL)}
    return tuple(_ladder(cell, flat.get(_place(cell))) for cell in cells if _is(cell, "signal", _GAP))


def _place(cell: Measured) -> tuple[str, str | None, str | None]:
    plan = cell.observed.plan
    return plan.study, plan.judge, plan.criterion


def _is(cell: Measured, arm: str, subset: re.Pattern[str]) -> bool:
    tasks = cell.observed.tasks
    return (
        cell.state == "OK"
        and not cell.observed.plan.context
        and cell.observed.plan.arm == arm
        and bool(tasks)
        and all(subset.fullmatch(task.subset or "") for task in tasks.values())
    )


def _ladder(cell: Measured, flat: Measured | None) -> Ladder:
    success = dict(_success(cell))
    seen = next((gap for gap, share in sorted(success.items()) if at_least(share, THRESHOLD)), None)
    first = min(success)
    smallest = "none" if seen is None else f"<={seen}" if seen == first else str(seen)
    patterns = {} if flat is None or flat.tally is None else dict(flat.tally.patterns)
    plan = cell.observed.plan
    return Ladder(
        study=plan.study,
        eval=plan.eval,
        judge=plan.judge or "",
        criterion=plan.criterion,
        success={str(gap): share for gap, share in sorted(success.items())},
        pairs={str(gap): count for gap, count in sorted(_pairs(cell).items())},
        smallest_gap=smallest,
        false_preference=_false_preference(patterns),
        patterns=patterns,
        statement=_statement(success, smallest),
    )


def _success(cell: Measured) -> Iterator[tuple[int, float]]:
    """Yield each gap with the share of calls that prefer the higher level; ties are misses."""
    calls: dict[int, list[bool]] = defaultdict(list)
    for trial in cell.observed.trials.values():
        task = cell.observed.tasks[trial.task]
        calls[_gap(task.subset)].append(trial.outcome == "success" and trial.winner == task.target)
    for gap, right in calls.items():
        yield gap, fsum(right) / len(right)


def _pairs(cell: Measured) -> Mapping[int, int]:
    found: dict[int, int] = defaultdict(int)
    for name in {presentation.task for presentation in cell.observed.scheduled}:
        found[_gap(cell.observed.tasks[name].subset)] += 1
    return found


def _gap(subset: str) -> int:
    return int(subset.rpartition(" ")[2])


def _false_preference(patterns: Mapping[str, int]) -> float | None:
    """Return the share of calls on pairs of one level that are no tie, over pairs with two valid calls."""
    valid = sum(patterns.get(name, 0) for name in ("tie", "stable", "position", "one_sided"))
    if not valid:
        return None
    return (patterns["stable"] + patterns["position"] + patterns["one_sided"] / 2) / valid


def _statement(success: Mapping[int, float], smallest: str) -> str:
    shown = ", ".join(f"{rate(share)} at {gap}" for gap, share in sorted(success.items()))
    seen = {"none": f"no tested gap reaches {rate(THRESHOLD)}"}.get(
        smallest, f"the smallest gap of {rate(THRESHOLD)} is {smallest}"
    )
    return f"right calls by gap of {counted(len(success), 'gap')}: {shown}; {seen}; {LENGTH}"
