"""
The stratified bootstrap of a mean, exact on a lattice and drawn elsewhere.

Tasks are resampled within strata, sizes fixed. On a lattice the resampled sum of a stratum is a sum of
independent multinomial draws, so its distribution is a power of one draw's characteristic function and
that of the mean a convolution over strata: exact resampling with no Monte Carlo error. That is not exact
coverage; the percentile interval is too narrow with few tasks or small strata (Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, chapters 6 and 13).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pytest_judgeaudit.stats._checks import check_level, check_weights, check_whole
from pytest_judgeaudit.stats.lattice import (
    LatticeDistribution,
    denominator,
    in_units,
    sum_of_draws,
    tolerant,
)
from pytest_judgeaudit.stats.strata import Scores, Strata, merged_strata, read_strata

Weights: TypeAlias = Mapping[str, float]
Means: TypeAlias = NDArray[np.float64]

LARGEST = 2**21
"""Lattice units times tasks up to which the exact distribution is computed (RULES R7)."""

DRAWS = 20_000


def bootstrap_lower(
    strata: Strata,
    *,
    confidence: float = 0.95,
    weights: Weights | None = None,
    lattice: int | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> float:
    """
    Bound a mean task score from below by the stratified percentile bootstrap, one-sided.

    Estimand: the mean over these strata, in the proportions n_h/N or in those of ``weights`` (stratum to
    share, sum 1). The bound is the smallest mean whose cumulative bootstrap probability reaches
    1 − confidence. Assumes that tasks are exchangeable within a stratum and independent. It under-covers:
    at 20 to 60 tasks some 8 to 12 % of such bounds lie above a true mean of .75, and with equal scores it
    equals their mean at any n; see ``korn_graubard_lower``. Strata of one task, which a resample never
    varies, are merged first, as in an audit (``merged_strata``, RULES R9).

    Exact when the scores lie on a lattice 1/D (``lattice``, or the smallest found) and D × N ≤ 2²¹;
    otherwise, and with declared weights, from ``draws`` replicates of a fixed ``seed``. Raises ValueError
    for empty strata, scores off a given lattice, impossible weights or confidence, and weights of several
    strata one of which holds a single task: merging it would change what is weighted.

    The strict cell of the published 485-row extension, by tasks with score 0, ½ and 1 per subset:

    >>> counts = [(19, 32, 108), (3, 5, 75), (2, 4, 35), (35, 26, 16), (3, 4, 93), (1, 0, 24)]
    >>> strata = {f"s{i}": [0.0] * a + [0.5] * b + [1.0] * c for i, (a, b, c) in enumerate(counts)}
    >>> round(bootstrap_lower(strata), 5)
    0.77423

    Sixteen of twenty tasks right, each a stratum of its own: P(Bin(20, .8) ≤ 13) = .087 reaches .05.

    >>> bootstrap_lower({f"s{i}": [float(i < 16)] for i in range(20)})
    0.65
    """
    check_level("confidence", confidence)
    levels = [1 - confidence]
    return _percentiles(strata, levels, weights=weights, lattice=lattice, draws=draws, seed=seed)[0]


def bootstrap_interval(
    strata: Strata,
    *,
    confidence: float = 0.95,
    weights: Weights | None = None,
    lattice: int | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[float, float]:
    """
    Two-sided percentile interval of a mean; otherwise as :func:`bootstrap_lower`. Scores may be negative.

    >>> bootstrap_interval({"a": [-1.0, -0.5, -0.5, -0.5], "b": [-1.0, -0.5, -0.5, 0.0], "c": [0.0] * 24})
    (-0.1875, -0.09375)
    """
    check_level("confidence", confidence)
    tail = (1 - confidence) / 2
    levels = [tail, 1 - tail]
    low, high = _percentiles(strata, levels, weights=weights, lattice=lattice, draws=draws, seed=seed)
    return low, high


def bootstrap_distribution(strata: Strata, *, lattice: int | None = None) -> LatticeDistribution:
    """
    Compute the exact distribution of the stratified bootstrap mean of scores on a lattice 1/D.

    ``lattice`` is D; without it the smallest that fits is found. Strata are taken as they are, those of one
    task too. Raises ValueError for scores on no
    lattice, and when D × N exceeds 2²¹.

    >>> found = bootstrap_distribution({"a": [0.0, 1.0]})
    >>> found.values.tolist(), found.masses.round(12).tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    """
    read = read_strata(strata)
    found = _lattice(read, lattice)
    if found is None or not _small_enough(read, found):
        raise ValueError("scores must lie on a lattice 1/D with D times their number at most 2**21")
    return _distribution(read, found)


def bootstrap_monte_carlo(
    strata: Strata, *, draws: int = DRAWS, seed: int = 0, weights: Weights | None = None
) -> Means:
    """
    Draw ``draws`` replicates of the stratified bootstrap mean: the reference, and the way off a lattice.

    Shape (draws,). Neither the order of tasks nor that of strata changes a replicate. Lattice scores are
    summed as whole numbers; strata are taken as they are, those of one task too. Raises ValueError as
    :func:`bootstrap_lower` does.
    """
    check_whole("draws", draws, least=1)
    read = read_strata(strata)
    return _replicates(read, _lattice(read, None), weights, draws=draws, seed=seed)


def percentile(replicates: Means, level: float) -> float:
    """Return the smallest replicate whose share of replicates at or below it reaches the level."""
    return float(np.quantile(replicates, tolerant(level), method="inverted_cdf"))


def reaches(bound: float, threshold: float, *, units: int) -> bool:
    """
    Compare a bound on the lattice 1/units with a threshold, in whole units to 1e-9 (RULES R8).

    >>> reaches(0.1 + 0.2, 0.3, units=20), reaches(0.25, 0.3, units=20)
    (True, False)
    """
    return bound * units >= threshold * units - 1e-9


def _percentiles(
    strata: Strata,
    levels: Sequence[float],
    *,
    weights: Weights | None,
    lattice: int | None,
    draws: int,
    seed: int,
) -> list[float]:
    strata, merged = merged_strata(strata)
    if weights is not None and merged:
        raise ValueError(f"weights need two tasks or more a stratum, got one in {next(iter(merged))!r}")
    read = read_strata(strata)
    found = _lattice(read, lattice)
    if weights is None and found is not None and _small_enough(read, found):
        exact = _distribution(read, found)
        return [exact.quantile(level) for level in levels]
    check_whole("draws", draws, least=1)
    replicates = _replicates(read, found, weights, draws=draws, seed=seed)
    return [percentile(replicates, level) for level in levels]


def _lattice(read: Mapping[str, Scores], declared: int | None) -> int | None:
    if declared is None:
        return denominator(np.concatenate(list(read.values())))
    check_whole("lattice", declared, least=1)
    for scores in read.values():
        in_units(scores, declared)
    return declared


def _small_enough(read: Mapping[str, Scores], lattice: int) -> bool:
    tasks = sum(len(scores) for scores in read.values())
    span = max(float(scores[-1] - scores[0]) for scores in read.values())
    return lattice * tasks * max(1.0, span) <= LARGEST


def _distribution(read: Mapping[str, Scores], lattice: int) -> LatticeDistribution:
    tasks = sum(len(scores) for scores in read.values())
    start, masses = sum_of_draws([in_units(scores, lattice) for scores in read.values()])
    return LatticeDistribution(start=start, units=lattice * tasks, masses=masses)


def _replicates(
    read: Mapping[str, Scores], lattice: int | None, weights: Weights | None, *, draws: int, seed: int
) -> Means:
    if weights is not None:
        check_weights(weights, read)
    tasks = sum(len(scores) for scores in read.values())
    rng = np.random.default_rng(seed)
    total = np.zeros(draws)
    for name, scores in read.items():
        # Whole units, so that equal sums are equal floats.
        summands = scores if lattice is None else in_units(scores, lattice).astype(np.float64)
        factor = 1.0 if weights is None else weights[name] * tasks / len(scores)
        total += factor * resampled_sums(summands, draws, rng)
    lowest = min(float(scores[0]) for scores in read.values())
    highest = max(float(scores[-1]) for scores in read.values())
    # No mean lies beyond its scores, whatever weights and rounding make of it.
    return np.clip(total / ((lattice or 1) * tasks), lowest, highest)


def resampled_sums(scores: Scores, draws: int, rng: np.random.Generator) -> Means:
    """
    Draw sums of n scores taken with replacement from n; shape (draws,).

    Few different scores: by multinomial counts, the same distribution at a fraction of the draws. Many: by
    index, a few million at a time.
    """
    values, counts = np.unique(scores, return_counts=True)
    n = len(scores)
    if len(values) == 1:
        return np.full(draws, n * values[0])
    if 4 * len(values) <= n:
        return rng.multinomial(n, counts / n, size=draws) @ values
    rows = max(1, 2**22 // n)
    blocks = [min(rows, draws - done) for done in range(0, draws, rows)]
    return np.concatenate([scores[rng.integers(0, n, size=(block, n))].sum(axis=1) for block in blocks])
