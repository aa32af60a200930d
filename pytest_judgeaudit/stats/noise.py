"""How much means move between two runs of one configuration, and what that says of a contrast."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_judgeaudit.stats._checks import check_finite, check_whole

FEWEST_CELLS = 4
"""Fewer replicated cells give no noise floor: one cell has a range of 0, which everything exceeds."""


def noise_range(differences: Sequence[float]) -> float | None:
    """
    Return the range of cell-mean differences that should be zero: their maximum minus their minimum.

    None for fewer than four cells. A contrast below the range is within noise; above it is no test: see
    :func:`exceeds_range`. Raises ValueError for a difference that is not a finite number.

    >>> noise_range([1.5, -2.0, 0.25, 0.0]), noise_range([1.5, -2.0, 0.25])
    (3.5, None)
    """
    for difference in differences:
        check_finite("a difference", difference)
    return max(differences) - min(differences) if len(differences) >= FEWEST_CELLS else None


def exceeds_range(cells: int, *, width: float = 1.0) -> float:
    """
    Return the chance that a contrast without any effect exceeds the range of so many cells.

    Model: all differences are independent and normal with mean 0; the contrast has ``width`` times the
    standard deviation of a replicate difference (1 for two cells' means of one run each, √2 for an
    interaction of four). By quadrature: ∫ k φ(x) [Φ(x+r) − Φ(x)]^(k−1) dx is the distribution of the range
    (Kendall and Stuart, The Advanced Theory of Statistics 1, 14.10). Raises ValueError for fewer than two
    cells.

    The source's design of four cells:

    >>> round(exceeds_range(4), 2), round(exceeds_range(4, width=2**0.5), 2)
    (0.11, 0.21)
    """
    import numpy as np  # noqa: PLC0415 - a plain pytest run pays for neither
    from scipy.special import ndtr  # noqa: PLC0415

    check_whole("cells", cells, least=2)
    if not width > 0:
        raise ValueError(f"width must be above 0, got {width!r}")
    grid, step = np.linspace(-9.0, 9.0, 361, retstep=True)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    # P(|contrast| > range) = ∫ P(range < r) times the density of |contrast| at r.
    apart, wide = np.linspace(0.0, 9.0 * width, 721, retstep=True)
    inside = ndtr(grid[None, :] + apart[:, None]) - ndtr(grid)[None, :]
    below = cells * step * (density * inside ** (cells - 1)).sum(axis=1)
    heights = 2 * np.exp(-((apart / width) ** 2) / 2) / (np.sqrt(2 * np.pi) * width)
    joint = below * heights
    return float(wide * (joint.sum() - (joint[0] + joint[-1]) / 2))
