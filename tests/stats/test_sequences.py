"""A Williams design: every condition in every period and after every other one, equally often."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from pytest_judgeaudit.stats.sequences import williams

SIZES = range(1, 10)


@pytest.mark.parametrize("conditions", SIZES)
def test_every_sequence_holds_every_condition_once(conditions):
    assert all(sorted(row) == list(range(conditions)) for row in williams(conditions))


@pytest.mark.parametrize("conditions", SIZES)
def test_every_period_holds_every_condition_equally_often(conditions):
    rows = williams(conditions)
    for period in range(conditions):
        assert set(Counter(row[period] for row in rows).values()) == {len(rows) // conditions}


@pytest.mark.parametrize("conditions", SIZES[1:])
def test_every_condition_follows_every_other_equally_often(conditions):
    followed = Counter(pair for row in williams(conditions) for pair in pairwise(row))
    assert len(followed) == conditions * (conditions - 1)
    assert set(followed.values()) == {1 + conditions % 2}


def test_an_odd_number_of_conditions_takes_twice_as_many_sequences():
    assert [len(williams(size)) for size in SIZES] == [1, 2, 6, 4, 10, 6, 14, 8, 18]


def test_no_condition_is_refused():
    with pytest.raises(ValueError, match="conditions"):
        williams(0)
