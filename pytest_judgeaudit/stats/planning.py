"""What a battery can show before any call is paid for: smallest sizes, and chances to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log
from typing import Literal

from scipy.special import bdtr

from pytest_judgeaudit.stats._checks import check_level, check_rate, check_whole
from pytest_judgeaudit.stats.bounds import adverse_allowed, binomial_tail
from pytest_judgeaudit.stats.checked import exact_lower, korn_graubard_lower
from pytest_judgeaudit.stats.limits import at_least, at_most
from pytest_judgeaudit.stats.strata import merged_strata

Bound = Literal["checked", "bootstrap", "exact"]


def minimum_n(k: int, *, upper: float = 0.05, confidence: float = 0.95, m: int = 1) -> int:
    """
    Return the smallest number of tasks with which a clone gate can pass with k adverse ones.

    ``m`` is the Holm multiplier, the size of the family in the worst case: m·P(Bin(n, upper) ≤ k) must not
    exceed 1 − confidence. "Can pass" is not "will pass": see :func:`clone_power`. Raises ValueError for a
    k below 0, an m below 1, and levels outside of (0, 1).

    >>> [minimum_n(k) for k in range(6)], [minimum_n(0, m=m) for m in (2, 4, 6, 8)]
    ([59, 93, 124, 153, 181, 208], [72, 86, 94, 99])
    """
    check_whole("k", k, least=0)
    check_level("upper", upper)
    check_level("confidence", confidence)
    check_whole("m", m, least=1)
    low, high = k, max(1, 2 * k)
    while not at_most(m * float(bdtr(k, high, upper)), 1 - confidence):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if at_most(m * float(bdtr(k, middle, upper)), 1 - confidence):
            high = middle
        else:
            low = middle
    return high


def clone_power(n: int, rate: float, *, upper: float = 0.05, confidence: float = 0.95, m: int = 1) -> float:
    """
    Return the probability that a clone gate of n independent tasks passes at a true adverse rate.

    With the Holm multiplier m, the worst case of a family of m cells. 0 when even no adverse task passes.
    Raises ValueError as :func:`minimum_n` does, and for a rate outside of [0, 1].

    >>> [round(clone_power(n, 0.01), 3) for n in (59, 96, 102)], clone_power(59, 0.0, m=2)
    ([0.553, 0.751, 0.728], 0.0)
    """
    check_whole("n", n, least=1)
    check_rate("rate", rate)
    allowed = adverse_allowed(n, upper=upper, confidence=confidence, m=m)
    return 0.0 if allowed < 0 else binomial_tail(allowed, n, rate)


def powerful_n(
    rate: float, *, power: float = 0.8, upper: float = 0.05, confidence: float = 0.95, m: int = 1
) -> int:
    """
    Return the number of tasks from which on a clone gate passes with a probability of at least ``power``.

    The chance falls slowly with n and jumps wherever one more adverse task is allowed, so the number is one
    of those jumps. Raises ValueError unless ``rate`` lies below ``upper``, where no n would do.

    >>> [powerful_n(0.005, m=m) for m in (1, 2, 4, 6)]
    [93, 110, 125, 170]
    """
    check_level("power", power)
    check_rate("rate", rate)
    n = minimum_n(0, upper=upper, confidence=confidence, m=m)
    if rate >= upper:
        raise ValueError(f"rate must lie below upper = {upper}, got {rate!r}")
    lowest, allowed = 0.0, 0
    # Far above the target the chance no longer falls below it.
    while lowest < 1 - (1 - power) / 4:
        following = minimum_n(allowed + 1, upper=upper, confidence=confidence, m=m)
        lowest = binomial_tail(allowed, following - 1, rate)
        n = following if lowest < power else n
        allowed += 1
    return n


def minimum_n_rate(
    failures: int = 0, *, upper: float | None = None, lower: float | None = None, confidence: float = 0.95
) -> int:
    """
    Return the smallest number of units with which a rate gate can pass with so many against it.

    Exactly one of ``upper`` (the most that is allowed) and ``lower`` (the least that is demanded) is given;
    ``failures`` are the units that count against the claim. Raises ValueError otherwise, and as
    :func:`minimum_n` does.

    >>> minimum_n_rate(upper=0.05), minimum_n_rate(lower=0.95), minimum_n_rate(1, lower=0.75)
    (59, 59, 18)
    """
    if lower is None and upper is not None:
        return minimum_n(failures, upper=upper, confidence=confidence)
    if lower is None or upper is not None:
        raise ValueError("give either upper or lower, and not both")
    check_level("lower", lower)
    return minimum_n(failures, upper=1 - lower, confidence=confidence)


def minimum_tasks_all_correct(*, lower: float = 0.75, confidence: float = 0.95) -> int:
    """
    Return the smallest number of tasks that, all correct in one stratum, reach a checked utility bound.

    Their bound is (1 − confidence)^(1/n). Raises ValueError for levels outside of (0, 1).

    >>> minimum_tasks_all_correct(), minimum_tasks_all_correct(lower=0.9)
    (11, 29)
    """
    check_level("lower", lower)
    check_level("confidence", confidence)
    n = max(1, ceil(log(1 - confidence) / log(lower)) - 1)
    while not at_least((1 - confidence) ** (1 / n), lower):
        n += 1
    return n


def minimum_tasks_utility(
    *, lower: float = 0.75, confidence: float = 0.95, bound: Bound = "checked", presentations: int = 2
) -> int:
    """
    Return the smallest number of tasks in one stratum with which some outcome passes a utility gate.

    From 20 tasks on one wrong call can have a higher checked bound than none: see
    :func:`best_utility_bound`. Raises ValueError as that and :func:`minimum_tasks_all_correct` do.

    >>> minimum_tasks_utility(), minimum_tasks_utility(lower=0.9), minimum_tasks_utility(bound="bootstrap")
    (11, 24, 1)
    """
    low, high = 0, minimum_tasks_all_correct(lower=lower, confidence=confidence)
    while high - low > 1:
        middle = (low + high) // 2
        best = best_utility_bound([middle], confidence=confidence, bound=bound, presentations=presentations)
        low, high = (low, middle) if at_least(best, lower) else (middle, high)
    return high


def best_utility_bound(
    sizes: Sequence[int],
    *,
    confidence: float = 0.95,
    bound: Bound = "checked",
    presentations: int = 2,
    weights: Sequence[float] | None = None,
) -> float:
    """
    Return the highest lower utility bound that strata of these sizes can reach.

    ``bound`` is the gate's: ``checked`` (Korn–Graubard; the bootstrap's is then no lower), ``bootstrap``
    (always 1), or ``exact``. The checked bound does not always rise with the scores: with every call right
    nothing varies, and RULES R10 counts a task once; with one call wrong it counts calls, from 20 tasks
    on. So the best of both is taken, wherever that call may lie; which is the best of all outcomes in every
    layout that was enumerated (tests). ``weights`` are the declared shares of the strata, in their order.
    Strata of one task are merged as in the analysis. Raises ValueError without tasks, for another bound,
    and as the bounds do.

    Twelve tasks in each of eight strata, and twenty in one, for which .05^(1/20) = .8609 is not the best:

    >>> [round(best_utility_bound(sizes), 4) for sizes in ([12] * 8, [20])]
    [0.9754, 0.885]
    """
    for size in sizes:
        check_whole("a stratum's size", size, least=1)
    strata = merged_strata({f"{i:06}": [1.0] * size for i, size in enumerate(sizes)}).strata
    match bound:
        case "bootstrap":
            return 1.0
        case "exact":
            return exact_lower(strata, confidence=confidence, presentations=presentations)
        case "checked":
            shares = None if weights is None else dict(zip(strata, weights, strict=True))
            return _best_checked(strata, shares, confidence=confidence, presentations=presentations)
        case _:
            raise ValueError(f"bound must be checked, bootstrap or exact, got {bound!r}")


def _best_checked(
    strata: Mapping[str, Sequence[float]],
    shares: Mapping[str, float] | None,
    *,
    confidence: float,
    presentations: int,
) -> float:
    """Return the best Korn–Graubard bound of every call right, and of one wrong in any stratum."""
    # Without weights one wrong call counts the same wherever it lies: 1/(calls) of the mean.
    places = list(strata) if shares is not None else [max(strata, key=lambda name: len(strata[name]))]
    missed = [1 - 1 / presentations]
    outcomes = [strata, *({**strata, name: [*strata[name][1:], *missed]} for name in places)]
    return max(
        korn_graubard_lower(outcome, confidence=confidence, presentations=presentations, weights=shares)
        for outcome in outcomes
    )


def utility_can_pass(
    sizes: Sequence[int],
    *,
    lower: float = 0.75,
    confidence: float = 0.95,
    bound: Bound = "checked",
    presentations: int = 2,
) -> bool:
    """
    Tell whether some outcome passes a utility gate over strata of these sizes.

    >>> utility_can_pass([10]), utility_can_pass([11]), utility_can_pass([10], bound="bootstrap")
    (False, True, True)
    """
    check_level("lower", lower)
    best = best_utility_bound(sizes, confidence=confidence, bound=bound, presentations=presentations)
    return at_least(best, lower)
