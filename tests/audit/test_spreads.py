"""Signed spreads of families, and when a score is under-determined."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.spreads import patterns, spreads
from pytest_judgeaudit.records.floors import NOT_MEASURED, Noise

FAMILIES = {"gpt": "gpt", "opus": "claude"}
NOISE = Noise(state="measured", cells=4, total=3.0, by_dimension={"accuracy": 2.0})


def of(rows, **rest):
    return spreads(rows, **{"families": FAMILIES, "noise": NOISE, **rest})


def rows_of(rubric, blind, sighted, **rest):
    """Rows whose families differ in accuracy by this much; the rest of the scores is equal."""
    return [
        rubric.row({"gpt": (40 + blind, 12 + blind), "opus": (40, 12)}, arm="blind", **rest),
        rubric.row({"gpt": (70 + sighted, 22 + sighted), "opus": (70, 22)}, **rest),
    ]


def test_a_spread_is_signed_by_dimension_and_arm(rubric):
    (found,) = of(rows_of(rubric, 6.5, -1.5))
    assert (found.minuend, found.subtrahend) == ("gpt", "claude")
    assert (found.blind["accuracy"], found.sighted["accuracy"]) == pytest.approx((6.5, -1.5))
    assert (found.blind["total"], found.blind["usefulness"]) == pytest.approx((6.5, 0))
    assert found.ratio["accuracy"] == pytest.approx(6.5 / 1.5)
    assert found.answers == {"blind": 1, "sighted": 1}


def test_the_sign_follows_the_order_of_the_families(rubric):
    (found,) = of(rows_of(rubric, 6.5, -1.5), families={"opus": "claude", "gpt": "gpt"})
    assert (found.minuend, found.blind["accuracy"]) == ("claude", pytest.approx(-6.5))


def test_only_answers_that_both_families_scored_are_compared(rubric):
    rows = [
        *rows_of(rubric, 6.0, 0.0),
        rubric.row({"gpt": 100, "opus": rubric.LOST}, question="x", arm="blind"),
    ]
    (found,) = of(rows)
    assert found.answers == {"blind": 1, "sighted": 1}
    assert found.blind["accuracy"] == pytest.approx(6)


def test_judges_of_one_family_are_averaged_first(rubric):
    rows = [rubric.row({"gpt": (40, 10), "gpt2": (40, 20), "opus": (40, 12)}, arm="blind")]
    (found,) = of(rows, families={**FAMILIES, "gpt2": "gpt"})
    assert found.blind["accuracy"] == pytest.approx(15 - 12)
    assert (found.sighted, found.ratio) == ({}, {})


def test_every_two_families_have_a_spread(rubric):
    rows = [rubric.row({"gpt": 40, "opus": 30, "qwen": 10}, arm="blind")]
    found = of(rows, families={**FAMILIES, "qwen": "qwen"})
    assert {(one.minuend, one.subtrahend): round(one.blind["total"]) for one in found} == {
        ("gpt", "claude"): 10,
        ("gpt", "qwen"): 30,
        ("claude", "qwen"): 20,
    }


def test_one_family_has_none(rubric):
    assert of(rows_of(rubric, 1, 1), families={"gpt": "x", "opus": "x"}) == ()


@pytest.mark.parametrize(
    ("blind", "sighted", "flag"),
    [
        (6.5, -1.5, True),
        (-6.5, 1.5, True),
        (6.5, 3.2, True),
        (6.5, 3.25, False),  # not above twice the sighted spread
        (6.5, -4.0, False),
        (2.0, 0.0, False),  # not above the noise floor of the dimension
        (2.01, 0.0, True),
    ],
)
def test_a_blind_spread_above_noise_and_twice_the_sighted_one_is_under_determined(
    rubric, blind, sighted, flag
):
    (found,) = of(rows_of(rubric, blind, sighted))
    assert found.under_determined["accuracy"] is flag
    assert found.under_determined["usefulness"] is None  # no noise floor was given


def test_without_a_noise_floor_or_an_arm_nothing_is_flagged(rubric):
    rows = rows_of(rubric, 9, 0)
    assert set(of(rows, noise=NOT_MEASURED)[0].under_determined.values()) == {None}
    assert set(of(rows[:1])[0].under_determined.values()) == {None}


@pytest.mark.parametrize(
    ("runs", "constant", "crossed"),
    [
        ([(6.5, -1.2), (9.4, -2.0)], True, True),
        ([(-6.5, 1.2), (-9.4, 2.0)], True, True),
        ([(6.5, -1.2), (9.4, 2.0)], True, False),
        ([(6.5, -1.2), (-9.4, -2.0)], False, False),
        ([(6.5, -1.2), (0.0, -2.0)], False, False),
    ],
)
def test_a_pattern_tells_whether_signs_are_constant(rubric, runs, constant, crossed):
    rows = [row for index, run in enumerate(runs) for row in rows_of(rubric, *run, eval=f"e{index}")]
    (found,) = patterns(of(rows), "accuracy")
    assert (found.runs, found.constant, found.crossed) == (2, constant, crossed)
    assert found.blind == pytest.approx((min(run[0] for run in runs), max(run[0] for run in runs)))


def test_a_run_without_one_of_the_arms_is_in_no_pattern(rubric):
    assert list(patterns(of(rows_of(rubric, 6, 1)[:1]), "accuracy")) == []
