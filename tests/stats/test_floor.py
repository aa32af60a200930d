"""Floor adjustment: published scores, edges."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.stats import floor_adjusted


@pytest.mark.parametrize(("score", "published"), [(73.47, 0.605), (66.23, 0.497)])
def test_published_scores_over_the_published_floor(score, published):
    assert round(floor_adjusted(score, 32.88), 3) == published


def test_the_floor_is_0_full_marks_are_1_and_below_the_floor_is_negative():
    assert floor_adjusted(32.88, 32.88) == 0
    assert floor_adjusted(100, 32.88) == 1
    assert floor_adjusted(20, 32.88) < 0


def test_without_a_floor_it_is_the_share_of_full_marks():
    assert floor_adjusted(50, 0) == 0.5


@pytest.mark.parametrize(("score", "floor"), [(50, 100), (50, -1), (101, 10), (-1, 10), (float("nan"), 10)])
def test_scores_and_floors_off_the_scale_are_refused(score, floor):
    with pytest.raises(ValueError, match="must"):
        floor_adjusted(score, floor)
