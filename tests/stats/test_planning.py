"""Planning: published sizes and chances, plain searches, laws."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, binomtest, t

from pytest_judgeaudit.stats import minimum_n
from pytest_judgeaudit.stats.checked import exact_lower, korn_graubard_lower
from pytest_judgeaudit.stats.planning import (
    best_utility_bound,
    clone_power,
    minimum_n_rate,
    minimum_tasks_all_correct,
    minimum_tasks_utility,
    powerful_n,
    utility_can_pass,
)


@pytest.mark.parametrize(("k", "n"), list(enumerate([59, 93, 124, 153, 181, 208])))
def test_smallest_sizes_of_one_cell(k, n):
    assert minimum_n(k) == n


@pytest.mark.parametrize(("m", "n"), [(1, 59), (2, 72), (4, 86), (6, 94), (8, 99)])
def test_smallest_sizes_of_a_family_without_an_adverse_task(m, n):
    assert minimum_n(0, m=m) == n
    assert 0.95**n * m <= 0.05 < 0.95 ** (n - 1) * m


@given(st.integers(0, 8), st.sampled_from([0.02, 0.05, 0.2]), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_smallest_n_passes_and_the_one_before_does_not(k, upper, m):
    n = minimum_n(k, upper=upper, m=m)
    assert m * binom.cdf(k, n, upper) <= 0.05 + 1e-12
    assert m * binom.cdf(k, n - 1, upper) > 0.05 - 1e-12


# Power of one cell at the worst multiplier, true rates 0, .005, .01, .02.
@pytest.mark.parametrize(
    ("n", "m", "powers"),
    [
        (59, 1, [1, 0.744, 0.553, 0.304]),
        (59, 2, [0, 0, 0, 0]),
        (96, 1, [1, 0.916, 0.751, 0.425]),
        (96, 7, [0, 0, 0, 0]),
        (102, 1, [1, 0.907, 0.728, 0.393]),
        (485, 1, [1, 1, 1, 0.980]),
    ],
)
def test_chances_to_pass_of_the_table(n, m, powers):
    assert [clone_power(n, rate, m=m) for rate in (0, 0.005, 0.01, 0.02)] == pytest.approx(powers, abs=6e-4)


@pytest.mark.parametrize(("n", "size"), [(59, 0.0485), (96, 0.0440), (102, 0.0340), (485, 0.0469)])
def test_at_the_limit_itself_the_chance_to_pass_is_the_size_of_the_test(n, size):
    assert clone_power(n, 0.05) == pytest.approx(size, abs=6e-5)


@pytest.mark.parametrize(
    ("rate", "sizes"),
    [(0.005, [93, 110, 125, 170]), (0.01, [124, 173, 192, 234]), (0.02, [286, 338, 417, 458])],
)
def test_sizes_for_a_chance_of_four_in_five(rate, sizes):
    assert [powerful_n(rate, m=m) for m in (1, 2, 4, 6)] == sizes


@pytest.mark.parametrize(("rate", "m"), [(0.005, 6), (0.01, 2), (0.02, 1)])
def test_from_that_size_on_the_chance_stays_and_just_before_it_was_lower(rate, m):
    n = powerful_n(rate, m=m)
    assert clone_power(n - 1, rate, m=m) < 0.8
    assert min(clone_power(larger, rate, m=m) for larger in range(n, n + 300)) >= 0.8


def test_no_size_has_power_at_the_limit_itself():
    with pytest.raises(ValueError, match=r"rate must lie below upper = 0\.05, got 0\.05"):
        powerful_n(0.05)


@pytest.mark.parametrize("failures", [0, 1, 5])
def test_a_rate_gate_passes_at_its_smallest_n_and_not_before(failures):
    for claim, alternative in (({"upper": 0.1}, "less"), ({"lower": 0.9}, "greater")):
        n = minimum_n_rate(failures, **claim)
        for size, passes in ((n, True), (n - 1, False)):
            count = failures if alternative == "less" else size - failures
            interval = binomtest(count, size, alternative=alternative).proportion_ci(0.95, method="exact")
            reached = interval.high <= 0.1 if alternative == "less" else interval.low >= 0.9
            assert reached == passes


@pytest.mark.parametrize("claim", [{}, {"upper": 0.1, "lower": 0.9}])
def test_a_rate_gate_has_one_limit(claim):
    with pytest.raises(ValueError, match="give either upper or lower, and not both"):
        minimum_n_rate(**claim)


@pytest.mark.parametrize(
    "call",
    [
        lambda: minimum_n(-1),
        lambda: minimum_n(0, upper=1.0),
        lambda: minimum_n(0, confidence=0.0),
        lambda: minimum_n(0, m=0),
        lambda: clone_power(0, 0.01),
        lambda: clone_power(10, 1.5),
        lambda: powerful_n(0.01, power=1.0),
        lambda: minimum_n_rate(lower=1.0),
        lambda: minimum_tasks_all_correct(lower=0.0),
        lambda: best_utility_bound([0]),
        lambda: best_utility_bound([]),
        lambda: best_utility_bound([10], bound="bca"),
    ],
)
def test_impossible_plans_are_refused(call):
    with pytest.raises(ValueError, match="must"):
        call()


# Utility


@pytest.mark.parametrize("lower", [0.5, 0.75, 0.9, 0.99])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_fewest_correct_tasks_reach_the_limit_and_one_less_does_not(lower, confidence):
    n = minimum_tasks_all_correct(lower=lower, confidence=confidence)
    assert korn_graubard_lower({"all": [1.0] * n}, confidence=confidence) >= lower
    assert n == 1 or korn_graubard_lower({"all": [1.0] * (n - 1)}, confidence=confidence) < lower


def test_eleven_tasks_can_reach_three_quarters():
    assert minimum_tasks_all_correct() == 11
    assert not utility_can_pass([10])
    assert utility_can_pass([11])


def highest(sizes, presentations, weights=None):
    """The highest checked bound of all outcomes: every score of every task, whatever the order."""
    scores = [step / presentations for step in range(presentations + 1)]
    outcomes = itertools.product(*(itertools.combinations_with_replacement(scores, size) for size in sizes))
    names = [f"s{i}" for i in range(len(sizes))]
    shares = weights and dict(zip(names, weights, strict=True))
    return max(
        korn_graubard_lower(
            dict(zip(names, outcome, strict=True)), presentations=presentations, weights=shares
        )
        for outcome in outcomes
    )


@pytest.mark.parametrize(
    ("sizes", "presentations", "weights"),
    [
        ([11], 2, None),
        ([19], 2, None),
        ([20], 2, None),
        ([24], 2, None),
        ([20], 1, None),
        ([21], 3, None),
        ([2, 3, 4], 2, None),
        ([10, 11], 2, None),
        ([2, 2, 18], 2, None),
        ([2, 19], 2, [0.02, 0.98]),
        ([2, 19], 2, [0.5, 0.5]),
        ([5, 15], 2, [0.9, 0.1]),
    ],
)
def test_the_best_checked_bound_is_that_of_the_best_outcome(sizes, presentations, weights):
    found = best_utility_bound(sizes, presentations=presentations, weights=weights)
    assert found == pytest.approx(highest(sizes, presentations, weights), abs=1e-12)


def test_one_wrong_call_of_twenty_tasks_has_a_higher_bound_than_none():
    # R10 by hand: p = 39/40, v = (1/80)/20/20, n_e = p (1 - p)/v = 39 within 40 calls.
    assert best_utility_bound([20]) == pytest.approx(beta.ppf(0.05, 39 * 39 / 40, 39 / 40 + 1))
    assert best_utility_bound([20]) > 0.05 ** (1 / 20)
    assert utility_can_pass([20], lower=0.88)


def test_the_best_bound_of_eight_families_of_twelve_has_one_call_wrong():
    # 191 effective calls of 192, less the degrees of freedom of eight strata.
    size = 191 * (t.ppf(0.95, 95) / t.ppf(0.95, 88)) ** 2
    p = 191 / 192
    assert best_utility_bound([12] * 8) == pytest.approx(beta.ppf(0.05, size * p, size * (1 - p) + 1))


@pytest.mark.parametrize(
    ("lower", "presentations", "fewest"),
    # All right needs .05^(1/n) at .9: 29 tasks. One wrong call of 24 tasks reaches .9037, of 23 .8996.
    [(0.75, 2, 11), (0.9, 2, 24), (0.9, 1, 29)],
)
def test_the_fewest_tasks_are_those_of_the_best_outcome(lower, presentations, fewest):
    assert minimum_tasks_utility(lower=lower, presentations=presentations) == fewest
    assert highest([fewest], presentations) >= lower > highest([fewest - 1], presentations)


@pytest.mark.parametrize(("bound", "fewest"), [("bootstrap", 1), ("exact", 29)])
def test_the_fewest_tasks_follow_the_declared_bound(bound, fewest):
    assert minimum_tasks_utility(lower=0.9, bound=bound) == fewest


def test_the_best_bound_by_bootstrap_is_1_and_by_the_exact_test_a_power():
    assert best_utility_bound([3, 4], bound="bootstrap") == 1
    assert best_utility_bound([3, 4], bound="exact") == pytest.approx(0.05 ** (1 / 7))


def test_lone_tasks_are_merged_as_in_the_analysis():
    assert best_utility_bound([10, 1, 1]) == best_utility_bound([10, 2])


def test_one_presentation_has_the_same_best_bound():
    assert best_utility_bound([20], bound="exact", presentations=1) == pytest.approx(
        exact_lower({"all": [1.0] * 20}), abs=1e-9
    )
