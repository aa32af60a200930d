"""Holm: published families, statsmodels, laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pytest_judgeaudit.stats import holm
from pytest_judgeaudit.stats.bounds import binomial_tail


@pytest.mark.parametrize(
    ("cells", "adjusted"),
    [
        ([(0, 102)] * 4, [0.0214] * 4),
        ([(0, 102), (0, 102), (2, 102), (0, 102)], [0.0214, 0.0214, 0.1103, 0.0214]),
        ([(0, 96)] * 6, [0.0436] * 6),
        ([(0, 485)] * 2, [3.1404e-11] * 2),
    ],
)
def test_published_families_are_met_to_the_printed_digit(cells, adjusted):
    found = holm({f"c{i}": binomial_tail(k, n, 0.05) for i, (k, n) in enumerate(cells)})
    assert list(found.values()) == pytest.approx(adjusted, rel=2e-3)


def test_members_on_hold_keep_their_place_with_p_1():
    clean, one = binomial_tail(0, 102, 0.05), binomial_tail(1, 102, 0.05)
    kept = holm({"a": clean, "b": one, "held": 1.0, "also held": 1.0})
    assert (round(kept["a"], 4), round(kept["b"], 3)) == (0.0214, 0.102)
    dropped = holm({"a": clean, "b": one})
    assert (round(dropped["a"], 4), round(dropped["b"], 4)) == (0.0107, 0.0340)


@pytest.mark.parametrize("seed", range(5))
def test_adjusted_values_equal_those_of_statsmodels(seed):
    raw = {f"h{i}": p**3 for i, p in enumerate(np.random.default_rng(seed).random(1 + 3 * seed))}
    assert list(holm(raw).values()) == pytest.approx(multipletests(list(raw.values()), method="holm")[1])


FAMILIES = st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=8)


@given(FAMILIES)
@settings(max_examples=80, deadline=None)
def test_adjusted_is_never_below_raw_never_above_1_and_blind_to_order(raw):
    adjusted = holm(raw)
    assert all(raw[name] <= adjusted[name] <= 1 for name in raw)
    assert list(adjusted) == list(raw)
    assert holm(dict(reversed(raw.items()))) == adjusted


@given(FAMILIES)
@settings(max_examples=80, deadline=None)
def test_adjusted_values_are_ordered_as_raw_ones_and_equal_ones_share_a_value(raw):
    adjusted = holm(raw)
    for one in raw:
        for other in raw:
            assert (raw[one] > raw[other]) or (adjusted[one] <= adjusted[other])


def test_an_empty_family_is_empty():
    assert holm({}) == {}


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused_by_name(p):
    with pytest.raises(ValueError, match="p-value of 'b' must lie between 0 and 1"):
        holm({"a": 0.5, "b": p})
