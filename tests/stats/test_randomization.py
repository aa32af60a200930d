"""Randomization tests: enumeration, scipy, tiny tails in whole numbers, laws."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from statsmodels.stats.contingency_tables import mcnemar

from pytest_judgeaudit.stats import randomization_p
from pytest_judgeaudit.stats.randomization import mcnemar_p, redrawn_p

LATTICES = st.sampled_from([1, 2, 3, 4, 10])


def enumerated_p(differences: list[float]) -> float:
    """The share of all sign patterns whose sum is at least as far from zero, in fractions."""
    exact = [Fraction(d).limit_denominator(1000) for d in differences]
    observed = abs(sum(exact))
    signs = itertools.product((1, -1), repeat=len(exact))
    return sum(
        abs(sum(s * d for s, d in zip(row, exact, strict=True))) >= observed for row in signs
    ) / 2 ** len(exact)


@given(LATTICES, st.lists(st.integers(-4, 4), max_size=8))
@settings(max_examples=80, deadline=None)
def test_p_equals_the_share_of_all_sign_patterns(lattice, units):
    differences = [unit / lattice for unit in units]
    assert randomization_p(differences) == pytest.approx(enumerated_p(differences), abs=1e-12)


@given(st.lists(st.sampled_from([1.0, 2**0.5, 3**0.5, -(5**0.5), 0.0]), min_size=1, max_size=9))
@settings(max_examples=40, deadline=None)
def test_p_of_differences_on_no_lattice_is_enumerated(differences):
    sums = np.array(
        [np.dot(row, differences) for row in itertools.product((1, -1), repeat=len(differences))]
    )
    expected = np.mean(np.abs(sums) >= abs(sum(differences)) - 1e-9)
    assert randomization_p(differences) == pytest.approx(expected)


def test_many_differences_on_no_lattice_are_drawn_near_the_exact_p():
    rng = np.random.default_rng(2)
    near = rng.choice([-1, 0, 1], size=60, p=[0.2, 0.3, 0.5])
    off = near + rng.normal(scale=1e-7, size=60)
    found = randomization_p(off.tolist())
    exact = randomization_p(near.tolist())
    assert found == randomization_p(off.tolist())
    # Noise breaks ties with the observed sum, so half of their mass may be lost.
    tie = randomization_p(near.tolist()) - randomization_p([*near.tolist(), 1, 1])
    assert exact - abs(tie) - 0.005 <= found <= exact + 0.005


def test_a_lattice_too_fine_to_convolve_is_drawn():
    differences = np.random.default_rng(9).normal(size=3000).round(4).tolist()
    assert randomization_p(differences, draws=99) * 100 == pytest.approx(
        round(randomization_p(differences, draws=99) * 100)
    )


def test_huge_differences_overflow_nothing():
    assert randomization_p([1e300] * 3) == 2 / 2**3


@pytest.mark.parametrize(("plus", "minus"), [(10, 0), (7, 3), (60, 20), (300, 100)])
def test_equal_sizes_are_the_two_sided_sign_test(plus, minus):
    expected = binomtest(plus, plus + minus).pvalue
    found = randomization_p([0.5] * plus + [-0.5] * minus)
    assert found == pytest.approx(expected, rel=1e-10)


def test_the_far_tail_of_two_sizes_is_right_in_relative_terms():
    # Two binomials in whole numbers: 30 differences of 1 and 70 of 1/2, all but three up.
    differences = [1.0] * 30 + [0.5] * 67 + [-0.5] * 3
    count = sum(
        comb(30, x) * comb(70, y)
        for x in range(31)
        for y in range(71)
        if 2 * (2 * x - 30) + (2 * y - 70) >= 2 * 30 + 64
    )
    assert randomization_p(differences) == pytest.approx(2 * count / 2**100, rel=1e-12, abs=0)


def test_no_difference_has_p_1_and_equal_ones_2_over_2_to_the_n():
    assert randomization_p([]) == 1
    assert randomization_p([0.0] * 6) == 1
    assert randomization_p([0.5] * 10) == pytest.approx(2 / 2**10, rel=1e-12)
    assert randomization_p([-1.0] * 60) == pytest.approx(2 / 2**60, rel=1e-12)


def test_p_is_never_0_where_it_underflows():
    assert randomization_p([1.0] * 5000) > 0
    assert mcnemar_p(0, 5000) > 0


@given(LATTICES, st.lists(st.integers(-4, 4), max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_p_ignores_order_sign_scale_and_tasks_without_a_difference(lattice, units, chance):
    differences = [unit / lattice for unit in units]
    found = randomization_p(differences)
    assert 0 < found <= 1
    assert randomization_p(chance.sample(differences, len(differences))) == found
    assert randomization_p([-d for d in differences]) == found
    assert randomization_p([*differences, 0.0, 0.0]) == found
    assert randomization_p([2 * d for d in differences]) == pytest.approx(found, rel=1e-9)


def test_rounding_noise_of_averages_is_no_difference():
    noise = 0.1 + 0.2 - 0.3
    assert randomization_p([noise, 0.5, 0.5, -noise]) == randomization_p([0.5, 0.5])


@pytest.mark.parametrize("sizes", [(1,), (1, 2), (1, 2, 4)])
def test_a_hundred_thousand_differences_agree_with_the_normal_approximation(sizes):
    rng = np.random.default_rng(6)
    differences = rng.choice([-s for s in sizes] + list(sizes), size=100_000) / max(sizes)
    scale = np.sqrt((differences**2).sum())
    from_normal = 2 * _normal_tail(abs(differences.sum()) / scale)
    assert randomization_p(differences.tolist()) == pytest.approx(from_normal, abs=0.01)


def _normal_tail(z: float) -> float:
    # The normal tail as the limit of a fair binomial, so that no second library is needed.
    return float(binom.sf(np.floor(5e7 + z * 5e3) - 1, 10**8, 0.5))


@pytest.mark.parametrize("differences", [[float("nan")], [0.5, float("inf")]])
def test_what_is_no_number_is_refused(differences):
    with pytest.raises(ValueError, match="a difference must be a finite number"):
        randomization_p(differences)


def test_a_test_needs_a_draw():
    with pytest.raises(ValueError, match="draws must be an integer of at least 1"):
        randomization_p([0.5], draws=0)


# McNemar


@pytest.mark.parametrize(("b", "c"), [(0, 6), (1, 9), (3, 3), (12, 5), (40, 70), (0, 1)])
def test_mcnemar_equals_statsmodels(b, c):
    expected = mcnemar([[20, b], [c, 10]], exact=True).pvalue
    assert mcnemar_p(b, c) == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=60, deadline=None)
def test_mcnemar_is_symmetric_and_the_sign_flip_of_whole_differences(b, c):
    assert mcnemar_p(b, c) == mcnemar_p(c, b)
    assert mcnemar_p(b, c) == pytest.approx(randomization_p([1.0] * b + [-1.0] * c), rel=1e-9)


def test_no_discordant_task_has_p_1():
    assert mcnemar_p(0, 0) == 1


@pytest.mark.parametrize(("b", "c"), [(-1, 0), (0, -1), (0.5, 1)])
def test_impossible_counts_are_refused(b, c):
    with pytest.raises(ValueError, match="must be an integer of at least 0"):
        mcnemar_p(b, c)


# Redrawn assignments


def test_redrawn_statistics_count_themselves_once():
    assert redrawn_p(2.0, []) == 1
    assert redrawn_p(2.0, [1.0, -2.0, 3.0, 0.0]) == 3 / 5
