"""Lower bounds on a mean utility that hold where the bootstrap is too optimistic."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, gammaln, stdtrit, xlog1py, xlogy

from pytest_judgeaudit.stats._checks import check_level, check_weights, check_whole
from pytest_judgeaudit.stats.bounds import clopper_pearson_lower
from pytest_judgeaudit.stats.lattice import in_units
from pytest_judgeaudit.stats.strata import Scores, Strata, read_strata


def korn_graubard_lower(
    strata: Strata,
    *,
    presentations: int = 2,
    confidence: float = 0.95,
    weights: Mapping[str, float] | None = None,
) -> float:
    """
    Bound a mean utility from below: Clopper–Pearson at the design-effective number of tasks.

    Estimand: Σ W_h·mean_h of task scores in [0, 1], with W_h = n_h/N or ``weights`` (stratum to share, sum
    1). With v its stratified variance, n_e = p(1−p)/v · (t with N−1 / t with Σ(n_h−1) degrees of
    freedom)², and N times that ratio when no stratum varies; n_e is kept within 1 and N × ``presentations``
    (calls a task; N below 20 tasks). The bound is Beta⁻¹(1 − confidence; n_e·p, n_e(1−p) + 1), and 0 at
    p = 0. Assumes independent tasks and speaks about these strata; in simulation its coverage is .95 but
    for a few designs of some 20 tasks (.925). Korn and Graubard, Survey Methodology 24 (1998); the ratio
    and the caps are those of RULES R10.

    Strata of one task have no variance and must be merged first (``merged_strata``). Raises ValueError for
    those, scores outside of [0, 1], impossible weights, and a confidence outside of (0.5, 1).

    With all of 10 and of 11 tasks right: the fewest that can reach .75 are eleven.

    >>> [round(korn_graubard_lower({"all": [1.0] * n}), 4) for n in (10, 11, 20)]
    [0.7411, 0.7616, 0.8609]
    """
    read = read_strata(strata)
    _check_utilities(read)
    _check_checkable(read, presentations, confidence)
    if weights is not None:
        check_weights(weights, read)
    tasks = sum(len(scores) for scores in read.values())
    shares = weights or {name: len(scores) / tasks for name, scores in read.items()}
    mean = min(1.0, sum(shares[name] * float(scores.mean()) for name, scores in read.items()))
    if mean == 0:
        return 0.0
    size = _effective_size(read, shares, mean, presentations, confidence)
    return float(betaincinv(size * mean, size * (1 - mean) + 1, 1 - confidence))


def _check_utilities(read: Mapping[str, Scores]) -> None:
    for name, scores in read.items():
        if scores[0] < 0 or scores[-1] > 1:
            odd = scores[0] if scores[0] < 0 else scores[-1]
            raise ValueError(f"stratum {name!r}: utilities must lie between 0 and 1, got {float(odd)!r}")


def _check_checkable(read: Mapping[str, Scores], presentations: int, confidence: float) -> None:
    check_whole("presentations", presentations, least=1)
    if not 0.5 < confidence < 1:
        raise ValueError(f"confidence must lie strictly between 0.5 and 1, got {confidence!r}")
    alone = [name for name, scores in read.items() if len(scores) == 1]
    if alone and len(read) > 1:
        raise ValueError(f"stratum {alone[0]!r} holds one task: merge such strata first (merged_strata)")


def _effective_size(
    read: Mapping[str, Scores],
    shares: Mapping[str, float],
    mean: float,
    presentations: int,
    confidence: float,
) -> float:
    """Return n_e: the number of independent tasks that would estimate the mean as precisely."""
    tasks = sum(len(scores) for scores in read.values())
    if tasks == 1:
        return 1.0
    freedom = tasks - len(read)
    ratio = float(stdtrit(tasks - 1, confidence) / stdtrit(freedom, confidence)) ** 2
    variance = sum(shares[name] ** 2 * _variance(scores) / len(scores) for name, scores in read.items())
    size = tasks * ratio if variance == 0 else mean * (1 - mean) / variance * ratio
    return min(max(size, 1.0), tasks if tasks < 20 else tasks * presentations)


def _variance(scores: Scores) -> float:
    # Equal scores have variance 0 exactly, whatever rounding makes of their mean.
    return 0.0 if scores[0] == scores[-1] else float(scores.var(ddof=1))


def exact_lower(strata: Strata, *, confidence: float = 0.95, presentations: int = 2) -> float:
    """
    Bound a mean utility from below by inverting the exact test of the score sum.

    Estimand: the mean m of task scores 0, ½ or 1 (two presentations a task) that are drawn independently
    from one law; strata are pooled. The share of scores ½ is a nuisance: the bound is the smallest m for
    which some law with that mean gives the observed sum or more a probability above 1 − confidence. Holds
    whatever the law, at the price of a lower bound; ignores what two orders gain. With one presentation a
    task there is no nuisance and it is the Clopper–Pearson bound. The search over the nuisance is numeric;
    its result is lowered by 1e-8.

    Raises ValueError for other scores, more than two presentations, and a confidence outside of (0, 1).

    When all succeed the worst law has no ½ at all, and the bound solves mⁿ = 1 − confidence:

    >>> round(exact_lower({"all": [1.0] * 20}), 5), round(exact_lower({"all": [1.0] * 10 + [0.5] * 10}), 3)
    (0.86089, 0.544)
    """
    check_level("confidence", confidence)
    read = read_strata(strata)
    _check_utilities(read)
    if presentations not in (1, 2):
        raise ValueError(f"the exact bound needs one or two presentations a task, got {presentations!r}")
    units = in_units(np.concatenate(list(read.values())), presentations)
    n, total = len(units), int(units.sum())
    if presentations == 1:
        return clopper_pearson_lower(total, n, confidence=confidence)
    if total in (0, 2 * n):
        return 0.0 if total == 0 else float((1 - confidence) ** (1 / n))
    return max(0.0, _least_mean(n, total, 1 - confidence) - 1e-8)


Rates = NDArray[np.float64]


def _least_mean(n: int, total: int, alpha: float) -> float:
    """Search the nuisance for the smallest mean not rejected: a grid dense at both ends, then zoomed."""
    shares: Rates = (1 - np.cos(np.linspace(0, np.pi, 49))) / 2
    lowest = 1.0
    for _ in range(4):
        means = _means(n, total, shares, alpha)
        best = int(means.argmin())
        lowest = min(lowest, float(means[best]))
        shares = np.linspace(shares[max(best - 1, 0)], shares[min(best + 1, len(shares) - 1)], 17)
    return lowest


def _means(n: int, total: int, shares: Rates, alpha: float) -> Rates:
    """
    For each share of the nuisance, bisect for the mean where P(sum ≥ total) crosses alpha.

    A share is P(½) over the most that the mean allows; for a fixed share the sum grows stochastically with
    the mean, so there is one crossing.
    """
    low, high = np.zeros_like(shares), np.ones_like(shares)
    for _ in range(31):
        middle = (low + high) / 2
        above = _upper_tail(n, total, middle, shares) > alpha
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low


def _upper_tail(n: int, total: int, means: Rates, shares: Rates) -> Rates:
    """P(sum of n scores ≥ total halves), by the number of ½, which lies within 6.5 standard deviations."""
    halves = (2 * shares * np.minimum(means, 1 - means))[:, None]
    ones = np.clip((means[:, None] - halves / 2) / np.maximum(1 - halves, 1e-300), 0, 1)
    reach = min(n, int(3.3 * n**0.5) + 10)
    count = np.floor(n * halves) + np.arange(-reach, reach + 1)
    inside = (count >= 0) & (count <= n)
    count = np.clip(count, 0, n)
    log_mass = gammaln(n + 1) - gammaln(count + 1) - gammaln(n - count + 1)
    log_mass += xlogy(count, halves) + xlog1py(n - count, -halves)
    needed = np.ceil((total - count) / 2)
    possible = betainc(np.maximum(needed, 1), np.maximum(n - count - needed + 1, 1), ones)
    tail = np.where(needed <= 0, 1.0, np.where(needed > n - count, 0.0, possible))
    summed: Rates = np.where(inside, np.exp(log_mass) * tail, 0.0).sum(axis=1)
    return summed
