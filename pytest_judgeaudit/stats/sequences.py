"""Sequences of conditions that balance period and carry-over. Without numpy: collection needs them."""

from __future__ import annotations

from pytest_judgeaudit.stats._checks import check_whole


def williams(conditions: int) -> tuple[tuple[int, ...], ...]:
    """
    Return the sequences of a Williams design: a row a sequence, a column a period.

    Every condition stands once in each row and equally often in each column, and every one follows every
    other equally often: once in all rows of an even number of conditions, twice in the double square of an
    odd one (Williams, 1949). Raises ValueError for a number below 1.

    >>> williams(4)
    ((0, 3, 1, 2), (1, 0, 2, 3), (2, 1, 3, 0), (3, 2, 0, 1))
    """
    check_whole("conditions", conditions, least=1)
    zigzag, low, high = [0], 1, conditions - 1
    while len(zigzag) < conditions:
        zigzag.append(high if len(zigzag) % 2 else low)
        high, low = (high - 1, low) if len(zigzag) % 2 == 0 else (high, low + 1)
    rows = [tuple((one + shift) % conditions for one in zigzag) for shift in range(conditions)]
    mirrored = [row[::-1] for row in rows] if conditions % 2 and conditions > 1 else []
    return (*rows, *mirrored)
