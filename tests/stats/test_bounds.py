"""Binomial bounds and tails: published figures, scipy, exact summation, laws."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint

from pytest_judgeaudit.stats import clopper_pearson_lower, clopper_pearson_upper
from pytest_judgeaudit.stats.bounds import adverse_allowed, binomial_tail

BOUNDS = (clopper_pearson_upper, clopper_pearson_lower)


@pytest.mark.parametrize(
    ("adverse", "n", "upper", "raw"),
    [
        (0, 102, 0.0289, 0.00534),
        (2, 102, 0.0604, 0.1103),
        (0, 96, 0.0307, 0.00727),
        (0, 485, 0.00616, 1.5702e-11),
    ],
)
def test_published_clone_cells_are_met_to_the_printed_digit(adverse, n, upper, raw):
    assert f"{clopper_pearson_upper(adverse, n):.3g}" == f"{upper:.3g}"
    assert binomial_tail(adverse, n, 0.05) == pytest.approx(raw, rel=1e-3)


@pytest.mark.parametrize("n", [1, 2, 7, 59, 102, 200])
def test_bounds_equal_those_of_scipy_for_every_count(n):
    for k in range(n + 1):
        upper = binomtest(k, n, alternative="less").proportion_ci(0.95, method="exact").high
        lower = binomtest(k, n, alternative="greater").proportion_ci(0.95, method="exact").low
        assert clopper_pearson_upper(k, n) == pytest.approx(upper, abs=1e-9)
        assert clopper_pearson_lower(k, n) == pytest.approx(lower, abs=1e-9)


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.99])
def test_bounds_are_the_ends_of_the_two_sided_interval_of_statsmodels(confidence):
    low, high = proportion_confint(13, 60, alpha=2 * (1 - confidence), method="beta")
    assert clopper_pearson_lower(13, 60, confidence=confidence) == pytest.approx(low, abs=1e-12)
    assert clopper_pearson_upper(13, 60, confidence=confidence) == pytest.approx(high, abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 485), (2, 102), (7, 96), (20, 300), (96, 96)])
def test_the_tail_equals_exact_fractions(k, n):
    rate = Fraction(0.05)
    exact = sum(comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(k + 1))
    assert binomial_tail(k, n, 0.05) == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.parametrize(("k", "n", "rate"), [(132, 829, 0.75), (212, 414, 0.93), (20, 1000, 0.05)])
def test_the_far_tail_of_a_thousand_tasks_has_a_relative_error_below_1e_11(k, n, rate):
    share = Fraction(rate)
    exact = sum(comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k + 1))
    assert binomial_tail(k, n, rate) == pytest.approx(float(exact), rel=1e-11, abs=0)


def test_the_far_tail_of_485_tasks_is_right_to_1e_17():
    assert abs(binomial_tail(0, 485, 0.05) - float(Fraction(19, 20) ** 485)) < 1e-17


@pytest.mark.parametrize("n", [5, 20, 60, 102])
@pytest.mark.parametrize("rate", [0.001, 0.02, 0.05, 0.1, 0.5, 0.93])
def test_summed_over_all_outcomes_both_bounds_cover(n, rate):
    mass = [float(binom.pmf(k, n, rate)) for k in range(n + 1)]
    above = sum(mass[k] for k in range(n + 1) if clopper_pearson_upper(k, n) >= rate)
    below = sum(mass[k] for k in range(n + 1) if clopper_pearson_lower(k, n) <= rate)
    assert above >= 0.95 - 1e-12
    assert below >= 0.95 - 1e-12


@given(st.integers(1, 400), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(max_examples=60, deadline=None)
def test_bounds_enclose_the_share_mirror_each_other_and_grow_with_the_count(n, data, confidence):
    k = data.draw(st.integers(0, n - 1))
    upper, lower = (bound(k, n, confidence=confidence) for bound in BOUNDS)
    assert lower <= k / n <= upper
    assert upper == pytest.approx(1 - clopper_pearson_lower(n - k, n, confidence=confidence), abs=1e-12)
    assert clopper_pearson_upper(k + 1, n, confidence=confidence) > upper
    assert clopper_pearson_lower(k + 1, n, confidence=confidence) > lower


@given(st.integers(1, 400), st.data())
@settings(max_examples=60, deadline=None)
def test_the_upper_bound_is_at_most_u_exactly_when_the_tail_at_u_is_at_most_alpha(n, data):
    k = data.draw(st.integers(0, n))
    assert (clopper_pearson_upper(k, n) <= 0.05) == (binomial_tail(k, n, 0.05) <= 1 - 0.95)


def test_all_adverse_has_the_upper_bound_1_and_no_success_the_lower_bound_0():
    assert clopper_pearson_upper(12, 12) == 1
    assert clopper_pearson_lower(0, 12) == 0


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(
    ("count", "n", "confidence"),
    [(-1, 10, 0.95), (11, 10, 0.95), (1, 0, 0.95), (1.5, 10, 0.95), (1, 10, 1.0)],
)
def test_impossible_counts_and_confidences_are_refused(bound, count, n, confidence):
    with pytest.raises(ValueError, match="must"):
        bound(count, n, confidence=confidence)


@pytest.mark.parametrize("m", [1, 3, 6])
@pytest.mark.parametrize("n", [1, 58, 59, 93, 200])
def test_the_most_adverse_tasks_allowed_are_those_of_a_plain_search(n, m):
    passing = [k for k in range(n + 1) if m * binom.cdf(k, n, 0.05) <= 0.05 + 1e-15]
    assert adverse_allowed(n, m=m) == max(passing, default=-1)
