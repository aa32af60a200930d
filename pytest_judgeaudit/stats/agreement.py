"""How often a resample of the tasks agrees on which cell has the lowest expected loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pytest_judgeaudit.stats._checks import check_whole
from pytest_judgeaudit.stats.risk import Losses, source_grid

Array: TypeAlias = NDArray[np.float64]

CLONE = ("dark_current", "invalid_clone")
SIGNAL = ("wrong", "tie", "invalid_signal")


def winner_shares(
    clone: Mapping[str, Sequence[Sequence[float]]],
    signal: Mapping[str, Sequence[Sequence[float]]],
    *,
    scenarios: Sequence[Losses] | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> list[dict[str, float]]:
    """
    Return, for each scenario, the share of task-bootstrap replicates in which a cell has the lowest loss.

    ``clone`` maps each cell to its clone tasks, a row (dark current, invalid) each; ``signal`` to its
    signal tasks, a row (wrong, tie, invalid) of rates over the task's orders each. Every cell lists the
    same tasks in the same order: a replicate resamples tasks within an arm, for all cells together. Ties
    count for every cell that ties, so that shares may sum to more than 1. Scenarios as in ``risk_grid``,
    without an equivalence term. Raises ValueError when cells or shapes differ.

    >>> clone = {"a": [(0, 0)] * 4, "b": [(0, 0)] * 4}
    >>> signal = {"a": [(0, 0, 0)] * 4, "b": [(0.5, 0, 0)] * 4}
    >>> shares = winner_shares(clone, signal, draws=10)
    >>> len(shares), shares[0]
    (96, {'a': 1.0, 'b': 0.0})
    """
    check_whole("draws", draws, least=1)
    if set(clone) != set(signal) or not clone:
        raise ValueError(
            f"clone and signal must hold the same cells, got {sorted(clone)} and {sorted(signal)}"
        )
    rng = np.random.default_rng(seed)
    names = list(clone)
    nulls = _replicates([clone[name] for name in names], len(CLONE), draws, rng)
    targets = _replicates([signal[name] for name in names], len(SIGNAL), draws, rng)
    chosen = source_grid() if scenarios is None else scenarios
    return [dict(zip(names, _shares(nulls, targets, losses), strict=True)) for losses in chosen]


def _replicates(
    cells: Sequence[Sequence[Sequence[float]]], width: int, draws: int, rng: np.random.Generator
) -> Array:
    """Mean rates of resampled tasks: shape (cells, draws, width)."""
    if len({len(rows) for rows in cells}) != 1 or {len(row) for rows in cells for row in rows} != {width}:
        raise ValueError(f"every cell must list the same tasks, a row of {width} rates each")
    rates = np.asarray(cells, dtype=np.float64)
    n = rates.shape[1]
    counts = rng.multinomial(n, np.full(n, 1 / n), size=draws)
    means: Array = counts @ rates / n
    return means


def _shares(nulls: Array, targets: Array, losses: Losses) -> list[float]:
    pi_c, invalid = losses["pi_c"], losses["lambda_i"]
    risk = pi_c * (nulls @ [losses["lambda_c"], invalid])
    risk = risk + (1 - pi_c) * (targets @ [losses["lambda_w"], losses["lambda_t"], invalid])
    return [float(share) for share in (risk <= risk.min(axis=0) + 1e-12).mean(axis=1)]
