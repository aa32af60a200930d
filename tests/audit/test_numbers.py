"""How numbers read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.audit.numbers import bare_p, clipped, counted, p_value, rate, share, some


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.05, "5 %"),
        (0.0289428, "2.89 %"),
        (0.8618557, "86.2 %"),
        (0.99999, "> 99.9 %"),
        (1e-12, "< 0.001 %"),
        (0.5, "50 %"),
    ],
)
def test_a_rate_reads_as_a_percentage(value, text):
    assert rate(value) == text


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (0.749999, 0.75, "74.9999 %"),
        (0.0500001, 0.05, "5.00001 %"),
        (0.75, 0.75, "75 %"),
        (0.80, 0.75, "80 %"),
    ],
)
def test_a_rate_never_reads_as_the_limit_that_it_misses(value, limit, text):
    assert rate(value, apart_from=limit) == text


@given(value=st.floats(0, 1), limit=st.sampled_from([0.05, 0.75, 0.9]))
def test_rates_never_raise_and_stay_short(value, limit):
    assert len(rate(value)) <= 12
    assert len(rate(value, apart_from=limit)) <= 18


@given(st.floats(0, 1))
def test_a_p_value_is_never_zero(p):
    assert p_value(p) not in {"p = 0", "p = 0.0"}
    assert "0.000 " not in f"{bare_p(p)} "
    assert "e-" not in p_value(p)


def test_counts_stand_with_their_total():
    assert share(58, 154) == "58 of 154 (37.7 %)"
    assert counted(12000, "trial") == "12,000 trials"


def test_a_list_is_bounded_in_names_and_in_their_length():
    assert some(map(str, range(1000)), shown=2) == "0, 1 and 998 more"
    assert len(some(["x" * 10_000] * 9)) < 500
    assert clipped("x" * 100, 10) == "x" * 9 + "…"
