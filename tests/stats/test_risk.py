"""Risk: the published surface, by hand, ties, declared losses."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.stats import risk_grid
from pytest_judgeaudit.stats.risk import ARM_RATES, RATES, expected_loss, risk_agreement, source_grid

CLEAN = dict.fromkeys(RATES, 0.0)
LOSSES = {"pi_c": 0.05, "lambda_c": 2.0, "lambda_w": 1.0, "lambda_t": 0.25, "lambda_i": 5.0}


def of_204(
    correct: int, tie: int, wrong: int, invalid: int, *, dark_current: float = 0.0
) -> dict[str, float]:
    """Rates of a published cell, from its counts of signal calls."""
    assert correct + tie + wrong + invalid == 204
    rates = {"wrong": wrong / 204, "tie": tie / 204, "invalid_signal": invalid / 204}
    return {"dark_current": dark_current, "invalid_clone": 0.0, **rates}


PUBLISHED = {
    "Qwen2.5-32B/neutral": of_204(168, 1, 35, 0),
    "Qwen2.5-32B/strict": of_204(120, 67, 16, 1),
    "Qwen3.6/neutral": of_204(178, 3, 23, 0),
    "Qwen3.6/strict": of_204(162, 14, 28, 0),
    "Qwen3.8/neutral": of_204(185, 1, 18, 0),
    "Qwen3.8/strict": of_204(183, 2, 19, 0),
    "gpt-oss-120b/neutral": of_204(182, 12, 10, 0, dark_current=2 / 102),
    "gpt-oss-120b/strict": of_204(177, 15, 12, 0),
}


def test_the_grid_has_96_different_scenarios():
    assert len({tuple(losses.values()) for losses in source_grid()}) == 96


def test_a_strict_cell_with_ties_and_an_invalid_call_by_hand():
    losses = {"pi_c": 0.0, "lambda_c": 0.5, "lambda_w": 1.0, "lambda_t": 0.25, "lambda_i": 5.0}
    [found] = risk_grid(PUBLISHED, scenarios=[losses])
    assert found["risk"]["Qwen2.5-32B/strict"] == pytest.approx((16 + 0.25 * 67 + 5 * 1) / 204)
    assert found["cheapest"] == ["gpt-oss-120b/neutral"]


def test_the_dark_current_counts_with_the_share_of_clones():
    [found] = risk_grid(PUBLISHED, scenarios=[LOSSES])
    by_hand = 0.05 * 2 * 2 / 102 + 0.95 * (10 + 0.25 * 12) / 204
    assert found["risk"]["gpt-oss-120b/neutral"] == pytest.approx(by_hand)


def test_the_whole_surface_of_the_reference_is_met(shared):
    reference = json.loads((shared / "reference" / "paper_values.json").read_text(encoding="utf-8"))[
        "risk_grid"
    ]
    axes = ("pi_c", "lambda_c", "lambda_t", "lambda_i")
    found = {tuple(row[axis] for axis in axes): row for row in risk_grid(PUBLISHED)}
    assert len(found) == len(reference) == 96
    for row in reference:
        ours = found[tuple(float(row[axis]) for axis in axes)]
        assert ours["risk"] == pytest.approx(row["risk"], abs=1e-9)
        assert row["cheapest"] in ours["cheapest"]


def test_cells_that_tie_for_the_lowest_are_listed_together():
    cells = {"a": {**CLEAN, "tie": 0.1 + 0.2}, "b": {**CLEAN, "tie": 0.3}, "c": {**CLEAN, "tie": 0.31}}
    assert all(row["cheapest"] == ["a", "b"] for row in risk_grid(cells))


def test_no_cell_has_no_lowest():
    assert all((row["risk"], row["cheapest"]) == ({}, []) for row in risk_grid({}))


@given(*[st.floats(0, 0.2)] * 5)
@settings(max_examples=40, deadline=None)
def test_risk_never_falls_when_an_error_grows(dark_current, invalid_clone, wrong, tie, invalid_signal):
    rates = dict(zip(RATES, (dark_current, invalid_clone, wrong, tie, invalid_signal), strict=True))
    base = expected_loss(rates, LOSSES)
    assert base >= 0
    assert all(expected_loss({**rates, key: rate + 0.1}, LOSSES) > base for key, rate in rates.items())


def test_a_certified_equivalence_stratum_has_a_term_of_its_own():
    rates = {**CLEAN, "wrong": 0.1, "efp": 0.25, "invalid_equivalent": 0.02}
    [found] = risk_grid({"a": rates}, scenarios=[{**LOSSES, "pi_e": 0.2, "lambda_e": 3.0}])
    assert found["risk"]["a"] == pytest.approx(0.75 * 0.1 + 0.2 * (3 * 0.25 + 5 * 0.02))


@pytest.mark.parametrize(
    ("cells", "scenarios", "message"),
    [
        ({"a": {**CLEAN, "wrong": 1.5}}, None, "wrong of cell 'a' must lie between 0 and 1"),
        ({"a": {"wrong": 0.5}}, None, "cell 'a' must state .*; dark_current, .* is missing"),
        ({"a": {**CLEAN, "lies": 0.5}}, None, "cell 'a': unknown rate 'lies'"),
        ({"a": CLEAN}, [{"pi_c": 0.1}], "a scenario must state .*; lambda_c, .* is missing"),
        ({"a": CLEAN}, [{**LOSSES, "lambda_x": 1}], "unknown loss 'lambda_x'"),
        ({"a": CLEAN}, [{**LOSSES, "lambda_w": -1}], "lambda_w must not be negative, got -1"),
        ({"a": CLEAN}, [{**LOSSES, "lambda_w": float("nan")}], "lambda_w must be a finite number"),
        ({"a": CLEAN}, [{**LOSSES, "pi_c": 0.9, "pi_e": 0.2, "lambda_e": 1}], "shares of one whole"),
        ({"a": CLEAN}, [{**LOSSES, "pi_e": 0.2, "lambda_e": 1}], "needs efp and invalid_equivalent"),
    ],
)
def test_impossible_cells_and_losses_are_refused(cells, scenarios, message):
    with pytest.raises(ValueError, match=message):
        risk_grid(cells, scenarios=scenarios)


def naive_agreement(strata_by_arm, cells, scenario, *, draws, seed):
    """Draw tasks one by one, and look at each replicate with the grid itself."""
    chance = random.Random(seed)  # noqa: S311 - no secret

    def cheapest(tasks_by_arm):
        rates = {cell: {} for cell in cells}
        for arm, tasks in tasks_by_arm.items():
            names = ARM_RATES[arm]
            for c, cell in enumerate(cells):
                for r, name in enumerate(names):
                    column = c * len(names) + r
                    rates[cell][name] = sum(task[column] for task in tasks) / len(tasks)
        return set(risk_grid(rates, scenarios=[scenario])[0]["cheapest"])

    data = {arm: [t for tasks in strata.values() for t in tasks] for arm, strata in strata_by_arm.items()}
    observed, agreeing = cheapest(data), 0
    for _ in range(draws):
        drawn = {
            arm: [t for tasks in strata.values() for t in chance.choices(tasks, k=len(tasks))]
            for arm, strata in strata_by_arm.items()
        }
        agreeing += cheapest(drawn) == observed
    return agreeing / draws


SCENARIO = {"pi_c": 0.05, "lambda_c": 2, "lambda_w": 1, "lambda_t": 0.5, "lambda_i": 1}
CLONES = {"x": [(1, 0, 0, 0)] * 3 + [(0, 0, 1, 0)] * 2 + [(0, 0, 0, 0)] * 25}
SIGNAL = {
    "x": [(0.5, 0, 0, 0, 0, 0)] * 4 + [(0, 0, 0, 0.5, 0.5, 0)] * 3 + [(0,) * 6] * 13,
    "y": [(0, 0.5, 0, 0.5, 0, 0)] * 5 + [(0,) * 6] * 5,
}


def test_the_agreement_is_that_of_drawing_task_by_task():
    arms, cells = {"clone": CLONES, "signal": SIGNAL}, ["a", "b"]
    [fast] = risk_agreement(arms, cells, scenarios=[SCENARIO], draws=20_000)
    slow = naive_agreement(arms, cells, SCENARIO, draws=3000, seed=1)
    # Standard errors of both shares together, five times.
    assert abs(fast - slow) < 5 * (0.25 / 3000 + 0.25 / 20_000) ** 0.5


def test_a_cell_that_is_always_better_always_wins():
    clones = {"x": [(0, 0, 1, 0)] * 10}
    signal = {"x": [(0, 0, 0, 1, 0, 0)] * 10}
    assert (
        risk_agreement({"clone": clones, "signal": signal}, ["a", "b"], scenarios=source_grid()) == [1] * 96
    )


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="every task of stratum 'x' must hold 6 rates"):
        risk_agreement({"signal": {"x": [(0, 0, 0)]}}, ["a", "b"], scenarios=[{**SCENARIO, "pi_c": 0}])


def test_a_scenario_needs_the_arms_that_it_weighs():
    with pytest.raises(ValueError, match="gives weight to clone tasks"):
        risk_agreement({"signal": {"x": [(0, 0, 0)]}}, ["a"], scenarios=[SCENARIO])
