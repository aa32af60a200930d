"""The utility of a signal cell: its means, its bounds, and what is doubtful about them (RULES R7–R11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean
from typing import cast

from pytest_judgeaudit.audit.tallies import Tally
from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.records.plans import GateSpec
from pytest_judgeaudit.stats.bootstrap import bootstrap_interval, bootstrap_lower, reaches
from pytest_judgeaudit.stats.checked import exact_lower, korn_graubard_lower
from pytest_judgeaudit.stats.limits import at_least
from pytest_judgeaudit.stats.planning import Bound, best_utility_bound
from pytest_judgeaudit.stats.strata import Strata, merged_strata

FEW_TASKS = 40
SMALL_STRATUM = 10
ENOUGH_FREEDOM = 0.9
FEW_CLUSTERS = 20
"""Limits of the warnings (RULES 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """
    What a signal cell's outcomes say about its mean task utility.

    ``lower`` is the bootstrap bound, ``checked`` the Korn–Graubard one, ``exact`` the exact one where the
    gate asks for it; ``bound`` is the one that decides and ``reached`` whether it reaches the gate's
    threshold (None without a gate). ``best`` is the highest deciding bound that this layout can have.
    ``sizes`` are the strata's after merging; ``merged`` maps strata of one task to where they went.
    """

    estimate: float
    macro: float
    weighted: float | None
    lower: float
    checked: float
    exact: float | None
    interval: tuple[float, float]
    bound: float
    reached: bool | None
    best: float
    warnings: tuple[str, ...]
    sizes: Mapping[str, int]
    merged: Mapping[str, str]


def utility(tally: Tally, gate: GateSpec) -> Utility:
    """Compute a signal cell's utility with the strata, weights, bound and confidence of its gate."""
    presentations = max(task.calls for task in tally.tasks.values())
    declared = strata_of(tally, by=gate.strata)
    strata, merged = merged_strata(declared)
    weights = gate.weights
    lower = bootstrap_lower(strata, confidence=gate.confidence, weights=weights)
    checked = korn_graubard_lower(
        strata, presentations=presentations, confidence=gate.confidence, weights=weights
    )
    exact = _exact(strata, gate, presentations)
    units = presentations * len(tally.tasks)
    reached = _reached(gate, lower=lower, checked=checked, exact=exact, units=units)
    return Utility(
        estimate=sum(map(sum, strata.values())) / len(tally.tasks),
        macro=fmean(fmean(scores) for scores in strata_of(tally, by="subset").values()),
        weighted=_weighted(gate.weights, declared),
        lower=lower,
        checked=checked,
        exact=exact,
        interval=bootstrap_interval(strata, confidence=gate.confidence, weights=weights),
        bound=min(lower, checked) if gate.bound == "checked" else lower if exact is None else exact,
        reached=reached,
        best=_best(strata, gate, presentations, weights),
        warnings=tuple(_warnings(strata, gate, lower=lower, checked=checked)),
        sizes={name: len(scores) for name, scores in strata.items()},
        merged=merged,
    )


def _exact(strata: Strata, gate: GateSpec, presentations: int) -> float | None:
    if gate.bound != "exact":
        return None
    return exact_lower(strata, confidence=gate.confidence, presentations=presentations)


def _best(strata: Strata, gate: GateSpec, presentations: int, weights: Mapping[str, float] | None) -> float:
    return best_utility_bound(
        [len(scores) for scores in strata.values()],
        weights=None if weights is None else [weights[name] for name in strata],
        confidence=gate.confidence,
        bound=cast("Bound", gate.bound),
        presentations=presentations,
    )


def _weighted(weights: Mapping[str, float] | None, strata: Mapping[str, Sequence[float]]) -> float | None:
    if weights is None:
        return None
    return min(1.0, fsum(weight * fmean(strata[name]) for name, weight in weights.items()))


def strata_of(tally: Tally, *, by: str) -> dict[str, list[float]]:
    """Return the task scores by ``subset`` or ``family``, in the order in which they first occur."""
    strata: dict[str, list[float]] = {}
    for task in tally.tasks.values():
        name = task.subset if by == "subset" else task.family or NO_SUBSET
        strata.setdefault(name, []).append(task.correct / task.calls)
    return strata


def _reached(
    gate: GateSpec, *, lower: float, checked: float, exact: float | None, units: int
) -> bool | None:
    if gate.lower is None:
        return None
    if exact is not None:
        return at_least(exact, gate.lower)
    # Weighted means lie on no lattice; the comparison in units is then merely tolerant of rounding.
    enough = gate.bound == "bootstrap" or at_least(checked, gate.lower)
    return enough and reaches(lower, gate.lower, units=units)


def _warnings(strata: Strata, gate: GateSpec, *, lower: float, checked: float) -> Iterator[str]:
    """Yield the warnings of RULES 2."""
    tasks = sum(map(len, strata.values()))
    if tasks < FEW_TASKS:
        yield "few-tasks"
    if min(map(len, strata.values())) < SMALL_STRATUM or (tasks - len(strata)) / tasks < ENOUGH_FREEDOM:
        yield "small-strata"
    if all(len(set(scores)) == 1 for scores in strata.values()):
        yield "degenerate"
    if gate.lower is not None and at_least(lower, gate.lower) and not at_least(checked, gate.lower):
        yield "bound-sensitive"


def few_clusters(tally: Tally) -> int | None:
    """Return the number of template families where they are declared and fewer than 20, else None."""
    families = {task.family for task in tally.tasks.values() if task.family is not None}
    return len(families) if 0 < len(families) < FEW_CLUSTERS else None
