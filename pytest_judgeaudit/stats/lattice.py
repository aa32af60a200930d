"""Scores on a lattice, and exact distributions of their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pytest_judgeaudit.stats.strata import Scores

Masses: TypeAlias = NDArray[np.float64]
Units: TypeAlias = NDArray[np.int64]

FINEST = 10_000
"""No lattice finer than this is looked for: a score with four decimals still lies on one."""

SNAP = 1e-9
"""How far a score may lie from its lattice point, and a cumulative probability from its level."""


def denominator(scores: Scores) -> int | None:
    """
    Return the smallest D ≤ 10,000 for which every score is a multiple of 1/D; None where there is none.

    >>> [denominator(np.array(scores)) for scores in ([0, 0.5, 1], [1 / 3, 0.25], [0.5**0.5])]
    [2, 12, None]
    """
    found = 1
    for score in np.unique(scores).tolist():
        if abs(score * found - round(score * found)) <= SNAP:
            continue
        nearest = Fraction(score).limit_denominator(FINEST)
        found = lcm(found, nearest.denominator)
        if abs(score - nearest) > SNAP or found > FINEST:
            return None
    return found


def in_units(scores: Scores, lattice: int) -> Units:
    """Return the scores as whole multiples of 1/lattice; ValueError names the first that is none."""
    units = np.rint(scores * lattice)
    off = np.abs(scores * lattice - units) > SNAP * lattice
    if off.any():
        raise ValueError(f"scores must be multiples of 1/{lattice}, got {float(scores[off][0])!r}")
    return units.astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatticeDistribution:
    """
    A distribution on (start, start + 1, …)/units, one mass a point.

    ``units`` is the number of lattice units in 1: D × N for a mean of N scores on the lattice 1/D.
    """

    start: int
    units: int
    masses: Masses

    @property
    def values(self) -> NDArray[np.float64]:
        """The points, ascending; shape as ``masses``."""
        return (self.start + np.arange(len(self.masses))) / self.units

    def quantile(self, level: float) -> float:
        """Return the smallest point whose cumulative probability reaches the level, to 1e-9."""
        reached = np.searchsorted(np.cumsum(self.masses), tolerant(level))
        return (self.start + min(int(reached), len(self.masses) - 1)) / self.units


def tolerant(level: float) -> float:
    """Return the level that a cumulative probability has to reach, less 1e-9 for rounding (RULES R8)."""
    return max(level - SNAP, level / 2)


def sum_of_draws(units: Units) -> tuple[int, Masses]:
    """
    Return the exact distribution of the sum of n draws with replacement from n whole numbers.

    The result is (start, masses of start, start + 1, …): the n-th power of the characteristic function of
    one draw, transformed back. Absolute error of a mass below 1e-12 for up to some 10,000 draws.
    """
    n, low = len(units), int(units.min())
    one = np.bincount(units - low) / n
    length = (len(one) - 1) * n + 1
    size = _transform_size(length)
    return n * low, _cleaned(np.fft.irfft(np.fft.rfft(one, size) ** n, size)[:length])


def convolved(parts: Sequence[tuple[int, Masses]]) -> tuple[int, Masses]:
    """Return the distribution of the sum of independent variables, by halves: cost grows as L·log²L."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    (start, left), (more, right) = convolved(parts[:middle]), convolved(parts[middle:])
    if min(len(left), len(right)) <= 64:
        return start + more, np.convolve(left, right)
    length = len(left) + len(right) - 1
    size = _transform_size(length)
    product = np.fft.rfft(left, size) * np.fft.rfft(right, size)
    return start + more, _cleaned(np.fft.irfft(product, size)[:length])


def _transform_size(length: int) -> int:
    # One point alone has no half spectrum.
    return max(2, 1 << (length - 1).bit_length())


def _cleaned(masses: Masses) -> Masses:
    """Clip what rounding pushed below zero and restore the sum of 1."""
    clipped: Masses = np.clip(masses, 0.0, None)
    clipped /= clipped.sum()
    return clipped
