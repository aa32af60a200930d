"""The stratified bootstrap: published bounds, direct convolution, drawing, laws."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.stats import bootstrap_lower
from pytest_judgeaudit.stats.bootstrap import (
    bootstrap_distribution,
    bootstrap_interval,
    bootstrap_monte_carlo,
    percentile,
    reaches,
    resampled_sums,
)

from .figures import PRINTED_LOWER, UTILITY, scored

# All 200 cases of RULES R29 take minutes: JUDGEAUDIT_CASES=200 runs them.
MILLIONS = int(os.environ.get("JUDGEAUDIT_CASES", "10"))
COUNTS = st.lists(
    st.tuples(*[st.integers(0, 12)] * 3).filter(lambda counts: sum(counts) > 0), min_size=1, max_size=5
)


def random_strata(seed: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.ones(3), size=rng.integers(1, 6))
    return {
        f"s{i}": rng.choice([0, 0.5, 1], size=rng.integers(2, 25), p=law).tolist()
        for i, law in enumerate(laws)
    }


def enumerated(strata: dict[str, list[float]]) -> dict[float, float]:
    """The distribution of the bootstrap mean by listing every resample of every stratum."""
    total = {Fraction(0): Fraction(1)}
    for scores in strata.values():
        sums = Counter(Fraction(sum(draw)) for draw in itertools.product(scores, repeat=len(scores)))
        size = sum(sums.values())
        step: Counter[Fraction] = Counter()
        for (one, p), (other, q) in itertools.product(total.items(), sums.items()):
            step[one + other] += p * Fraction(q, size)
        total = step
    n = sum(map(len, strata.values()))
    return {float(value / n): float(p) for value, p in sorted(total.items())}


# Published figures


@pytest.mark.parametrize("name", UTILITY)
def test_fixtures_of_the_source_give_its_printed_bounds(name):
    cell = UTILITY[name]
    strata = scored(*cell.counts)
    scores = [score for stratum in strata.values() for score in stratum]
    found = bootstrap_lower(strata)
    assert sum(scores) / len(scores) == pytest.approx(cell.mean)
    assert found == pytest.approx(cell.lower, abs=1e-12)
    assert abs(found - PRINTED_LOWER[name]) < 0.0006


# Enumeration


@pytest.mark.parametrize(
    "strata",
    [
        {"a": [0.0, 0.5, 1.0, 1.0]},
        {"a": [0.0, 1.0], "b": [0.5, 0.5, 1.0]},
        {"a": [0.25, 1.0, 0.75], "b": [0.0, 0.5, 0.5, 1.0]},
        {"a": [-1.0, -0.5, 0.0, 0.0], "b": [-0.5, 0.5]},
    ],
)
def test_the_distribution_equals_that_of_every_resample(strata):
    found = bootstrap_distribution(strata)
    masses = dict(zip(found.values.tolist(), found.masses.tolist(), strict=True))
    expected = enumerated(strata)
    assert all(mass == pytest.approx(expected.get(value, 0.0), abs=1e-12) for value, mass in masses.items())
    assert set(expected) <= set(masses)


@pytest.mark.parametrize("seed", range(12))
def test_the_exact_bound_equals_plain_convolution(seed):
    strata = random_strata(seed)
    total = np.ones(1)
    for scores in strata.values():
        one = np.bincount((2 * np.array(scores)).astype(int), minlength=3) / len(scores)
        for _ in scores:
            total = np.convolve(total, one)
    index = int(np.argmax(np.cumsum(total) >= 0.05 - 1e-9))
    assert bootstrap_lower(strata) == index / (2 * sum(map(len, strata.values())))


# Drawing


def agrees(strata: dict[str, list[float]], draws: int, seed: int) -> bool:
    """RULES R29: within five standard errors, or one lattice step, at every point."""
    exact = bootstrap_distribution(strata)
    below = np.cumsum(exact.masses)
    drawn = np.rint(bootstrap_monte_carlo(strata, draws=draws, seed=seed) * exact.units).astype(int)
    share = np.cumsum(np.bincount(drawn - exact.start, minlength=len(below))) / draws
    # Where a billionth lies below, a single draw is many standard errors: two draws are let pass.
    error = 5 * np.sqrt(np.clip(below * (1 - below), 0, None) / draws) + 2 / draws
    near = np.abs(share - below) <= error
    one_step = (share >= np.append(0, below[:-1]) - 1e-12) & (share <= np.append(below[1:], 1) + 1e-12)
    return bool((near | one_step).all())


@pytest.mark.parametrize("seed", range(10))
def test_drawn_replicates_follow_the_exact_distribution(seed):
    assert agrees(random_strata(seed), draws=100_000, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(MILLIONS))
def test_two_million_replicates_follow_the_exact_distribution(seed):
    assert agrees(random_strata(1000 + seed), draws=2_000_000, seed=seed)


def test_drawing_by_index_and_by_counts_has_the_same_mean_and_spread():
    by_counts = resampled_sums(np.repeat([0.0, 1.0, 2.0], 20), 40_000, np.random.default_rng(1))
    by_index = resampled_sums(np.array([0.0, 1.0, 2.0]), 40_000, np.random.default_rng(2))
    assert by_counts.mean() == pytest.approx(60, abs=5 * (60 * 2 / 3 / 40_000) ** 0.5)
    assert by_counts.var() == pytest.approx(60 * 2 / 3, rel=0.05)
    assert by_index.mean() == pytest.approx(3, abs=5 * (3 * 2 / 3 / 40_000) ** 0.5)
    assert by_index.var() == pytest.approx(3 * 2 / 3, rel=0.05)


def test_more_replicates_do_not_narrow_the_interval():
    strata = {"a": np.random.default_rng(5).random(100).tolist()}
    widths = []
    for draws in (500, 5_000, 50_000):
        low, high = bootstrap_interval(strata, draws=draws)
        widths.append(high - low)
    assert max(widths) / min(widths) < 1.15


def test_scores_on_no_lattice_are_drawn_the_same_way_each_time():
    strata = {"a": [0.5**0.5, 0.3, 0.9, 0.77, 0.1], "b": [0.2, 0.81]}
    first, again = (bootstrap_lower(strata) for _ in range(2))
    other = bootstrap_lower(strata, seed=1)
    assert first == again
    assert first == pytest.approx(other, abs=0.05)


def test_a_bound_off_the_lattice_lies_near_that_of_close_lattice_scores():
    rng = np.random.default_rng(8)
    near = rng.choice([0, 0.5, 1], size=80, p=[0.1, 0.2, 0.7])
    off = near + rng.normal(scale=1e-6, size=80)
    assert bootstrap_lower({"a": off.tolist()}) == pytest.approx(
        bootstrap_lower({"a": near.tolist()}), abs=0.007
    )


def test_the_percentile_of_replicates_is_the_inverted_distribution_function():
    replicates = np.arange(1, 21) / 20
    assert [percentile(replicates, level) for level in (1 - 0.95, 0.051, 0.975, 0.5)] == [0.05, 0.1, 1, 0.5]


# Weights


def test_declared_weights_of_the_share_of_tasks_give_the_unweighted_bound():
    strata = scored((1, 4, 12), (3, 8, 23))
    weighted = bootstrap_lower(strata, weights={"s0": 17 / 51, "s1": 34 / 51})
    assert weighted == pytest.approx(bootstrap_lower(strata), abs=1.001 / 102)


def test_declared_weights_move_the_bound_towards_the_weighted_mean():
    strata = {"good": [1.0] * 50, "bad": [0.0] * 25 + [1.0] * 25}
    bounds = [bootstrap_lower(strata, weights={"good": w, "bad": 1 - w}) for w in (1.0, 0.9, 0.5, 0.0)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] == 1.0
    assert bounds[-1] == pytest.approx(bootstrap_lower({"bad": strata["bad"]}), abs=1.001 / 50)


def test_a_weighted_stratum_of_one_task_is_refused():
    strata = {"good": [1.0] * 9, "lone": [0.0]}
    with pytest.raises(ValueError, match="weights need two tasks or more a stratum, got one in 'lone'"):
        bootstrap_lower(strata, weights={"good": 0.3, "lone": 0.7})


def test_no_weighted_bound_lies_beyond_the_scores():
    # Without care the sum of these weights' parts of 1 is 1 + 2e-16.
    strata = {"a": [1.0] * 2, "b": [1.0] * 2, "c": [1.0] * 24}
    weights = {"a": 0.6, "b": 0.3, "c": 0.1}
    assert bootstrap_interval(strata, weights=weights) == (1.0, 1.0)
    assert bootstrap_lower(strata, weights=weights) == 1.0


# Edges


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0, 1 / 3, 0.5**0.5])
def test_without_variation_the_bound_is_the_mean(value):
    assert bootstrap_lower({"a": [value] * 30}) == pytest.approx(value, abs=1e-12)
    assert bootstrap_interval({"a": [value] * 30}) == pytest.approx((value, value), abs=1e-12)


def test_strata_without_variation_are_not_pooled():
    assert bootstrap_lower({"a": [1.0] * 10, "b": [0.0] * 10}) == 0.5


def test_strata_of_one_task_are_resampled_together():
    # P(Bin(20, .8) <= 12) = .032 and P(Bin(20, .8) <= 13) = .087: the fifth percentile is 13 of 20.
    strata = {f"s{i}": [float(i < 16)] for i in range(20)}
    assert bootstrap_lower(strata) == 0.65
    assert bootstrap_lower({"all": [1.0] * 16 + [0.0] * 4}) == 0.65
    # P(Bin(20, .8) <= 12) reaches .025, P(Bin(20, .8) <= 19) = .988 reaches .975.
    assert bootstrap_interval(strata) == (0.6, 0.95)


def test_a_lone_task_is_resampled_with_the_smallest_other_stratum():
    merged = {"big": [1.0, 0.0] * 9, "small": [1.0, 0.5, 0.5, 0.0]}
    lone = {"big": [1.0, 0.0] * 9, "small": [1.0, 0.5, 0.5], "lone": [0.0]}
    assert bootstrap_lower(lone) == bootstrap_lower(merged)


def test_a_single_score_bounds_itself():
    assert bootstrap_lower({"a": [0.5]}) == 0.5


@pytest.mark.parametrize(
    ("strata", "keywords", "message"),
    [
        ({"a": [0.5]}, {"confidence": 1.0}, "confidence must lie strictly between 0 and 1"),
        ({"a": [0.3]}, {"lattice": 2}, "multiples of 1/2, got 0.3"),
        ({"a": [0.5]}, {"lattice": 0}, "lattice must be an integer of at least 1"),
        ({"a": [0.5]}, {"weights": {"b": 1.0}}, "weights must name every stratum once"),
        ({"a": [0.1234567, 0.5]}, {"draws": 0}, "draws must be an integer of at least 1"),
        ({}, {}, "at least one stratum"),
    ],
)
def test_impossible_arguments_are_refused(strata, keywords, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_lower(strata, **keywords)


@pytest.mark.parametrize("strata", [{"a": [0.5**0.5]}, {"a": [0.1234, 0.0] * 500}])
def test_no_exact_distribution_is_promised_off_the_lattice_or_beyond_its_size(strata):
    with pytest.raises(ValueError, match="must lie on a lattice"):
        bootstrap_distribution(strata)


def test_a_declared_lattice_finer_than_needed_gives_the_same_bound():
    strata = scored((1, 4, 12), (3, 8, 23))
    assert (
        bootstrap_lower(strata, lattice=4) == bootstrap_lower(strata, lattice=2) == bootstrap_lower(strata)
    )


def test_a_bound_is_compared_with_a_threshold_in_whole_units():
    assert reaches(153 / 204, 0.75, units=204)
    assert reaches(0.1 + 0.2, 0.3, units=20)
    assert reaches(0.3 - 1e-12, 0.3, units=20)
    assert not reaches(152 / 204, 0.75, units=204)


# Laws


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.99]))
@settings(max_examples=40, deadline=None)
def test_the_bound_lies_between_the_worst_and_the_mean_and_falls_with_confidence(counts, confidence):
    strata = scored(*counts)
    scores = [score for stratum in strata.values() for score in stratum]
    found = bootstrap_lower(strata, confidence=confidence)
    # The smallest point that reaches the level lies at most one step above the median's neighbourhood.
    assert min(scores) - 1e-12 <= found <= max(scores) + 1e-12
    assert found <= sum(scores) / len(scores) + 1 / (2 * len(scores)) + 1e-12
    assert bootstrap_lower(strata, confidence=0.999) <= found


@given(COUNTS, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_tasks_and_strata_does_not_matter(counts, chance):
    strata = scored(*counts)
    shuffled = {name: chance.sample(strata[name], len(strata[name])) for name in reversed(strata)}
    assert bootstrap_lower(shuffled) == bootstrap_lower(strata)
    assert (bootstrap_monte_carlo(shuffled, draws=20) == bootstrap_monte_carlo(strata, draws=20)).all()


@given(COUNTS)
@settings(max_examples=30, deadline=None)
def test_failing_instead_of_succeeding_mirrors_the_interval(counts):
    low, high = bootstrap_interval(scored(*counts))
    mirrored = scored(*[(c, b, a) for a, b, c in counts])
    step = 1 / (2 * sum(map(sum, counts)))
    # The rule takes the smallest point that reaches a level at both ends, so ends may move one step.
    assert bootstrap_interval(mirrored) == pytest.approx((1 - high, 1 - low), abs=step + 1e-12)


@given(COUNTS)
@settings(max_examples=30, deadline=None)
def test_one_more_success_never_lowers_the_bound(counts):
    strata = scored(*counts)
    better = {name: [*scores[1:], 1.0] for name, scores in strata.items()}
    assert bootstrap_lower(better) >= bootstrap_lower(strata) - 1e-12


def test_a_hundred_thousand_tasks_agree_with_the_normal_approximation():
    scores = np.random.default_rng(4).choice([0, 0.5, 1], size=100_000, p=[0.1, 0.2, 0.7])
    normal = scores.mean() - 1.6448536 * scores.std() / len(scores) ** 0.5
    assert bootstrap_lower({"a": scores}) == pytest.approx(normal, abs=1e-5)
