"""Interactions and renames: the source's figures, least squares, and the identities between the figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.stats.designs import NO_GAP, Pair, interaction, rename_figures

# Typed in as they were printed. The altitude means are 32.88 − 10.33 and 23.77 − .12. The sighted ones are
# only known by their differences: −.93 and +.32 after the rename, and 12.90 for blind less sighted before.
BLIND, ALTITUDE, RENAMED = Pair(32.88, 23.77), Pair(22.55, 23.65), Pair(25.21, 22.83)
SIGHTED, RENAMED_SIGHTED = Pair(73.47, 77.26), Pair(72.54, 77.58)
ROUNDED = 0.02
"""Figures typed in rounded agree to this."""


def test_the_published_interaction_is_reproduced():
    assert interaction(BLIND, ALTITUDE) == pytest.approx(10.22, abs=ROUNDED)


def test_the_published_figures_of_the_rename_are_reproduced():
    found = rename_figures(BLIND, RENAMED, sighted_before=SIGHTED, sighted_after=RENAMED_SIGHTED)
    assert found.effect_high == pytest.approx(-7.67, abs=ROUNDED)
    assert found.differential == pytest.approx(6.73, abs=ROUNDED)
    assert (found.gap_before, found.gap_after) == pytest.approx((9.12, 2.38), abs=ROUNDED)
    assert found.premium_removed == pytest.approx(0.84, abs=0.005)
    assert found.gap_closed == pytest.approx(0.74, abs=0.005)
    assert (found.sighted_before, found.sighted_after) == pytest.approx((12.90, 7.42), abs=ROUNDED)
    assert found.sighted_closed_by == pytest.approx(5.48, abs=ROUNDED)
    assert found.sighted_closed == pytest.approx(0.42, abs=0.005)


MEANS = st.floats(0, 100)
PAIRS = st.builds(Pair, MEANS, MEANS)


@given(PAIRS, PAIRS)
def test_an_interaction_is_the_coefficient_of_least_squares(first, second):
    # Columns: intercept, high corpus, first level, both.
    design = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])
    coefficients = np.linalg.lstsq(design, np.array([*first, *second]), rcond=None)[0]
    assert interaction(first, second) == pytest.approx(coefficients[3], abs=1e-8)


@given(PAIRS, PAIRS, MEANS, MEANS)
def test_an_interaction_ignores_what_moves_one_factor_alone(first, second, corpus, level):
    moved = interaction(
        Pair(first.high + corpus + level, first.low + level), Pair(second.high + corpus, second.low)
    )
    assert moved == pytest.approx(interaction(first, second), abs=1e-9)
    assert interaction(second, first) == pytest.approx(-interaction(first, second), abs=1e-9)


@given(PAIRS, PAIRS, PAIRS, PAIRS)
def test_the_figures_of_a_rename_hang_together(before, after, seen, renamed):
    found = rename_figures(before, after, sighted_before=seen, sighted_after=renamed)
    assert found.differential == pytest.approx(found.gap_before - found.gap_after, abs=1e-9)
    assert found.differential == pytest.approx(interaction(before, after), abs=1e-9)
    assert found.sighted_closed_by == pytest.approx(
        found.differential - interaction(seen, renamed), abs=1e-9
    )
    assert (found.gap_closed is None) == (abs(found.gap_before) <= NO_GAP)
    if found.gap_closed is not None:
        assert math.isfinite(found.gap_closed)
        assert found.gap_closed * found.gap_before == pytest.approx(found.differential, abs=1e-6)


@given(PAIRS, PAIRS, MEANS)
def test_where_sighted_scores_stay_equal_both_readings_agree(before, after, seen):
    same = Pair(seen, seen)
    found = rename_figures(before, after, sighted_before=same, sighted_after=same)
    assert found.sighted_closed_by == pytest.approx(found.differential, abs=1e-9)
    assert found.sighted_before == pytest.approx(found.gap_before, abs=1e-9)


def test_without_sighted_cells_there_are_no_sighted_figures():
    found = rename_figures(BLIND, RENAMED, sighted_before=SIGHTED)
    assert (found.sighted_before, found.sighted_closed) == (None, None)


def test_a_share_of_no_gap_is_none():
    found = rename_figures(Pair(30, 30), Pair(20, 25))
    assert (found.premium_removed, found.gap_closed, found.differential) == (None, None, 5)


@pytest.mark.parametrize("gap", [1.1e-308, 0.1 + 0.2 - 0.3, -NO_GAP])
def test_what_rounding_leaves_is_no_gap(gap):
    found = rename_figures(Pair(0, -gap), Pair(0, 2), sighted_before=Pair(0, 0), sighted_after=Pair(0, 0))
    assert (found.premium_removed, found.gap_closed, found.sighted_closed) == (None, None, None)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_mean_that_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="a mean must be a finite number"):
        interaction(Pair(value, 0), BLIND)
    with pytest.raises(ValueError, match="a mean must be a finite number"):
        rename_figures(BLIND, RENAMED, sighted_before=Pair(0, value), sighted_after=SIGHTED)
