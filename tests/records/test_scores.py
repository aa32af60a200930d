"""A rubric's score: what counts, and what it sums to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore

SCORE = RubricScore(state="ok", accuracy=24.0, completeness=20.0, traceability=18.0, usefulness=15.0)


def test_the_dimensions_sum_to_a_hundred_at_most():
    assert sum(DIMENSIONS.values()) == 100


def test_four_scores_have_a_total():
    assert (SCORE.valid, SCORE.total) == (True, 77.0)
    assert SCORE.dimensions == {
        "accuracy": 24.0,
        "completeness": 20.0,
        "traceability": 18.0,
        "usefulness": 15.0,
    }


@pytest.mark.parametrize("name", DIMENSIONS)
def test_without_one_of_them_there_is_no_score(name):
    part = replace(SCORE, **{name: None})
    assert (part.valid, part.total, part.dimensions) == (False, None, None)


def test_zero_is_a_score():
    nothing = replace(SCORE, **dict.fromkeys(DIMENSIONS, 0.0))
    assert (nothing.valid, nothing.total) == (True, 0.0)


@pytest.mark.parametrize(
    "changes",
    [{"refusal": True}, *({"state": state} for state in ("invalid", "pending", "stale", "not applicable"))],
)
def test_only_what_stands_and_is_no_refusal_counts(changes):
    assert not replace(SCORE, **changes).valid
