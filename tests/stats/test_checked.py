"""Korn–Graubard and exact lower bounds: fixtures, the formula by hand, brute force, coverage, laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, multinomial, t

from pytest_judgeaudit.stats import clopper_pearson_lower
from pytest_judgeaudit.stats.checked import exact_lower, korn_graubard_lower

from .figures import UTILITY, scored

COUNTS = st.lists(
    st.tuples(*[st.integers(0, 12)] * 3).filter(lambda counts: sum(counts) > 1), min_size=1, max_size=5
)


# Korn–Graubard


@pytest.mark.parametrize("name", UTILITY)
def test_fixtures_of_the_source_give_the_deciding_bound(name):
    cell = UTILITY[name]
    # One of them is stated with four digits, the others with five.
    digits = 4 if name == "gpt-oss neutral" else 5
    assert round(korn_graubard_lower(scored(*cell.counts)), digits) == cell.lower_checked


@pytest.mark.parametrize(
    ("counts", "bound"),
    [
        ([(0, 0, 20)], 0.86089),
        ([(0, 0, 10)], 0.74113),
        ([(0, 0, 12)] * 8, 0.96923),
        ([(4, 6, 20)], 0.63156),
    ],
)
def test_worked_examples_of_the_rule(counts, bound):
    assert korn_graubard_lower(scored(*counts)) == pytest.approx(bound, abs=5.1e-6)


def by_the_formula(strata, presentations, weights=None):
    """RULES R10, line by line, with scipy.stats."""
    n = sum(map(len, strata.values()))
    w = weights or {name: len(scores) / n for name, scores in strata.items()}
    p = sum(w[name] * np.mean(scores) for name, scores in strata.items())
    v = sum(w[name] ** 2 * np.var(scores, ddof=1) / len(scores) for name, scores in strata.items())
    ratio = (t.ppf(0.95, n - 1) / t.ppf(0.95, n - len(strata))) ** 2
    size = n * ratio if v == 0 else p * (1 - p) / v * ratio
    size = min(max(size, 1), n if n < 20 else n * presentations)
    return 0.0 if p == 0 else beta.ppf(0.05, size * p, size * (1 - p) + 1)


@given(COUNTS, st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_bound_equals_the_rule_line_by_line(counts, presentations):
    strata = scored(*counts)
    found = korn_graubard_lower(strata, presentations=presentations)
    assert found == pytest.approx(by_the_formula(strata, presentations), abs=1e-9)


def test_declared_weights_replace_the_shares_of_tasks():
    strata, weights = scored((1, 4, 12), (3, 8, 23)), {"s0": 0.9, "s1": 0.1}
    found = korn_graubard_lower(strata, weights=weights)
    assert found == pytest.approx(by_the_formula(strata, 2, weights), abs=1e-9)
    assert found != pytest.approx(korn_graubard_lower(strata), abs=1e-3)


def test_eleven_correct_tasks_are_the_fewest_that_reach_three_quarters():
    assert korn_graubard_lower({"all": [1.0] * 10}) < 0.75 <= korn_graubard_lower({"all": [1.0] * 11})


@pytest.mark.parametrize("n", [2, 11, 19, 20, 60])
def test_without_variation_in_one_stratum_it_is_the_bound_of_n_successes(n):
    assert korn_graubard_lower({"all": [1.0] * n}) == pytest.approx(0.05 ** (1 / n), abs=1e-12)


def test_calls_cap_the_effective_size_from_twenty_tasks_on():
    # One score of 3/4 among ones varies so little that n_e would be four times the number of tasks.
    for n, cap in ((19, 19), (20, 40), (60, 120)):
        p = (n - 0.25) / n
        expected = beta.ppf(0.05, cap * p, cap * (1 - p) + 1)
        assert korn_graubard_lower({"all": [0.75] + [1.0] * (n - 1)}) == pytest.approx(expected, abs=1e-9)


def test_nothing_right_has_the_bound_0_and_a_single_task_little_more():
    assert korn_graubard_lower({"all": [0.0] * 30}) == 0
    assert korn_graubard_lower({"all": [1.0]}) == pytest.approx(0.05)


@given(COUNTS)
@settings(max_examples=40, deadline=None)
def test_the_bound_lies_below_the_mean_and_falls_with_confidence(counts):
    strata = scored(*counts)
    mean = np.mean([score for scores in strata.values() for score in scores])
    bounds = [korn_graubard_lower(strata, confidence=c) for c in (0.8, 0.95, 0.99)]
    assert bounds == sorted(bounds, reverse=True)
    assert 0 <= bounds[0] <= mean


@given(COUNTS)
@settings(max_examples=30, deadline=None)
def test_the_order_of_tasks_and_strata_does_not_matter(counts):
    strata = scored(*counts)
    turned = {name: strata[name][::-1] for name in reversed(strata)}
    assert korn_graubard_lower(turned) == korn_graubard_lower(strata)


@pytest.mark.parametrize(
    ("strata", "keywords", "message"),
    [
        ({"a": [1.0, 0.5], "b": [1.0]}, {}, "stratum 'b' holds one task: merge such strata first"),
        ({"a": [1.0, 1.5]}, {}, "stratum 'a': utilities must lie between 0 and 1, got 1.5"),
        ({"a": [-0.5, 1.0]}, {}, "stratum 'a': utilities must lie between 0 and 1, got -0.5"),
        ({"a": [1.0, 1.0]}, {"confidence": 0.5}, "strictly between 0.5 and 1"),
        ({"a": [1.0, 1.0]}, {"presentations": 0}, "presentations must be an integer of at least 1"),
        ({"a": [1.0, 1.0]}, {"weights": {"a": 0.9}}, "weights must sum to 1"),
        ({}, {}, "at least one stratum"),
    ],
)
def test_impossible_arguments_are_refused(strata, keywords, message):
    with pytest.raises(ValueError, match=message):
        korn_graubard_lower(strata, **keywords)


# Exact


def upper_tail(n: int, total: int, mean: float, halves: float) -> float:
    """P(sum ≥ total halves) of n scores, by multiplying out one law n times."""
    ones = mean - halves / 2
    sums = np.ones(1)
    for _ in range(n):
        sums = np.convolve(sums, [1 - halves - ones, halves, ones])
    return float(sums[total:].sum())


@pytest.mark.parametrize(("n", "total"), [(3, 1), (3, 5), (8, 9), (12, 20), (20, 30), (20, 39), (30, 44)])
def test_at_the_exact_bound_no_law_reaches_alpha_and_just_above_one_does(n, total):
    ones = max(0, total - n)
    halves = total - 2 * ones
    bound = exact_lower({"all": [1.0] * ones + [0.5] * halves + [0.0] * (n - ones - halves)})
    for mean, above in ((bound, False), (bound + 1e-4, True)):
        shares = np.linspace(0, 2 * min(mean, 1 - mean), 301)
        assert (max(upper_tail(n, total, mean, h) for h in shares) > 0.05) == above


def test_only_the_sum_and_the_number_of_tasks_matter():
    assert exact_lower({"a": [1.0, 0.0] * 10}) == exact_lower({"a": [0.5] * 12, "b": [0.5] * 8})


@pytest.mark.parametrize("n", [1, 11, 20, 102])
def test_all_correct_solves_the_power_and_nothing_correct_is_0(n):
    assert exact_lower({"all": [1.0] * n}) == pytest.approx(0.05 ** (1 / n), abs=1e-12)
    assert exact_lower({"all": [0.0] * n}) == 0


def test_with_one_presentation_it_is_the_clopper_pearson_bound():
    found = exact_lower({"all": [1.0] * 17 + [0.0] * 3}, presentations=1)
    assert found == clopper_pearson_lower(17, 20)


@pytest.mark.parametrize("counts", [(2, 3, 15), (0, 10, 10), (5, 0, 15)])
def test_the_nuisance_only_lowers_the_bound(counts):
    n, total = sum(counts), counts[1] + 2 * counts[2]
    whole = [0.0] * (n - total // 2) + [1.0] * (total // 2)
    assert exact_lower(scored(counts)) <= clopper_pearson_lower(round(sum(whole)), n) + (total % 2) * 0.05


def false_passes(n: int, bound, threshold: float = 0.75) -> float:
    """The highest chance, over all laws with that mean, that the bound reaches the threshold."""
    outcomes = [(n - b - c, b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    passing = [outcome for outcome in outcomes if bound(scored(outcome)) >= threshold]
    laws = [(1 - threshold - h / 2, h, threshold - h / 2) for h in np.linspace(0, 2 * (1 - threshold), 101)]
    return max(multinomial.pmf(passing, n, law).sum() for law in laws)


def test_the_exact_bound_passes_at_most_one_audit_in_twenty_at_the_threshold():
    assert 0 < false_passes(8, exact_lower, threshold=0.5) <= 0.05


@pytest.mark.slow
def test_the_exact_bound_passes_at_most_one_audit_in_twenty_at_the_threshold_with_20_tasks():
    assert false_passes(20, exact_lower) <= 0.05


@pytest.mark.slow
def test_a_published_strict_cell_takes_the_exact_bound_below_the_checked_one():
    strata = scored(*UTILITY["485 strict"].counts)
    assert 0.75 < exact_lower(strata) < korn_graubard_lower(strata)


@pytest.mark.parametrize(
    ("strata", "keywords", "message"),
    [
        ({"a": [0.25, 1.0]}, {}, "multiples of 1/2, got 0.25"),
        ({"a": [0.5, 1.0]}, {"presentations": 1}, "multiples of 1/1, got 0.5"),
        ({"a": [0.5, 1.0]}, {"presentations": 4}, "one or two presentations a task, got 4"),
        ({"a": [2.0]}, {}, "utilities must lie between 0 and 1"),
        ({"a": [1.0]}, {"confidence": 0}, "confidence must lie strictly between 0 and 1"),
    ],
)
def test_scores_that_are_not_three_points_are_refused(strata, keywords, message):
    with pytest.raises(ValueError, match=message):
        exact_lower(strata, **keywords)


def test_an_oracle_of_two_points_confirms_the_tail():
    assert upper_tail(20, 30, 0.75, 0.0) == pytest.approx(binom.sf(14, 20, 0.75))
