"""Which judgements count, and the means of a cell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.rubrics import cell_means, condition_of, exclusions


@pytest.mark.parametrize(
    ("arm", "condition"),
    [
        ("blind", ("", "blind")),
        ("sighted", ("", "sighted")),
        ("renamed-blind", ("renamed", "blind")),
        ("renamed-blind@1", ("renamed", "blind")),
        ("renamed-sighted@2", ("renamed@2", "sighted")),
    ],
)
def test_an_arm_is_a_condition_and_a_view(arm, condition):
    assert condition_of(arm) == condition


def means(rows, kind="question-balanced"):
    (found,) = cell_means(rows, kind=kind)
    return found


def test_a_cell_is_averaged_in_three_ways_and_by_dimension_in_the_chosen_one(rubric):
    rows = [
        rubric.row({"x": 10, "y": 20}, question="a"),
        rubric.row({"x": 40, "y": rubric.LOST}, question="b"),
    ]
    found = means(rows)
    assert found.means == pytest.approx(
        {"question-balanced": 27.5, "pooled": 70 / 3, "judge-balanced": 22.5}
    )
    assert found.span == pytest.approx(5)
    assert (found.questions, found.answers, found.void) == (2, 2, 0)
    assert (found.judgements, found.excluded, found.refused) == ({"x": 2, "y": 1}, {"x": 0, "y": 1}, {})
    assert found.by_dimension["accuracy"] == pytest.approx(0.3 * 27.5)
    assert means(rows, "judge-balanced").by_dimension["accuracy"] == pytest.approx(0.3 * 22.5)


@pytest.mark.parametrize(("kept", "direction"), [(30, "down"), (10, "up"), (20, "")])
def test_losing_the_generous_judge_pushes_means_down(rubric, kept, direction):
    rows = [
        rubric.row({"x": 20, "y": kept}, question="a"),
        rubric.row({"x": 20, "y": rubric.PENDING}, question="b"),
    ]
    assert means(rows).direction == direction


def test_losses_that_are_even_push_nowhere(rubric):
    rows = [
        rubric.row({"x": 20, "y": 30}, question="a"),
        rubric.row({"x": rubric.LOST, "y": rubric.LOST}, question="b"),
    ]
    assert means(rows).direction == ""


def test_a_cell_without_a_valid_score_has_no_mean(rubric):
    found = means([rubric.row({"x": rubric.LOST})])
    assert (found.means, found.span, found.by_dimension) == ({}, None, {})


@pytest.mark.parametrize("outcome", ["error", "host_stalled", "unavailable", "contaminated"])
def test_void_answers_are_in_no_mean_and_no_count_of_losses(rubric, outcome):
    rows = [
        rubric.row({"x": 20}, question="a"),
        rubric.row({"x": 90}, question="b", outcome=outcome),
        rubric.row({"x": rubric.LOST}, question="c", outcome=outcome),
    ]
    found = means(rows)
    assert (found.means["pooled"], found.void, found.excluded) == (pytest.approx(20), 2, {"x": 0})


def test_a_timeout_counts_against_the_arm(rubric):
    rows = [rubric.row({"x": 20}, question="a"), rubric.row({"x": 0}, question="b", outcome="timeout")]
    assert means(rows).means["pooled"] == pytest.approx(10)


def test_stale_scores_are_lost_and_those_that_nobody_wanted_are_not(rubric):
    stale = replace(rubric.score_of(90), state="stale", reason="the key moved since")
    rows = [
        rubric.row({"x": 20, "y": stale}, question="a"),
        rubric.row({"x": rubric.UNASKED, "y": rubric.UNASKED}, question="b"),
    ]
    found = exclusions(rows)
    assert (found.judgements, found.excluded, found.by_judge) == (2, 1, {"x": 0, "y": 1})
    assert found.skew is None
    assert means(rows).means["pooled"] == pytest.approx(20)


def test_without_rubric_scores_nothing_was_excluded(rubric):
    assert exclusions([rubric.row({})]) is None
    assert cell_means([rubric.row({})], kind="pooled") == ()
