"""Published figures and fixtures built to them, typed in; counts are tasks with score 0, ½ and 1."""

from __future__ import annotations

from typing import NamedTuple

Counts = tuple[int, int, int]


def scored(*counts: Counts) -> dict[str, list[float]]:
    """Strata of task scores from counts of tasks with score 0, ½ and 1."""
    return {f"s{i}": [0.0] * a + [0.5] * b + [1.0] * c for i, (a, b, c) in enumerate(counts)}


class Cell(NamedTuple):
    """A published signal cell: its strata, mean, bootstrap bound and Korn–Graubard bound."""

    counts: tuple[Counts, ...]
    mean: float
    lower: float
    lower_checked: float


UTILITY = {
    "qwen2.5 neutral": Cell(
        ((1, 4, 12), (1, 8, 8), (1, 6, 10), (1, 5, 11), (0, 3, 14), (0, 2, 15)),
        168 / 204,
        159 / 204,
        0.77301,
    ),
    "qwen2.5 strict": Cell(
        ((1, 7, 9), (2, 10, 5), (2, 10, 5), (2, 11, 4), (2, 10, 5), (3, 12, 2)),
        120 / 204,
        110 / 204,
        0.52842,
    ),
    "qwen3.6 neutral": Cell(
        ((0, 2, 15), (1, 4, 12), (0, 4, 13), (1, 4, 12), (0, 4, 13), (0, 4, 13)),
        178 / 204,
        170 / 204,
        0.82594,
    ),
    "qwen3.6 strict": Cell(
        ((1, 2, 14), (1, 5, 11), (1, 5, 11), (2, 7, 8), (2, 4, 11), (1, 3, 13)),
        162 / 204,
        152 / 204,
        0.73535,
    ),
    "gpt-oss neutral": Cell(
        ((2, 5, 10), (1, 2, 14), (0, 3, 14), (0, 0, 17), (0, 2, 15), (1, 2, 14)),
        182 / 204,
        174 / 204,
        0.8442,
    ),
    "485 neutral": Cell(
        ((7, 15, 137), (0, 0, 83), (3, 4, 34), (13, 28, 36), (10, 21, 69), (0, 0, 25)),
        836 / 970,
        816 / 970,
        0.84024,
    ),
    "485 strict": Cell(
        ((19, 32, 108), (3, 5, 75), (2, 4, 35), (35, 26, 16), (3, 4, 93), (1, 0, 24)),
        773 / 970,
        751 / 970,
        0.77351,
    ),
}

PRINTED_LOWER = {
    "qwen2.5 neutral": 0.779,
    "qwen2.5 strict": 0.539,
    "qwen3.6 neutral": 0.833,
    "qwen3.6 strict": 0.745,
    "gpt-oss neutral": 0.8529,
    "485 neutral": 0.84124,
    "485 strict": 0.77423,
}
