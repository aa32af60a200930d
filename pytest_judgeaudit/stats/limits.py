"""Comparisons of computed numbers with limits, so that rounding decides nothing."""

from __future__ import annotations

SLACK = 1e-12
"""How far a computed number may lie beyond a limit that it should equal."""


def at_most(value: float, limit: float) -> bool:
    """
    Tell whether a p-value or a bound is at most a limit, to 1e-12.

    1 − confidence is rounded, and so is a tail: P(Bin(9, ½) ≤ 4) is one half, and computed as a bit more.
    The slack is never more than a billionth of the limit, so that a tiny level stays what it is.

    >>> 0.5000000000000002 <= 1 - 0.5, at_most(0.5000000000000002, 1 - 0.5), at_most(0.51, 1 - 0.5)
    (False, True, False)
    """
    return value <= limit + _slack(limit)


def at_least(value: float, limit: float) -> bool:
    """
    Tell whether a bound is at least a limit, as :func:`at_most` does.

    >>> 1 - 0.9 >= 0.1, at_least(1 - 0.9, 0.1), at_least(0.09, 0.1)
    (False, True, False)
    """
    return value >= limit - _slack(limit)


def _slack(limit: float) -> float:
    return min(SLACK, 1e-9 * abs(limit))
