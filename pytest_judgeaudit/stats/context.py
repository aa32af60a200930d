"""What a displayed third candidate does to a comparison of two."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import TypedDict

from pytest_judgeaudit.stats._checks import check_rate
from pytest_judgeaudit.stats.bootstrap import bootstrap_interval


class ContextAudit(TypedDict):
    """Mean success without and with the third candidate, present − absent, and its interval."""

    tasks: int
    families: int
    absent: float
    present: float
    difference: float
    interval: tuple[float, float]


def context_audit(
    tasks: Iterable[tuple[str | int, float, float]], *, confidence: float = 0.95
) -> ContextAudit:
    """
    Compare success without and with a displayed third, ineligible candidate.

    A task is (family, success absent, success present), each success the mean over orders, in [0, 1].
    Estimand: mean present − absent over these families; the interval is the exact two-sided percentile
    bootstrap that resamples tasks within families. Descriptive: no test, and an interval of no width says
    that outcomes were constant, not that the judge is invariant. Families of one task are merged as strata
    are. Raises ValueError without tasks and for a success outside of [0, 1].

    A published cell: 32 tasks in eight families, seven of them adverse, success 1 → .859375.

    >>> lost = {(0, 0): 1, (0, 1): 0.5, (0, 2): 0.5, (0, 3): 0.5, (1, 0): 1, (1, 1): 0.5, (1, 2): 0.5}
    >>> tasks = [(f, 1.0, 1.0 - lost.get((f, i), 0)) for f in range(8) for i in range(4)]
    >>> found = context_audit(tasks)
    >>> found["present"], found["difference"], found["interval"]
    (0.859375, -0.140625, (-0.1875, -0.09375))
    """
    rows = [(str(family), absent, present) for family, absent, present in tasks]
    if not rows:
        raise ValueError("a context audit needs at least one task, got none")
    differences: dict[str, list[float]] = {}
    for family, absent, present in rows:
        check_rate(f"success without the third candidate in family {family!r}", absent)
        check_rate(f"success with the third candidate in family {family!r}", present)
        differences.setdefault(family, []).append(present - absent)
    n = len(rows)
    return ContextAudit(
        tasks=n,
        families=len(differences),
        absent=fsum(absent for _, absent, _ in rows) / n,
        present=fsum(present for _, _, present in rows) / n,
        difference=fsum(present - absent for _, absent, present in rows) / n,
        interval=bootstrap_interval(differences, confidence=confidence),
    )
