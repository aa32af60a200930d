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
Spectrum: TypeAlias = NDArray[np.complex128]

FINEST = 10_000
"""No lattice finer than this is looked for: a score with four decimals still lies on one."""

ONE_TRANSFORM = 2**15
"""Strata times points up to which all strata are transformed at full length: fewest calls where small."""

SNAP = 1e-9
"""How far a score may lie from its lattice point, and a cumulative probability from its level."""


def denominator(scores: Scores) -> int | None:
    """
    Return the smallest D ≤ 10,000 for which every score is a multiple of 1/D; None where there is none.

    >>> [denominator(np.array(scores)) for scores in ([0, 0.5, 1], [1 / 3, 0.25], [0.5**0.5])]
    [2, 12, None]
    """
    found = 1
    # Beyond this, whole units would not be whole in floating point.
    if np.abs(scores).max(initial=0) > 2**40:
        return None
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


def sum_of_draws(strata: Sequence[Units]) -> tuple[int, Masses]:
    """
    Return the exact distribution of a sum of draws: from each stratum of n numbers, n with replacement.

    The result is (start, masses of start, start + 1, …): the product over strata of the n-th power of one
    draw's characteristic function, transformed back. Many long strata are split in halves and convolved,
    so that the cost grows as L·log²L of the length L. Absolute error of a mass below 1e-12 for up to some
    10,000 draws.
    """
    length = 1 + sum(len(units) * int(units.max() - units.min()) for units in strata)
    size = _transform_size(length)
    if len(strata) > 1 and len(strata) * size > ONE_TRANSFORM:
        middle = len(strata) // 2
        (start, left), (more, right) = sum_of_draws(strata[:middle]), sum_of_draws(strata[middle:])
        spectrum = np.fft.rfft(left, size) * np.fft.rfft(right, size)
    else:
        start, more = sum(len(units) * int(units.min()) for units in strata), 0
        spectrum = np.ones(size // 2 + 1, dtype=np.complex128)
        for units in strata:
            one = np.bincount(units - units.min()) / len(units)
            spectrum *= _power(np.fft.rfft(one, size), len(units))
    return start + more, _cleaned(np.fft.irfft(spectrum, size)[:length])


def _power(spectrum: Spectrum, n: int) -> Spectrum:
    """Return the n-th power by squaring: several times faster than numpy's, which goes by logarithms."""
    result = np.ones_like(spectrum)
    while n:
        if n % 2:
            result = result * spectrum
        spectrum, n = spectrum * spectrum, n // 2
    return result


def _transform_size(length: int) -> int:
    # One point alone has no half spectrum.
    return max(2, 1 << (length - 1).bit_length())


def _cleaned(masses: Masses) -> Masses:
    """Clip what rounding pushed below zero and restore the sum of 1."""
    clipped: Masses = np.clip(masses, 0.0, None)
    clipped /= clipped.sum()
    return clipped
