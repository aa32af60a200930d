"""What a score is worth above the floor that an agent without access reaches."""

from __future__ import annotations


def floor_adjusted(score: float, floor: float) -> float:
    """
    Rescale a score of 0 to 100 so that the floor is 0 and full marks are 1: (Y − X)/(100 − X).

    Both are question-balanced means over the same judges of one run. Negative below the floor. Within a
    run it reorders nothing; a floor of another run says nothing. Raises ValueError for values outside of
    [0, 100] and for a floor of 100, above which there is no scale.

    Two published scores over a published floor:

    >>> round(floor_adjusted(73.47, 32.88), 3), round(floor_adjusted(66.23, 32.88), 3)
    (0.605, 0.497)
    """
    if not 0 <= score <= 100:
        raise ValueError(f"score must lie between 0 and 100, got {score!r}")
    if not 0 <= floor < 100:
        raise ValueError(f"floor must be at least 0 and below 100, got {floor!r}")
    return (score - floor) / (100 - floor)
