"""Comparisons with limits: equal numbers are equal, whatever rounding made of them."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.stats.bounds import adverse_allowed, clopper_pearson_lower
from pytest_judgeaudit.stats.limits import at_least, at_most
from pytest_judgeaudit.stats.planning import (
    minimum_n,
    minimum_n_rate,
    minimum_tasks_all_correct,
    utility_can_pass,
)


@pytest.mark.parametrize(("value", "limit"), [(0.1 + 0.2, 0.3), (0.05, 1 - 0.95), (0.5 + 1e-13, 0.5)])
def test_numbers_that_differ_by_rounding_are_on_both_sides_of_each_other(value, limit):
    assert at_most(value, limit)
    assert at_most(limit, value)
    assert at_least(value, limit)
    assert at_least(limit, value)


@pytest.mark.parametrize("limit", [0.05, 0.5, 1e-9])
def test_a_difference_that_is_none_of_rounding_decides(limit):
    assert not at_most(limit * 1.00001, limit)
    assert not at_least(limit * 0.99999, limit)


def test_no_slack_makes_a_tiny_level_larger():
    assert not at_most(1.01e-12, 1e-12)


def test_half_of_nine_tasks_pass_at_one_half():
    # P(Bin(9, 1/2) <= 4) is 1/2 by symmetry, the level of a confidence of 1/2.
    assert minimum_n(4, upper=0.5, confidence=0.5) == 9
    assert adverse_allowed(9, upper=0.5, confidence=0.5) == 4


def test_one_task_in_a_family_of_five_reaches_one_tenth():
    # 5 x 0.02 = 0.1, the level of a confidence of 0.9.
    assert minimum_n(0, upper=0.98, confidence=0.9, m=5) == 1
    assert adverse_allowed(1, upper=0.98, confidence=0.9, m=5) == 0


def test_one_success_of_one_has_the_lower_bound_one_tenth():
    assert at_least(clopper_pearson_lower(1, 1, confidence=0.9), 0.1)
    assert minimum_n_rate(lower=0.1, confidence=0.9) == 1
    assert minimum_tasks_all_correct(lower=0.1, confidence=0.9) == 1


@pytest.mark.parametrize("bound", ["checked", "exact"])
def test_two_tasks_reach_the_root_of_their_level(bound):
    # 0.19 ** (1 / 2) by its own rounding: all of two tasks right at a confidence of 0.81.
    assert utility_can_pass([2], lower=0.19**0.5, confidence=0.81, bound=bound)
    assert minimum_tasks_all_correct(lower=0.19**0.5, confidence=0.81) == 2
