"""Randomization tests for a design that assigned sequences: the whole assignment is redrawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import factorial

import numpy as np
import numpy.typing as npt

from pytest_judgeaudit.stats._checks import check_whole
from pytest_judgeaudit.stats.randomization import DRAWS
from pytest_judgeaudit.stats.sequences import williams

Outcomes = npt.NDArray[np.int64]
Weights = Mapping[str, Sequence[int]]
"""By the name of a contrast, a whole number for each condition."""

TABLED = 600_000
"""Up to so many assignments of one block, all of them are listed and one of them is drawn."""


def crossover_p(
    blocks: Sequence[Sequence[Sequence[int]]],
    observed: Mapping[str, int],
    weights: Weights,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, float]:
    """
    Two-sided p-values of the schedule-wide sharp null, by redrawing the whole assignment from its design.

    ``blocks`` hold, for each task of a block, its outcome in each period, as a whole number; a block has
    at most as many tasks as there are sequences in
    :func:`~pytest_judgeaudit.stats.sequences.williams`. The design: in each block the conditions
    are put to the square's letters in a random order, and the sequences to the tasks in a random order.
    Under the null an outcome depends on task and period alone, so that a redraw keeps the outcomes and
    moves the conditions. Statistic: the sum over outcomes of the ``weights`` of their conditions,
    ``observed`` with the assignment that was used. p = (1 + #{|T| ≥ |t|})/(1 + ``draws``), equality
    included; all contrasts share the draws. Raises ValueError for blocks of another form.
    """
    check_whole("draws", draws, least=1)
    sizes = {len(row) for block in blocks for row in block}
    if len(sizes) != 1:
        raise ValueError(f"blocks must hold outcomes of the same periods, got lengths {sorted(sizes)}")
    (conditions,) = sizes
    rows = np.array(williams(conditions))
    if any(not 1 <= len(block) <= len(rows) for block in blocks):
        raise ValueError(f"a block must hold 1 to {len(rows)} tasks")
    table = np.array([weights[name] for name in weights], dtype=np.int64)
    rng = np.random.default_rng(seed)
    sums = np.zeros((len(table), draws), dtype=np.int64)
    for block in blocks:
        outcomes = np.array(block, dtype=np.int64)
        if outcomes.any():  # a block without any outcome adds nothing, however it is assigned
            sums += _redrawn(_by_letter(outcomes, rows), table, draws, rng)
    extreme = (np.abs(sums) >= np.abs([[observed[name]] for name in weights])).sum(axis=1)
    return {name: (1 + int(count)) / (1 + draws) for name, count in zip(weights, extreme, strict=True)}


def _by_letter(outcomes: Outcomes, rows: Outcomes) -> Outcomes:
    """Return, by task, sequence and letter of the square, the outcome in the period of that letter."""
    return outcomes[:, np.argsort(rows, axis=1)]


def _redrawn(by_letter: Outcomes, table: Outcomes, draws: int, rng: np.random.Generator) -> Outcomes:
    """Return the sums of one block, by contrast and draw."""
    tasks, sequences, conditions = by_letter.shape
    if factorial(sequences) * factorial(conditions) <= TABLED:
        orders = np.array(list(permutations(range(sequences), tasks)))
        labels = np.array(list(permutations(range(conditions))))
        letters = sum(by_letter[task][orders[:, task]] for task in range(tasks))
        every = np.einsum("ol,cpl->cop", letters, table[:, labels]).reshape(len(table), -1)
        return np.asarray(every[:, rng.integers(every.shape[1], size=draws)], dtype=np.int64)
    orders = rng.permuted(np.tile(np.arange(sequences), (draws, 1)), axis=1)
    labels = rng.permuted(np.tile(np.arange(conditions), (draws, 1)), axis=1)
    letters = sum(by_letter[task][orders[:, task]] for task in range(tasks))
    return np.asarray(np.einsum("dl,cdl->cd", letters, table[:, labels]), dtype=np.int64)
