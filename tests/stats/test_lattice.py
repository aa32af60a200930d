"""Lattices are found, and sums of draws have their exact distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.stats.lattice import (
    LatticeDistribution,
    denominator,
    in_units,
    sum_of_draws,
)


@pytest.mark.parametrize(
    ("scores", "found"),
    [
        ([0.0, 1.0], 1),
        ([0.0, 0.5, 1.0], 2),
        ([0.75, 0.5], 4),
        ([1 / 3, 2 / 3], 3),
        ([1 / 3, 0.25], 12),
        ([0.1 + 0.2], 10),
        ([-0.5, 1.0], 2),
        ([0.1234], 5000),
        ([73.47], 100),
        ([1e-17, 0.5], 2),
        ([0.123456], None),
        ([0.5**0.5], None),
        ([1 / 101, 1 / 103], None),
        ([1e300, 1.0], None),
    ],
)
def test_the_smallest_lattice_is_found_up_to_ten_thousandths(scores, found):
    assert denominator(np.array(scores)) == found


def test_scores_become_whole_units():
    assert in_units(np.array([0.0, 1 / 3, 1.0, -2 / 3]), 3).tolist() == [0, 1, 3, -2]


def test_a_score_off_the_lattice_is_refused():
    with pytest.raises(ValueError, match=r"multiples of 1/2, got 0\.3"):
        in_units(np.array([0.5, 0.3]), 2)


def by_addition(units: list[int]) -> np.ndarray:
    """The distribution of the sum of len(units) draws, one draw added at a time."""
    one = np.bincount(np.array(units) - min(units)) / len(units)
    total = np.ones(1)
    for _ in units:
        total = np.convolve(total, one)
    return total


@given(st.lists(st.integers(-3, 5), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_the_sum_of_draws_equals_direct_convolution_to_1e_12(units):
    start, masses = sum_of_draws([np.array(units)])
    assert start == len(units) * min(units)
    assert masses == pytest.approx(by_addition(units), abs=1e-12)
    assert (masses >= 0).all()


@pytest.mark.parametrize("n", [500, 2000])
def test_many_draws_equal_direct_convolution_to_1e_12(n):
    units = [0] * (n // 10) + [1] * (n // 5) + [2] * (n - n // 10 - n // 5)
    assert np.abs(sum_of_draws([np.array(units)])[1] - by_addition(units)).max() < 1e-12


@pytest.mark.parametrize("sizes", [(3, 4), (80, 90), (70, 3, 200, 65, 5), (500,) * 7, (2,) * 300])
def test_the_sum_over_strata_equals_direct_convolution_to_1e_12(sizes):
    rng = np.random.default_rng(3)
    strata = [rng.integers(-1, 3, size=size) for size in sizes]
    direct = np.ones(1)
    for units in strata:
        direct = np.convolve(direct, by_addition(units.tolist()))
    start, found = sum_of_draws(strata)
    assert start == sum(len(units) * units.min() for units in strata)
    assert np.abs(found - direct).max() < 1e-12


def test_a_quantile_is_the_smallest_point_that_reaches_the_level():
    coin = LatticeDistribution(start=0, units=2, masses=np.array([0.25, 0.5, 0.25]))
    assert [coin.quantile(level) for level in (0.1, 0.25, 0.2501, 0.75, 0.7501, 0.9999)] == [
        0,
        0,
        0.5,
        0.5,
        1,
        1,
    ]


def test_rounding_of_a_billionth_does_not_move_a_quantile():
    coin = LatticeDistribution(start=-1, units=2, masses=np.array([0.05 - 1e-10, 0.95 + 1e-10]))
    assert coin.quantile(0.05) == -0.5


def test_values_are_the_points_of_the_lattice():
    found = LatticeDistribution(start=-1, units=4, masses=np.ones(3) / 3)
    assert found.values.tolist() == [-0.25, 0, 0.25]
