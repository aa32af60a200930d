"""Shares of replicates with the same winner: certainty, ties, enumeration."""

from __future__ import annotations

import itertools

import pytest

from pytest_judgeaudit.stats.agreement import winner_shares

LOSSES = {"pi_c": 0.0, "lambda_c": 1.0, "lambda_w": 1.0, "lambda_t": 0.25, "lambda_i": 5.0}


def test_a_cell_that_is_better_on_every_task_always_wins():
    clone = {"a": [(0, 0)] * 5, "b": [(0, 0)] * 5}
    signal = {"a": [(0, 0, 0)] * 5, "b": [(0.5, 0, 0)] * 5}
    assert all(row == {"a": 1, "b": 0} for row in winner_shares(clone, signal, draws=50))


def test_equal_cells_tie_in_every_replicate():
    clone = {"a": [(0, 0), (1, 0)], "b": [(0, 0), (1, 0)]}
    signal = {"a": [(0, 0, 0), (1, 0, 0)], "b": [(0, 0, 0), (1, 0, 0)]}
    assert all(row == {"a": 1, "b": 1} for row in winner_shares(clone, signal, draws=50))


def test_the_share_is_that_of_all_resamples_of_the_tasks():
    wrong = {"a": [1, 1, 0, 0], "b": [0, 0, 0, 1]}
    resamples = list(itertools.product(range(4), repeat=4))
    wins = sum(sum(wrong["b"][i] for i in row) <= sum(wrong["a"][i] for i in row) for row in resamples)
    signal = {name: [(w, 0, 0) for w in tasks] for name, tasks in wrong.items()}
    clone = {name: [(0, 0)] for name in wrong}
    [found] = winner_shares(clone, signal, scenarios=[LOSSES], draws=40_000)
    assert found["b"] == pytest.approx(wins / len(resamples), abs=0.012)


def test_clone_errors_decide_when_clones_are_all_that_is_judged():
    clone = {"a": [(0, 0)] * 3, "b": [(1, 0)] * 3}
    signal = {"a": [(1, 0, 0)] * 3, "b": [(0, 0, 0)] * 3}
    [found] = winner_shares(clone, signal, scenarios=[{**LOSSES, "pi_c": 1.0}], draws=20)
    assert found == {"a": 1, "b": 0}


@pytest.mark.parametrize(
    ("clone", "signal", "message"),
    [
        ({}, {}, "the same cells"),
        ({"a": [(0, 0)]}, {"b": [(0, 0, 0)]}, "the same cells"),
        ({"a": [(0, 0)], "b": []}, {"a": [(0, 0, 0)], "b": [(0, 0, 0)]}, "a row of 2 rates"),
        ({"a": [(0, 0)]}, {"a": [(0, 0)]}, "a row of 3 rates"),
    ],
)
def test_cells_that_do_not_match_are_refused(clone, signal, message):
    with pytest.raises(ValueError, match=message):
        winner_shares(clone, signal)
