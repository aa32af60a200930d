"""Randomization tests: how often chance alone gives a difference as large (Fisher, 1935, section 21)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from math import fsum

import numpy as np
from scipy.special import bdtr

from pytest_judgeaudit.stats._checks import check_finite, check_whole
from pytest_judgeaudit.stats.lattice import SNAP, Masses, Units, denominator, in_units
from pytest_judgeaudit.stats.strata import Scores

DRAWS = 99_999

ENUMERATED = 20
"""Up to so many differences on no lattice, all sign patterns are enumerated."""

AFFORDABLE = 2**31
"""Multiplications up to which the exact distribution is convolved: a few seconds."""


def randomization_p(differences: Sequence[float], *, draws: int = DRAWS, seed: int = 0) -> float:
    """
    Two-sided p-value of the sharp null that no task differs, by flipping the sign of each difference.

    One difference a task (both orders together). Assumes that the assignment was randomised independently
    for each task, or, for recorded data, that the two labels are exchangeable. Statistic: the sum, in whole
    lattice units; p = P(|T| ≥ |t|), equality included, by direct convolution of non-negative masses. On no
    lattice: all sign patterns of up to 20 non-zero differences, else (1 + #)/(1 + ``draws``) with a fixed
    ``seed``. No difference at all gives 1; p is never 0. Raises ValueError for what is no finite number.

    Ten equal differences have two extreme patterns of 2¹⁰:

    >>> round(randomization_p([0.5] * 10) * 2**10, 9), randomization_p([0.5, -0.5, 0.0])
    (2.0, 1.0)
    """
    for difference in differences:
        check_finite("a difference", difference)
    check_whole("draws", draws, least=1)
    values = np.asarray(differences, dtype=np.float64)
    lattice = denominator(np.abs(values))
    if lattice is not None:
        units = in_units(values, lattice)
        units = units[units != 0]
        if _affordable(np.abs(units)):
            return _convolved_p(np.abs(units), abs(int(units.sum())))
    observed = abs(fsum(differences))
    sizes = np.sort(np.abs(values[values != 0]))
    # Sums that differ by rounding alone are equal.
    least = observed - SNAP * float(sizes.sum())
    if len(sizes) <= ENUMERATED:
        return float(np.mean(np.abs(_all_sums(sizes)) >= least))
    return _drawn_p(sizes, least, draws=draws, seed=seed)


def mcnemar_p(b: int, c: int) -> float:
    """
    Exact two-sided McNemar p of two audits of the same tasks, without mid-p.

    ``b`` tasks succeeded only in the first, ``c`` only in the second; the others carry no information.
    min(1, 2·P(Bin(b + c, ½) ≤ min(b, c))). Labels of the two audits are assumed exchangeable. Raises
    ValueError for counts below 0.

    >>> mcnemar_p(0, 6), mcnemar_p(3, 3), round(mcnemar_p(1, 9), 4)
    (0.03125, 1.0, 0.0215)
    """
    check_whole("b", b, least=0)
    check_whole("c", c, least=0)
    if b == c:
        return 1.0
    return _positive(min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))))


def redrawn_p(observed: float, redrawn: Iterable[float]) -> float:
    """
    Two-sided Monte Carlo p from statistics of assignments redrawn from the design: (1 + #)/(1 + B).

    >>> redrawn_p(3.0, [0.0] * 98 + [-3.0])
    0.02
    """
    sums = np.abs(np.fromiter(redrawn, dtype=np.float64))
    extreme = int(np.count_nonzero(sums >= abs(observed) - SNAP))
    return (1 + extreme) / (1 + len(sums))


def _positive(p: float) -> float:
    """Keep a p-value that underflows above 0, which it never is."""
    return max(p, sys.float_info.min)


def _affordable(sizes: Units) -> bool:
    """Tell whether the multiplications of all convolutions stay within bounds; tails underflow at 40 √c."""
    values, counts = np.unique(sizes, return_counts=True)
    taps = np.minimum(counts + 1.0, 40 * np.sqrt(counts) + 2)
    lengths = 1 + np.cumsum(values * (taps - 1))
    return float((lengths * taps).sum()) <= AFFORDABLE


def _convolved_p(sizes: Units, observed: int) -> float:
    """
    P(|T| ≥ observed) of T = Σ ±size, exactly.

    With X_u of the c_u differences of size u flipped up, T = 2·Σ u·X_u − Σ size and every X_u is
    Bin(c_u, ½); T is symmetric, so the upper tail counts twice.
    """
    if observed == 0:
        return 1.0
    start, masses = 0, np.ones(1)
    values, counts = np.unique(sizes, return_counts=True)
    for size, count in zip(values.tolist(), counts.tolist(), strict=True):
        first, flips = _fair_binomial(count)
        start += size * first
        masses = _spread(masses, size, flips)
    needed = (observed + int(sizes.sum())) // 2 - start
    return _positive(min(1.0, 2 * fsum(masses[max(0, needed) :].tolist())))


def _fair_binomial(count: int) -> tuple[int, Masses]:
    """
    Return Bin(count, ½) as (first, masses of first, first + 1, …), without what underflows.

    By products of ratios outwards from the middle: no logarithm, so no loss of digits in the tail.
    """
    middle = count // 2
    steps = np.arange(middle, count)
    upper = np.concatenate([np.ones(1), np.cumprod((count - steps) / (steps + 1))])
    upper = upper[upper > 1e-300]
    # An odd count has two middles, and both stand in the upper half.
    lower = upper[1 + count % 2 :][::-1]
    whole = np.concatenate([lower, upper])
    return middle - len(lower), whole / fsum(whole.tolist())


def _spread(masses: Masses, size: int, flips: Masses) -> Masses:
    """Convolve with a distribution on multiples of ``size``, in as few numpy calls as there are."""
    spread = np.zeros(len(masses) + size * (len(flips) - 1))
    if len(flips) <= size:
        for step, mass in enumerate(flips.tolist()):
            spread[size * step : size * step + len(masses)] += mass * masses
        return spread
    for phase in range(min(size, len(masses))):
        part = np.convolve(masses[phase::size], flips)
        spread[phase::size][: len(part)] = part
    return spread


def _all_sums(sizes: Scores) -> Scores:
    sums = np.zeros(1)
    for size in sizes.tolist():
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _drawn_p(sizes: Scores, least: float, *, draws: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    n = len(sizes)
    rows = max(1, 2**19 // n)
    extreme = 0
    for done in range(0, draws, rows):
        eights = rng.integers(0, 256, size=(min(rows, draws - done), -(-n // 8)), dtype=np.uint8)
        flips = np.unpackbits(eights, axis=1, count=n).astype(np.float64)
        sums = 2 * (flips @ sizes) - sizes.sum()
        extreme += int(np.count_nonzero(np.abs(sums) >= least))
    return (1 + extreme) / (1 + draws)
