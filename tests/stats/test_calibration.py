"""
How often each rule passes what it should not, and what it should: exact sums over outcomes.

The expected figures are those of the tables the rules were chosen by, to their printed digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import betabinom, binom, multinomial

from pytest_judgeaudit.stats import bootstrap_lower, holm
from pytest_judgeaudit.stats.bounds import adverse_allowed, binomial_tail
from pytest_judgeaudit.stats.checked import korn_graubard_lower

from .figures import scored

Strata = dict[str, list[float]]


# The clone gate


def splits(m: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to put m cells into so many classes."""
    if parts == 1:
        yield (m,)
        return
    for first in range(m + 1):
        for rest in splits(m - first, parts - 1):
            yield (first, *rest)


def family_passes(n: int, m: int, rate: float) -> tuple[float, float, float]:
    """
    P(a given cell passes), P(any passes), P(all pass) for m independent cells of n tasks under Holm.

    Cells are classed by the multiplier with which their count still passes; every split of m cells into
    classes is decided by ``holm`` on one representative count a class.
    """
    limits = sorted({adverse_allowed(n, m=multiplier) for multiplier in range(1, m + 1)} - {-1})
    edges = [-1, *limits, n]
    counts = [high for _, high in pairwise(edges)]
    chances = [float(binom.cdf(high, n, rate) - binom.cdf(low, n, rate)) for low, high in pairwise(edges)]
    cell = some = every = 0.0
    for split in splits(m, len(counts)):
        cells = [count for count, times in zip(counts, split, strict=True) for _ in range(times)]
        adjusted = holm({f"{i}": binomial_tail(k, n, 0.05) for i, k in enumerate(cells)})
        passing = sum(p <= 1 - 0.95 for p in adjusted.values())
        ways = factorial(m) / prod(map(factorial, split))
        chance = ways * prod(p**times for p, times in zip(chances, split, strict=True))
        cell += chance * passing / m
        some += chance * (passing > 0)
        every += chance * (passing == m)
    return cell, some, every


@pytest.mark.parametrize(
    ("n", "m", "cell", "some"),
    [
        (59, 1, 0.0485, 0.0485),
        (59, 4, 0, 0),
        (96, 1, 0.0440, 0.0440),
        (96, 2, 0.0075, 0.0145),
        (96, 4, 0.0073, 0.0288),
        (96, 6, 0.0073, 0.0428),
        (96, 7, 0, 0),
        (102, 1, 0.0340, 0.0340),
        (102, 2, 0.0055, 0.0107),
        (102, 4, 0.0053, 0.0212),
        (102, 6, 0.0053, 0.0316),
        (485, 1, 0.0469, 0.0469),
        (485, 2, 0.0161, 0.0310),
        (485, 4, 0.0084, 0.0323),
        (485, 6, 0.0082, 0.0480),
    ],
)
def test_at_a_true_rate_of_5_percent_no_family_passes_more_often_than_the_level(n, m, cell, some):
    found = family_passes(n, m, 0.05)
    assert found[:2] == pytest.approx((cell, some), abs=6e-5)
    assert found[1] <= 0.05


@pytest.mark.parametrize(
    ("n", "m", "rate", "cell", "every"),
    [
        (96, 2, 0.005, 0.802, 0.751),
        (96, 2, 0.01, 0.522, 0.427),
        (96, 4, 0.005, 0.688, 0.427),
        (96, 4, 0.01, 0.401, 0.103),
        (96, 6, 0.005, 0.645, 0.217),
        (96, 6, 0.01, 0.384, 0.021),
        (102, 2, 0.005, 0.784, 0.728),
        (102, 4, 0.01, 0.376, 0.085),
        (102, 6, 0.01, 0.361, 0.015),
    ],
)
def test_clean_judges_pass_as_often_as_the_table_says(n, m, rate, cell, every):
    found = family_passes(n, m, rate)
    assert (found[0], found[2]) == pytest.approx((cell, every), abs=6e-4)


@pytest.mark.parametrize(
    ("n", "m", "cell"), [(96, 4, 0.145), (102, 6, 0.127), (485, 2, 0.977), (485, 6, 0.966)]
)
def test_judges_at_2_percent_pass_as_often_as_the_table_says(n, m, cell):
    assert family_passes(n, m, 0.02)[0] == pytest.approx(cell, abs=6e-4)


def test_eight_templates_that_agree_within_break_the_size():
    # Adverse counts of a template: beta-binomial with mean .05 and intra-template correlation rho.
    for rho, size in ((0.05, 0.086), (0.1, 0.128), (0.2, 0.206)):
        shape = (1 - rho) / rho
        template = betabinom.pmf(np.arange(13), 12, 0.05 * shape, 0.95 * shape)
        total = np.ones(1)
        for _ in range(8):
            total = np.convolve(total, template)
        assert total[: adverse_allowed(96) + 1].sum() == pytest.approx(size, abs=6e-4)


# The utility gate, one stratum, all laws on a grid


def false_passes(n: int, bound: Callable[[Strata], float]) -> float:
    """The highest chance, over all laws of mean .75 on 0, 1/2, 1, that the bound reaches .75."""
    outcomes = [(n - b - c, b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    passing = [outcome for outcome in outcomes if bound(scored(outcome)) >= 0.75]
    laws = [(0.25 - h / 2, h, 0.75 - h / 2) for h in np.linspace(0, 0.5, 201)]
    return max(float(multinomial.pmf(passing, n, law).sum()) for law in laws)


SLOW = pytest.mark.slow
SIZES = [
    (12, 0.158, 0.032),
    (20, 0.117, None),
    pytest.param(30, 0.104, 0.037, marks=SLOW),
    pytest.param(40, 0.096, 0.043, marks=SLOW),
    pytest.param(60, 0.086, 0.045, marks=SLOW),
    pytest.param(102, 0.071, 0.044, marks=SLOW),
]


@pytest.mark.parametrize(("n", "percentile", "checked"), SIZES)
def test_the_bootstrap_passes_too_often_and_the_checked_bound_does_not(n, percentile, checked):
    assert false_passes(n, bootstrap_lower) == pytest.approx(percentile, abs=1.1e-3)
    found = false_passes(n, korn_graubard_lower)
    assert found <= 0.05
    assert checked is None or found == pytest.approx(checked, abs=1.1e-3)


def test_with_twenty_tasks_the_table_caps_the_effective_size_at_the_tasks():
    # The rule caps at the calls from 20 tasks on; the table's figure for 20 has the cap of smaller cells,
    # which is that of one call a task.
    assert false_passes(20, partial(korn_graubard_lower, presentations=1)) == pytest.approx(
        0.024, abs=1.1e-3
    )


# The utility gate, strata, by simulation with fixed seeds


def passes(
    sizes: list[int], rho: float, bound: Callable[[Strata], float], *, mean: float, audits: int = 2000
) -> float:
    """The share of simulated audits whose bound reaches .75; both orders succeed with correlation rho."""
    rng = np.random.default_rng(sum(sizes))
    both = mean**2 + rho * mean * (1 - mean)
    law = [1 - 2 * mean + both, 2 * (mean - both), both]
    drawn = [rng.multinomial(size, law, size=audits) for size in sizes]
    return float(np.mean([bound(scored(*map(tuple, cells))) >= 0.75 for cells in zip(*drawn, strict=True)]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "percentile", "checked"),
    [
        ([5] * 6, (0.113, 0.123), (0.025, 0.038)),
        ([4] * 8, (0.122, 0.134), (0.016, 0.036)),
        ([12] * 8, (0.074, 0.085), (0.029, 0.047)),
        ([17] * 6, (0.072, 0.077), (0.031, 0.043)),
    ],
)
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_false_passes_of_stratified_layouts_lie_where_the_table_says(sizes, percentile, checked, rho):
    # Four standard errors of 2,000 audits around the range over correlations and stratum means.
    for bound, (low, high) in ((bootstrap_lower, percentile), (korn_graubard_lower, checked)):
        found = passes(sizes, rho, bound, mean=0.75)
        assert low - 4 * (low / 2000) ** 0.5 <= found <= high + 4 * (high / 2000) ** 0.5


@pytest.mark.slow
def test_the_power_at_a_true_mean_of_85_percent_is_that_of_the_table():
    # 6 x 17 at rho .5: percentile .93, checked .87.
    assert passes([17] * 6, 0.5, bootstrap_lower, mean=0.85) == pytest.approx(0.93, abs=0.025)
    assert passes([17] * 6, 0.5, korn_graubard_lower, mean=0.85) == pytest.approx(0.87, abs=0.035)
