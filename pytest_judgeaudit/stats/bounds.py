"""Exact binomial bounds and tails (Clopper and Pearson, Biometrika 26, 1934)."""

from __future__ import annotations

from scipy.special import bdtr, betaincinv

from pytest_judgeaudit.stats._checks import check_counts, check_level, check_rate, check_whole
from pytest_judgeaudit.stats.limits import at_most


def clopper_pearson_upper(adverse: int, n: int, *, confidence: float = 0.95) -> float:
    """
    Bound a rate from above: one-sided, exact, from ``adverse`` of ``n`` tasks.

    Estimand: the common adverse rate of independent tasks. The bound is Beta⁻¹(confidence; k+1, n−k), and
    1 when every task is adverse; it covers the rate with at least its confidence. Raises ValueError for
    counts outside of 0 to n and for a confidence outside of (0, 1).

    Two published cells of 102 tasks, and the published extension of 485:

    >>> [round(clopper_pearson_upper(k, n), 5) for k, n in ((0, 102), (2, 102), (0, 485))]
    [0.02894, 0.06044, 0.00616]
    """
    check_counts("adverse", adverse, n)
    check_level("confidence", confidence)
    return 1.0 if adverse == n else float(betaincinv(adverse + 1, n - adverse, confidence))


def clopper_pearson_lower(successes: int, n: int, *, confidence: float = 0.95) -> float:
    """
    Bound a rate from below: one-sided, exact, from ``successes`` of ``n`` tasks.

    The mirror image of :func:`clopper_pearson_upper`: 1 minus the upper bound of the failures, 0 when
    nothing succeeded. Same estimand, assumption and errors.

    With every task a success the bound solves rateⁿ = 1 − confidence:

    >>> round(clopper_pearson_lower(20, 20), 5), round(0.05 ** (1 / 20), 5)
    (0.86089, 0.86089)
    """
    check_counts("successes", successes, n)
    check_level("confidence", confidence)
    return 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, 1 - confidence))


def binomial_tail(k: int, n: int, rate: float) -> float:
    """
    P(Bin(n, rate) ≤ k): the p-value of k adverse tasks of n against an adverse rate of ``rate`` or more.

    Relative error below 1e-11 for n up to 1,000, also in the far tail. Raises ValueError for counts outside
    of 0 to n and for a rate outside of [0, 1].

    >>> f"{binomial_tail(0, 485, 0.05):.4e}", round(binomial_tail(2, 102, 0.05), 4)
    ('1.5702e-11', 0.1103)
    """
    check_counts("k", k, n)
    check_rate("rate", rate)
    return float(bdtr(k, n, rate))


def adverse_allowed(n: int, *, upper: float = 0.05, confidence: float = 0.95, m: int = 1) -> int:
    """
    Return the most adverse tasks of n with which a clone gate passes; −1 when none is few enough.

    ``m`` is the Holm multiplier: the size of the family for its smallest p-value, which is the worst case.

    >>> [adverse_allowed(n) for n in (58, 59, 92, 93, 485)], adverse_allowed(96, m=7)
    ([-1, 0, 0, 1, 16], -1)
    """
    check_whole("n", n, least=0)
    check_level("upper", upper)
    check_level("confidence", confidence)
    check_whole("m", m, least=1)
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        if at_most(m * float(bdtr(middle, n, upper)), 1 - confidence):
            low = middle
        else:
            high = middle
    return low
