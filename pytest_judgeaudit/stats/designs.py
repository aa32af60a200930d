"""Contrasts of two crossed factors: how much of a premium a rename removes, and what an interaction is."""

from __future__ import annotations

from typing import NamedTuple

from pytest_judgeaudit.stats._checks import check_finite

# Means are rounded sums: two that ought to be equal differ by some of their last digits, and a share of
# that difference would be any number, even an infinite one. No rubric tells a billionth of a point.
NO_GAP = 1e-9


class Pair(NamedTuple):
    """The means of two corpora, in points: the one with the higher floor as it is, and the other."""

    high: float
    low: float

    @property
    def gap(self) -> float:
        """The higher corpus' mean minus the other's."""
        return self.high - self.low


class RenameFigures(NamedTuple):
    """
    What a rename does to the gap between two corpora; effects are after − before, in points.

    Three shares are made of it, which answer three questions and have to be named: ``premium_removed`` is
    what the higher corpus alone lost of the gap, ``gap_closed`` by how much the gap shrank, and
    ``sighted_closed`` the same where each corpus' score with access is taken off first. A share is None
    where there is no gap to take it of, which is one within ``NO_GAP`` points.
    """

    effect_high: float
    effect_low: float
    differential: float
    gap_before: float
    gap_after: float
    premium_removed: float | None
    gap_closed: float | None
    sighted_before: float | None = None
    sighted_after: float | None = None
    sighted_closed_by: float | None = None
    sighted_closed: float | None = None


def rename_figures(
    before: Pair, after: Pair, *, sighted_before: Pair | None = None, sighted_after: Pair | None = None
) -> RenameFigures:
    """
    Contrast the blind means of two corpora before and after a rename (METHODS 4, designs).

    Estimand: differences of means; nothing is assumed, and nothing is tested. The shares assume that a
    rubric's total is a scale on which differences of two cells mean the same everywhere. The sighted
    figures need both sighted pairs. Raises ValueError for a mean that is not a finite number.

    The source's figures, typed in as it printed them:

    >>> found = rename_figures(Pair(32.88, 23.77), Pair(25.21, 22.83))
    >>> round(found.premium_removed, 2), round(found.gap_closed, 2)
    (0.84, 0.74)
    """
    for pair in (before, after, sighted_before, sighted_after):
        for value in pair or ():
            check_finite("a mean", value)
    effects = Pair(after.high - before.high, after.low - before.low)
    plain = RenameFigures(
        effect_high=effects.high,
        effect_low=effects.low,
        differential=-effects.gap,
        gap_before=before.gap,
        gap_after=after.gap,
        premium_removed=share_of(-effects.high, before.gap),
        gap_closed=share_of(-effects.gap, before.gap),
    )
    if sighted_before is None or sighted_after is None:
        return plain
    above, below = before.gap - sighted_before.gap, after.gap - sighted_after.gap
    return plain._replace(
        sighted_before=above,
        sighted_after=below,
        sighted_closed_by=above - below,
        sighted_closed=share_of(above - below, above),
    )


def share_of(part: float, whole: float) -> float | None:
    """Return ``part`` / ``whole``, two differences in points; None where ``whole`` is within ``NO_GAP``."""
    return None if abs(whole) <= NO_GAP else part / whole


def interaction(first: Pair, second: Pair) -> float:
    """
    Return the interaction of two factors: the higher corpus' swing minus the other's.

    ``first`` and ``second`` are the two levels. The source's swings of 10.33 and .12, whose difference it
    prints as 10.22:

    >>> round(interaction(Pair(32.88, 23.77), Pair(22.55, 23.65)), 2)
    10.21
    """
    for value in (*first, *second):
        check_finite("a mean", value)
    return (first.high - second.high) - (first.low - second.low)
