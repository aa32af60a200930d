"""Differences between criteria and between orders, on the same tasks (METHODS 2, RULES R12–R15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.audit.observations import EDGES, PAIRED_ARMS
from pytest_judgeaudit.audit.tallies import NULL_ARMS
from pytest_judgeaudit.records.audits import Contrast
from pytest_judgeaudit.records.trials import Trial

NOT_RANDOMIZED = "schedule not randomized"
BASE = "neutral"
"""The criterion that others are compared with, where a judge has it; else its first."""

Shares = Mapping[str, Mapping[str, float]]
"""By task and order, the share of calls that are what is counted."""

Group = Mapping[str, Measured]
"""The cells of one judge, test and arm, by criterion."""


def contrasts(cells: Sequence[Measured]) -> tuple[Contrast, ...]:
    """
    Compare the criteria and the orders of every judge that is shown the same tasks under both.

    Differences alone: a p is for a schedule that was randomised and stored, and none is yet.
    """
    return tuple(found for group in _groups(cells) for found in _contrasts(group))


def _groups(cells: Sequence[Measured]) -> Iterator[Group]:
    groups: dict[tuple[object, ...], dict[str, Measured]] = defaultdict(dict)
    for cell in cells:
        plan = cell.observed.plan
        paired = plan.judge is not None and plan.arm in PAIRED_ARMS and not plan.context
        if paired and plan.stratum not in EDGES:
            place = (plan.study, plan.eval, plan.variant, plan.judge, plan.arm, plan.stratum)
            groups[place][plan.criterion or ""] = cell
    yield from groups.values()


class Side(NamedTuple):
    """One cell, and what is counted in it: None where nothing may be estimated."""

    cell: Measured
    shares: Shares | None

    @property
    def criterion(self) -> str:
        """The cell's criterion, "" where it has none."""
        return self.cell.observed.plan.criterion or ""


def _contrasts(group: Group) -> Iterator[Contrast]:
    base = BASE if BASE in group else next(iter(group))
    arm = group[base].observed.plan.arm
    for of in ("adverse", "tie") if arm in NULL_ARMS else ("utility", "tie"):
        sides = {name: Side(cell, _shares(cell, of)) for name, cell in group.items()}
        others = [side for name, side in sides.items() if name != base]
        both = {name for name, side in sides.items() if len(_orders(side.cell)) == 2}
        yield from (_criterion(other, sides[base], of) for other in others)
        yield from (_order(side, of) for name, side in sides.items() if name in both)
        if base in both:
            yield from (_interaction(o, sides[base], of) for o in others if o.criterion in both)


def _criterion(other: Side, base: Side, of: str) -> Contrast:
    kind = "clone-criterion" if other.cell.observed.plan.arm == "clone" else "criterion"
    shares = _matched(other, base)
    found = None if shares is None else _mean(shares[0]) - _mean(shares[1])
    return _contrast((other, base), kind, of, (other.criterion, base.criterion), found)


def _order(side: Side, of: str) -> Contrast:
    shares = side.shares
    found = None if shares is None else _mean(shares, "BA") - _mean(shares, "AB")
    return _contrast((side,), "order", of, ("BA", "AB"), found)


def _interaction(other: Side, base: Side, of: str) -> Contrast:
    """Return (other − base) in BA minus (other − base) in AB, not halved."""
    shares, found = _matched(other, base), None
    if shares is not None:
        late, early = (_mean(shares[0], order) - _mean(shares[1], order) for order in ("BA", "AB"))
        found = late - early
    minus = f"{other.criterion} − {base.criterion}"
    return _contrast((other, base), "interaction", of, (f"({minus}) BA", f"({minus}) AB"), found)


def _matched(other: Side, base: Side) -> tuple[Shares, Shares] | None:
    first, second = other.shares, base.shares
    if first is None or second is None or first.keys() != second.keys():
        return None
    return first, second


def _shares(cell: Measured, of: str) -> Shares | None:
    """Return what is counted of each task and order; None where nothing may be estimated."""
    if cell.state != "OK":
        return None
    counts = _counting(cell, of)
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (task, order, _), trial in cell.observed.trials.items():
        found[task][order].append(counts(trial))
    return {
        task: {order: fsum(calls) / len(calls) for order, calls in orders.items()}
        for task, orders in found.items()
    }


def _counting(cell: Measured, of: str) -> Callable[[Trial], float]:
    if of == "tie":
        return lambda trial: float(trial.winner == "tie")
    if of == "adverse":
        return lambda trial: float(trial.winner != "tie" or trial.outcome != "success")
    tasks = cell.observed.tasks
    return lambda trial: float(trial.outcome == "success" and trial.winner == tasks[trial.task].target)


def _mean(shares: Shares, order: str | None = None) -> float:
    """Return the mean over tasks, of one order or of the mean over a task's orders."""
    if order is not None:
        return fsum(orders[order] for orders in shares.values()) / len(shares)
    return fsum(fsum(orders.values()) / len(orders) for orders in shares.values()) / len(shares)


def _orders(cell: Measured) -> set[str]:
    return {presentation.order for presentation in cell.observed.scheduled}


def _contrast(
    sides: Sequence[Side], kind: str, of: str, names: tuple[str, str], difference: float | None
) -> Contrast:
    plan, tasks = sides[0].cell.observed.plan, sides[0].cell.record.tasks
    minuend, subtrahend = names
    held = [side.cell.state for side in sides if side.cell.state != "OK"]
    reason = NOT_RANDOMIZED
    if difference is None:
        reason = held[0] if held else "the task sets differ"
    family = kind if kind.endswith("criterion") else "order, interaction"
    return Contrast(
        study=plan.study,
        eval=plan.eval,
        judge=plan.judge or "",
        criterion=plan.criterion if len(sides) == 1 else None,
        arm=plan.arm,
        kind=kind,
        of=of,
        minuend=minuend,
        subtrahend=subtrahend,
        difference=difference,
        tasks=tasks,
        family=family,
        reason=reason,
        statement=_statement(of, names, difference, tasks, reason),
    )


def _statement(of: str, names: tuple[str, str], difference: float | None, tasks: int, reason: str) -> str:
    what = {"utility": "mean task utility", "tie": "share of ties", "adverse": "adverse share"}[of]
    minus = " − ".join(names)
    if difference is None:
        return f"{what}, {minus}: not compared ({reason})"
    return (
        f"{what}, {minus}: {difference:+.4f} over {counted(tasks, 'task')}; a difference of these calls as "
        f"they were made ({reason}: no p), which does not identify its cause"
    )
