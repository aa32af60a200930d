"""What is estimated from the outcomes of a complete cell, by arm (METHODS 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any

from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.audit.tallies import Tally, TaskTally
from pytest_judgeaudit.audit.utility import Utility, few_clusters
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.plans import GateSpec
from pytest_judgeaudit.stats.bounds import clopper_pearson_lower, clopper_pearson_upper

Estimates = Mapping[str, Any]
"""Values for the fields of a Cell."""


def estimates(cell: Observed, tally: Tally, *, useful: Utility | None, clone_gate: GateSpec) -> Estimates:
    """Return what may be said of a complete cell; edge strata have counts only (RULES R6)."""
    if cell.edge:
        return {}
    if cell.plan.arm == "clone":
        return _clone(tally, clone_gate)
    if cell.plan.arm == "equivalent":
        return _equivalent(tally)
    if cell.plan.arm in LABELLED_ARMS:
        return _labelled(cell, tally)
    return _rate(cell, tally) if useful is None else _signal(tally, useful)


def _clone(tally: Tally, gate: GateSpec) -> Estimates:
    n, adverse = len(tally.tasks), tally.adverse_tasks
    return {
        "estimate": adverse / n,
        "dc": sum(task.swayed for task in tally.tasks.values()) / n,
        "upper": clopper_pearson_upper(adverse, n, confidence=gate.confidence),
        "warnings": ("few-clusters",) if few_clusters(tally) else (),
        "subsets": _subsets(tally, _adverse_share),
    }


def _equivalent(tally: Tally) -> Estimates:
    return {
        "estimate": tally.adverse_tasks / len(tally.tasks),
        "by_order": _by_order(tally),
        "patterns": tally.patterns,
        "subsets": _subsets(tally, _adverse_share),
    }


def _signal(tally: Tally, useful: Utility) -> Estimates:
    warnings = (*useful.warnings, "few-clusters") if few_clusters(tally) else useful.warnings
    return {
        "estimate": useful.estimate,
        "macro": useful.macro,
        "weighted": useful.weighted,
        "lower": useful.lower,
        "lower_checked": useful.checked,
        "lower_exact": useful.exact,
        "interval": useful.interval,
        "warnings": warnings,
        "by_order": _by_order(tally),
        "patterns": tally.patterns,
        "subsets": _subsets(tally, _mean_utility),
    }


def _labelled(cell: Observed, tally: Tally) -> Estimates:
    """Return the rate of errors, with an upper bound: at the gate's confidence where there is a gate."""
    n, adverse = len(tally.tasks), tally.adverse_tasks
    levels = [gate.confidence for gate in cell.plan.gates if gate.kind == "rate_gate"]
    return {
        "estimate": adverse / n,
        "upper": clopper_pearson_upper(adverse, n, confidence=levels[0] if levels else 0.95),
        "warnings": ("few-clusters",) if few_clusters(tally) else (),
        "subsets": _subsets(tally, _adverse_share),
    }


def _rate(cell: Observed, tally: Tally) -> Estimates:
    """Return the success rate of any other test, with the bound of its rate gate (RULES R20)."""
    n, successes = len(tally.tasks), tally.successes
    found: dict[str, Any] = {"estimate": successes / n}
    for gate in cell.plan.gates:
        if gate.kind == "rate_gate":
            found["lower" if gate.upper is None else "upper"] = rate_bound(gate, successes, n)
    return found


def rate_bound(gate: GateSpec, successes: int, n: int) -> float:
    """Bound a success rate on the side on which the gate sets its threshold."""
    if gate.upper is None:
        return clopper_pearson_lower(successes, n, confidence=gate.confidence)
    return clopper_pearson_upper(successes, n, confidence=gate.confidence)


def _by_order(tally: Tally) -> dict[str, float]:
    return {order: right / calls for order, (right, calls) in tally.by_order.items()}


def _subsets(
    tally: Tally, estimate: Callable[[Iterable[TaskTally]], float]
) -> tuple[Mapping[str, Any], ...]:
    groups: dict[str, list[TaskTally]] = {}
    for task in tally.tasks.values():
        groups.setdefault(task.subset, []).append(task)
    return tuple(
        {
            "name": name,
            "tasks": len(tasks),
            "calls": sum(task.calls for task in tasks),
            "aligned": sum(task.correct for task in tasks),
            "estimate": estimate(tasks),
        }
        for name, tasks in groups.items()
    )


def _adverse_share(tasks: Iterable[TaskTally]) -> float:
    return fmean(task.correct < task.calls for task in tasks)


def _mean_utility(tasks: Iterable[TaskTally]) -> float:
    return fmean(task.correct / task.calls for task in tasks)
