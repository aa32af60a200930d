"""The noise range, and how often a contrast without effect exceeds it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.stats.noise import exceeds_range, noise_range

FLOATS = st.floats(-100, 100)


def test_the_range_of_the_source_is_that_of_its_four_cells():
    assert noise_range([2.0, -1.88, 0.5, 0.0]) == pytest.approx(3.88)


@pytest.mark.parametrize("cells", range(4))
def test_fewer_than_four_cells_measure_nothing(cells):
    assert noise_range([1.0] * cells) is None


@given(st.lists(FLOATS, min_size=4, max_size=12), FLOATS)
def test_the_range_is_not_negative_and_ignores_a_shift_and_a_sign(values, shift):
    found = noise_range(values)
    assert found >= 0
    assert noise_range([value + shift for value in values]) == pytest.approx(found, abs=1e-9)
    assert noise_range([-value for value in values]) == pytest.approx(found, abs=1e-9)
    assert noise_range([*values, values[0]]) == found


def test_a_difference_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="a difference must be a finite number"):
        noise_range([0.0, math.nan, 1.0, 2.0])


@pytest.mark.parametrize(("cells", "chance"), [(2, 0.39), (3, 0.20), (4, 0.11), (6, 0.05), (8, 0.02)])
def test_the_chances_are_those_that_were_published(cells, chance):
    assert exceeds_range(cells) == pytest.approx(chance, abs=0.005)


def test_an_interaction_of_four_cells_exceeds_the_range_more_often():
    assert exceeds_range(4, width=math.sqrt(2)) == pytest.approx(0.21, abs=0.005)


@pytest.mark.parametrize("width", [0.5, 1.0, math.sqrt(2), 3.0])
def test_two_cells_have_a_closed_form(width):
    # |N(0, w²)| > |N(0, 2)|: the angle between two independent normals.
    assert exceeds_range(2, width=width) == pytest.approx(
        2 / math.pi * math.atan(width / math.sqrt(2)), abs=5e-5
    )


@pytest.mark.parametrize(("cells", "width"), [(3, 1.0), (4, 1.0), (4, 1.5), (6, 0.7)])
def test_drawn_replicates_exceed_the_range_as_often(cells, width):
    rng = np.random.default_rng(11)
    drawn = rng.normal(size=(400_000, cells))
    ranges = drawn.max(axis=1) - drawn.min(axis=1)
    exceeded = np.mean(np.abs(rng.normal(0, width, 400_000)) > ranges)
    assert exceeds_range(cells, width=width) == pytest.approx(exceeded, abs=0.003)


@given(st.integers(2, 9), st.floats(0.2, 4))
def test_more_cells_are_exceeded_less_and_wider_contrasts_more_often(cells, width):
    found = exceeds_range(cells, width=width)
    assert 0 < found < 1
    assert exceeds_range(cells + 1, width=width) < found < exceeds_range(cells, width=width * 1.2)


@pytest.mark.parametrize(("cells", "width"), [(1, 1.0), (2.5, 1.0), (4, 0.0), (4, -1.0), (4, math.nan)])
def test_arguments_are_checked(cells, width):
    with pytest.raises(ValueError, match="must be"):
        exceeds_range(cells, width=width)
