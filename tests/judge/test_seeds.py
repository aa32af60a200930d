"""Seeds of calls that draw."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from pytest_judgeaudit.judge.seeds import drawn_seed, draws
from pytest_judgeaudit.records.items import Pair

PAIR = Pair(id="t", prompt="p", first="a", second="b", target="first", kind="signal")


def seed_of(pair=PAIR, *, seed=1, judge="j", criterion="c", replicate=1):
    return drawn_seed(seed, judge, criterion, pair, replicate=replicate)


def test_the_same_call_has_the_same_seed():
    assert seed_of() == seed_of()


@pytest.mark.parametrize("change", [{"seed": 2}, {"judge": "k"}, {"criterion": "d"}, {"replicate": 2}])
def test_a_seed_depends_on_what_names_the_call(change):
    assert seed_of(**change) != seed_of()


@pytest.mark.parametrize("change", [{"id": "u"}, {"order": "BA"}, {"kind": "clone"}, {"stratum": "empty"}])
def test_a_seed_depends_on_the_presentation(change):
    assert seed_of(replace(PAIR, **change)) != seed_of()


@pytest.mark.parametrize("change", [{"prompt": "q"}, {"first": "x"}, {"second": "x"}])
def test_a_seed_does_not_depend_on_texts(change):
    assert seed_of(replace(PAIR, **change)) == seed_of()


def test_seeds_are_spread_over_all_numbers_of_31_bits():
    seeds = [
        seed_of(replace(PAIR, id=f"t{number}", order=order), replicate=replicate)
        for number, order, replicate in product(range(250), ("AB", "BA"), (1, 2))
    ]
    assert len(set(seeds)) == 1000
    assert all(0 <= seed < 2**31 for seed in seeds)
    # The mean of 1,000 uniform numbers; five standard errors.
    assert abs(sum(seeds) / 1000 / 2**31 - 0.5) < 5 * (1 / 12 / 1000) ** 0.5


@pytest.mark.parametrize(
    ("decoder", "expected"),
    [({"temperature": 0}, False), ({"temperature": 0.0}, False), ({"temperature": 0.1}, True), ({}, True)],
)
def test_a_decoder_draws_unless_its_temperature_is_0(decoder, expected):
    assert draws(decoder) is expected
