"""Redraws of a balanced assignment: against enumeration, in size, and in power."""

from __future__ import annotations

import random
from itertools import permutations, product

import numpy as np
import pytest

from pytest_judgeaudit.stats import crossover
from pytest_judgeaudit.stats.crossover import crossover_p
from pytest_judgeaudit.stats.sequences import williams

WEIGHTS = {"criterion": [-1, -1, 1, 1], "order": [-1, 1, -1, 1], "interaction": [1, -1, -1, 1]}
"""Conditions: neutral AB, neutral BA, strict AB, strict BA."""


def assignments(tasks, conditions):
    """All assignments of one block, from the definition: by task, the condition of each period."""
    rows = williams(conditions)
    for order, labels in product(permutations(range(len(rows)), tasks), permutations(range(conditions))):
        yield [[labels[letter] for letter in rows[row]] for row in order]


def drawn(rng, tasks, conditions):
    """One assignment of one block, drawn by other means than the package's."""
    rows = list(williams(conditions))
    rng.shuffle(rows)
    labels = list(range(conditions))
    rng.shuffle(labels)
    return [[labels[letter] for letter in row] for row in rows[:tasks]]


def statistic(outcomes, assigned, weights):
    return sum(
        weights[condition] * outcome
        for task, row in zip(outcomes, assigned, strict=True)
        for outcome, condition in zip(task, row, strict=True)
    )


def enumerated(outcomes, observed, weights):
    """The share of all assignments of one block with a statistic at least as large."""
    every = [statistic(outcomes, one, weights) for one in assignments(len(outcomes), len(weights))]
    return sum(abs(value) >= abs(observed) for value in every) / len(every)


@pytest.mark.parametrize(("tasks", "seed"), [(4, 1), (4, 2), (3, 3), (2, 4), (1, 5)])
def test_one_block_agrees_with_all_its_assignments(tasks, seed):
    rng = random.Random(seed)  # noqa: S311
    outcomes = [[rng.randint(0, 1) for _ in range(4)] for _ in range(tasks)]
    assigned = drawn(rng, tasks, 4)
    observed = {name: statistic(outcomes, assigned, w) for name, w in WEIGHTS.items()}
    found = crossover_p([outcomes], observed, WEIGHTS, draws=40_000)
    for name, weights in WEIGHTS.items():
        exact = enumerated(outcomes, observed[name], weights)
        assert found[name] == pytest.approx(exact, abs=5 * (exact * (1 - exact) / 40_000) ** 0.5 + 5e-5)


def test_blocks_are_independent():
    # Each block of two conditions has a statistic of 2 or -2, each half of the time.
    blocks = [[[1, 0], [0, 1]]] * 6
    found = crossover_p(blocks, {"c": 12}, {"c": [1, -1]}, draws=60_000)
    assert found["c"] == pytest.approx(2 / 2**6, abs=5 * (2**-5 / 60_000) ** 0.5)


def test_large_designs_are_drawn_where_small_ones_are_listed(monkeypatch):
    rng = random.Random(3)  # noqa: S311
    blocks = [[[rng.randint(0, 1) for _ in range(4)] for _ in range(4)] for _ in range(5)]
    observed = dict.fromkeys(WEIGHTS, 4)
    listed = crossover_p(blocks, observed, WEIGHTS, draws=40_000)
    monkeypatch.setattr(crossover, "TABLED", 0)
    assert crossover_p(blocks, observed, WEIGHTS, draws=40_000) == pytest.approx(listed, abs=0.015)


def test_no_outcome_at_all_gives_one_and_a_p_is_never_zero():
    assert crossover_p([[[0] * 4] * 4], {"order": 0}, {"order": WEIGHTS["order"]}, draws=99) == {"order": 1}
    sure = [[[int(c < 2) for c in row] for row in williams(4)]] * 20
    labels = {"criterion": [1, 1, -1, -1]}
    assert crossover_p(sure, {"criterion": 160}, labels, draws=999)["criterion"] == 1 / 1000


def simulated(rng, tasks, effect):
    """The criterion's p where outcomes depend on task and period, and on the criterion by ``effect``."""
    blocks, total = [], 0
    for start in range(0, tasks, 4):
        assigned = drawn(rng, min(4, tasks - start), 4)
        block = []
        for row in assigned:
            ease = rng.random()
            rates = [ease * (1 - 0.15 * period) - effect * (c >= 2) for period, c in enumerate(row)]
            block.append([int(rng.random() < rate) for rate in rates])
        blocks.append(block)
        total += statistic(block, assigned, WEIGHTS["criterion"])
    found = crossover_p(
        blocks, {"c": total}, {"c": WEIGHTS["criterion"]}, draws=499, seed=rng.randrange(2**30)
    )
    return found["c"]


def test_a_drift_over_periods_is_rejected_no_more_often_than_the_level():
    rng = random.Random(11)  # noqa: S311
    p = np.array([simulated(rng, 18, 0.0) for _ in range(1000)])
    for level in (0.05, 0.2, 0.5):
        assert (p <= level).mean() <= level + 4 * (level * (1 - level) / 1000) ** 0.5


def test_an_effect_of_the_criterion_is_seen():
    rng = random.Random(12)  # noqa: S311
    assert np.mean([simulated(rng, 40, 0.3) <= 0.05 for _ in range(60)]) > 0.8


@pytest.mark.parametrize(
    ("blocks", "said"),
    [([], "same periods"), ([[[1], [1, 0]]], "same periods"), ([[[1, 0]] * 3], "1 to 2 tasks")],
)
def test_blocks_of_another_form_are_refused(blocks, said):
    with pytest.raises(ValueError, match=said):
        crossover_p(blocks, {"c": 0}, {"c": [1, -1]})
