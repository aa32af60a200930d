"""Expected losses of the cells of a study (METHODS 2, RULES R5 and R31)."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.audits import Loss

LOSSES = {"pi_c": 0.1, "lambda_c": 2.0, "lambda_w": 1.0, "lambda_t": 0.5, "lambda_i": 4.0}


def study(studies, **judges):
    """Per judge: adverse and invalid copies of 10, and the winners of 5 tasks in two orders."""
    known = studies.tasks(10)
    pairs = dict(list(known.items())[:5])
    cells, observed = [], []
    for name, (adverse, invalid, winners) in judges.items():
        clone = studies.cell("clone", known, judge=name)
        signal = studies.cell("signal", pairs, judge=name)
        cells += [clone, signal]
        observed += studies.copies(clone, adverse=adverse, invalid=invalid)
        observed += studies.trials(signal, winners)
    return studies.plan(cells, known), observed


def test_rates_are_over_scheduled_units_and_invalid_copies_are_no_preference(studies):
    right = ["first"] * 10
    planned, observed = study(studies, a=(3, 0, ["first"] * 6 + ["second"] * 3 + ["tie"]), b=(0, 0, right))
    (found,) = studies.run(planned, observed, losses=[Loss(name="mine", losses=LOSSES)]).risk
    assert found.cells["a/neutral"] == pytest.approx(
        {"dark_current": 0.3, "invalid_clone": 0, "wrong": 0.3, "tie": 0.1, "invalid_signal": 0}
    )
    mine = found.scenarios[-1]
    # .1 (2 × .3) + .9 (.3 + .5 × .1)
    assert mine["name"] == "mine"
    assert mine["risk"] == pytest.approx({"a/neutral": 0.06 + 0.9 * 0.35, "b/neutral": 0})
    assert mine["cheapest"] == ["b/neutral"]
    assert len(found.scenarios) == 97


def test_cells_that_tie_are_listed_together_and_agree(studies):
    right = ["first"] * 10
    planned, observed = study(studies, a=(1, 0, right), b=(1, 0, right))
    (found,) = studies.run(planned, observed).risk
    assert {tuple(one["cheapest"]) for one in found.scenarios} == {("a/neutral", "b/neutral")}
    assert {one["agreement"] for one in found.scenarios} == {1.0}


def test_a_cell_on_hold_is_left_out(studies):
    right = ["first"] * 10
    planned, observed = study(studies, a=(0, 0, right), b=(0, 5, right))
    (found,) = studies.run(planned, observed).risk
    assert list(found.cells) == ["a/neutral"]
    assert found.left_out == {"b/neutral": "its clone cell is HOLD"}


def test_without_signal_pairs_there_is_no_risk(studies):
    known = studies.tasks(10)
    planned = studies.cell("clone", known)
    assert studies.run(studies.plan([planned], known), studies.copies(planned)).risk == ()


def test_equivalents_count_where_every_cell_has_them(studies):
    known = studies.tasks(4)
    cells = [studies.cell(arm, known) for arm in ("clone", "signal", "equivalent")]
    observed = studies.copies(cells[0]) + studies.trials(cells[1], ["first"] * 8)
    observed += studies.trials(cells[2], ["first", "tie"] + ["tie"] * 6)
    losses = Loss(name="e", losses={**LOSSES, "pi_c": 0.0, "pi_e": 0.5, "lambda_e": 3.0})
    (found,) = studies.run(studies.plan(cells, known), observed, losses=[losses]).risk
    assert found.cells["qwen/neutral"]["efp"] == 0.25
    assert found.scenarios[-1]["risk"]["qwen/neutral"] == pytest.approx(0.5 * 3 * 0.25)


def test_equivalents_that_nobody_validated_enter_no_risk(studies):
    known = studies.tasks(4)
    cells = [studies.cell(arm, known) for arm in ("clone", "signal")]
    cells.append(studies.cell("equivalent", known, stratum="unvalidated"))
    observed = studies.copies(cells[0]) + studies.scored(cells[1], [2] * 4)
    observed += studies.trials(cells[2], ["first"] * 8)
    (found,) = studies.run(studies.plan(cells, known), observed).risk
    assert "efp" not in found.cells["qwen/neutral"]


def test_a_scenario_of_equivalents_is_left_out_where_there_are_none(studies):
    planned, observed = study(studies, a=(0, 0, ["first"] * 10))
    losses = Loss(name="e", losses={**LOSSES, "pi_e": 0.5})
    (found,) = studies.run(planned, observed, losses=[losses]).risk
    assert len(found.scenarios) == 96
