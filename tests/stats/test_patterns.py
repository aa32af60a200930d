"""Order patterns and their identity: every combination, published ladders, laws."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.stats import order_patterns, patterns
from pytest_judgeaudit.stats.patterns import decomposition

WINNERS = ("first", "second", "tie", "invalid")

# Read off the definitions, one line a combination.
PATTERN = {
    ("first", "first"): "stable",
    ("first", "second"): "position",
    ("first", "tie"): "one_sided",
    ("first", "invalid"): "invalid",
    ("second", "first"): "position",
    ("second", "second"): "stable",
    ("second", "tie"): "one_sided",
    ("second", "invalid"): "invalid",
    ("tie", "first"): "one_sided",
    ("tie", "second"): "one_sided",
    ("tie", "tie"): "tie",
    ("tie", "invalid"): "invalid",
    ("invalid", "first"): "invalid",
    ("invalid", "second"): "invalid",
    ("invalid", "tie"): "invalid",
    ("invalid", "invalid"): "invalid",
}

PAIRS = st.lists(st.tuples(st.sampled_from(WINNERS), st.sampled_from(WINNERS)), min_size=1, max_size=60)


@pytest.mark.parametrize("pair", PATTERN)
def test_each_combination_of_two_winners_has_its_one_pattern(pair):
    counts = order_patterns([pair])
    assert {name: count for name, count in counts.items() if count} == {PATTERN[pair]: 1}


@pytest.mark.parametrize(
    ("stable", "position", "one_sided", "published"),
    [(2, 58, 0, 1.000), (27, 32, 1, 0.992), (0, 5, 21, 0.258)],
)
def test_published_ladders_have_their_raw_false_preference_rate(stable, position, one_sided, published):
    pairs = [("second", "second")] * stable + [("first", "second")] * position
    pairs += [("tie", "first")] * one_sided
    pairs += [("tie", "tie")] * (60 - len(pairs))
    found = decomposition(pairs)
    assert round(found.non_tie, 3) == published
    assert (found.counts["stable"], found.counts["position"], found.counts["one_sided"]) == (
        stable,
        position,
        one_sided,
    )


@given(PAIRS)
@settings(max_examples=80, deadline=None)
def test_patterns_count_every_pair_once(pairs):
    assert sum(order_patterns(pairs).values()) == len(pairs)


@given(PAIRS)
@settings(max_examples=80, deadline=None)
def test_the_share_of_non_ties_is_stable_plus_position_plus_half_one_sided_over_valid_pairs(pairs):
    found = decomposition(pairs)
    valid = [winner for pair in pairs if "invalid" not in pair for winner in pair]
    if not valid:
        assert found.non_tie is None
        return
    scale = found.pairs / found.valid
    assert found.non_tie == pytest.approx((found.scs + found.pfp + found.one_sided / 2) * scale)
    assert found.non_tie == sum(winner != "tie" for winner in valid) / len(valid)


@given(PAIRS)
@settings(max_examples=40, deadline=None)
def test_exchanging_the_contents_or_the_orders_changes_no_pattern(pairs):
    other = {"first": "second", "second": "first", "tie": "tie", "invalid": "invalid"}
    assert order_patterns([(other[a], other[b]) for a, b in pairs]) == order_patterns(pairs)
    assert order_patterns([(b, a) for a, b in pairs]) == order_patterns(pairs)


def test_invalid_pairs_lower_the_shares_but_not_the_share_of_non_ties():
    found = decomposition([("first", "first"), ("invalid", "first")])
    assert (found.pairs, found.valid, found.scs, found.non_tie) == (2, 1, 0.5, 1.0)


def test_counts_that_break_the_identity_raise(monkeypatch):
    monkeypatch.setattr(patterns, "order_patterns", lambda _: {"stable": 1, "position": 0, "one_sided": 0})
    with pytest.raises(ArithmeticError, match="0 non-tie calls do not add up"):
        decomposition([("tie", "tie")])


def test_an_unknown_winner_is_refused_with_the_list():
    with pytest.raises(ValueError, match="a winner is one of first, second, tie, invalid, got 'A'"):
        order_patterns([("A", "first")])


def test_no_pair_is_refused():
    with pytest.raises(ValueError, match="at least one pair"):
        decomposition([])
