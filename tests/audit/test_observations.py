"""Trials beside the schedule: parts, interruptions, strays, uneven orders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.observations import observe
from pytest_judgeaudit.audit.tallies import tally
from pytest_judgeaudit.records.plans import Presentation, Task


def test_a_part_is_reported_and_not_evaluated(studies):
    known = studies.tasks(93)
    planned = studies.cell("clone", known)
    planned = replace(planned, selected=planned.selected[:2])
    audit = studies.run(studies.plan([planned], known), studies.copies(planned, adverse=2))
    (gate,), (cell,) = audit.gates, audit.cells
    assert (gate.state, gate.outcome, gate.bound, gate.p_holm) == ("PARTIAL", "skipped", None, None)
    assert gate.reasons == ("2 of 93 declared presentations were selected",)
    assert (cell.state, cell.tasks, cell.estimate, cell.upper, cell.subsets) == (
        "PARTIAL",
        2,
        None,
        None,
        (),
    )
    assert cell.counts == {"correct": 0, "tie": 0, "wrong": 2, "invalid": 0, "adverse": 2}
    assert (audit.state, audit.exit) == ("pass", 0)


def test_a_part_of_a_campaign_is_judged_by_the_calls_that_were_selected(studies):
    known = studies.tasks(200)
    clone, signal = studies.cell("clone", known), studies.cell("signal", known)
    signal = replace(signal, selected=())
    audit = studies.run(studies.plan([clone, signal], known), studies.copies(clone, invalid=2))
    (found,) = audit.configurations
    assert (found.calls, found.invalid_rate, found.state) == (200, 0.01, "OK")
    assert [cell.arm for cell in audit.cells] == ["clone"]


def test_a_part_stays_partial_in_a_held_campaign(studies):
    known = studies.tasks(93)
    part = studies.cell("clone", known)
    part = replace(part, selected=part.selected[:10])
    whole = studies.cell("signal", known)
    observed = studies.copies(part, invalid=10) + studies.scored(whole, [2] * 93)
    audit = studies.run(studies.plan([part, whole], known), observed)
    assert [gate.state for gate in audit.gates] == ["PARTIAL", "HOLD"]


def test_an_interrupted_run_leaves_parts_and_not_holes(studies):
    known = studies.tasks(93)
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    observed = studies.copies(cells[0]) + studies.scored(cells[1], [2] * 93)[:50]
    audit = studies.run(studies.plan(cells, known), observed, interrupted=True)
    assert [gate.state for gate in audit.gates] == ["PASS", "PARTIAL"]
    assert audit.gates[1].reasons == (
        "186 of 186 declared presentations were selected, and 50 of those were run",
    )
    assert audit.configurations[0].state == "OK"


def test_a_void_trial_of_an_interrupted_run_still_holds_the_campaign(studies):
    known = studies.tasks(93)
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    observed = studies.scored(cells[1], [2] * 93)
    observed += [replace(studies.copies(cells[0])[0], outcome="void", winner=None, reason="KeyError: lost")]
    audit = studies.run(studies.plan(cells, known), observed, interrupted=True)
    assert [gate.state for gate in audit.gates] == ["PARTIAL", "HOLD"]


def test_an_interrupted_run_that_had_done_everything_is_evaluated(studies):
    known = studies.tasks(93)
    planned = studies.cell("clone", known)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned), interrupted=True)
    assert audit.gates[0].state == "PASS"


def test_a_run_without_any_trial_is_held_and_never_green(studies):
    known = studies.tasks(93)
    planned = studies.cell("clone", known)
    audit = studies.run(studies.plan([planned], known), [])
    assert (audit.gates[0].state, audit.state) == ("HOLD", "hold")


def test_a_run_in_which_everything_was_skipped_is_held(studies):
    known = studies.tasks(93)
    planned = studies.cell("clone", known)
    observed = [
        replace(trial, outcome="void", winner=None, reason="skipped: not today")
        for trial in studies.copies(planned)
    ]
    audit = studies.run(studies.plan([planned], known), observed)
    assert (audit.gates[0].state, audit.state) == ("HOLD", "hold")
    assert "93 trials measured nothing" in audit.gates[0].reasons[0]
    assert "(skipped: not today)" in audit.gates[0].reasons[0]


def test_an_empty_source_is_held(studies):
    planned = studies.cell("clone", [])
    audit = studies.run(studies.plan([planned], {}), [])
    assert (audit.gates[0].state, audit.state) == ("HOLD", "hold")
    assert audit.gates[0].reasons == ("evals/test_study.py::test_copies: nothing is scheduled",)


def test_trials_that_nothing_scheduled_are_left_out_and_named(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    observed = studies.copies(planned)
    strays = [replace(observed[0], cell="elsewhere"), replace(observed[1], cell="elsewhere")]
    audit = studies.run(studies.plan([planned], known), [*observed, *strays])
    assert audit.gates[0].state == "PASS"
    (finding,) = audit.findings
    assert (finding.code, finding.where) == ("stray-trials", "elsewhere")
    assert finding.symptom.startswith("2 trials")


@pytest.mark.parametrize("arm", ["signal", "equivalent"])
def test_tasks_in_unequal_orders_hold_their_cell(studies, arm):
    known = studies.tasks(40)
    planned = studies.cell(arm, known, gates=(studies.UTILITY,) if arm == "signal" else (studies.RATE,))
    shown = planned.declared[:-1]
    planned = replace(planned, declared=shown, selected=shown)
    audit = studies.run(studies.plan([planned], known), studies.trials(planned, ["first"] * 79))
    assert audit.gates[0].state == "HOLD"
    assert audit.gates[0].reasons == ("tasks were scheduled in different sets of orders",)
    assert audit.configurations[0].state == "OK"


def test_trial_rows_stand_in_the_plans_order_whatever_order_they_came_in(studies):
    known = studies.tasks(30)
    planned = studies.cell("signal", known)
    observed = studies.scored(planned, [2] * 30)
    audit = studies.run(studies.plan([planned], known), observed[::-1])
    assert [Presentation(row["task"], row["order"], row["replicate"]) for row in audit.trials] == list(
        planned.selected
    )
    assert set(audit.trials[0]) == {"cell", "task", "order", "replicate", "winner", "digest", "outcome"}


def test_the_order_of_trials_changes_nothing(studies):
    known = studies.tasks(90, subsets=("a", "b"))
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    observed = studies.copies(cells[0], adverse=1) + studies.scored(cells[1], [2, 1, 0] * 30)
    planned = studies.plan(cells, known)
    assert studies.run(planned, observed).cells == studies.run(planned, observed[::-1]).cells


# Repeated calls


def rulings(studies, *, first, again, parts=(), interrupted=False):
    """The cell of repeated calls, from the rulings of first calls on good answers and of second ones."""
    names = [f"t{number}" for number in range(len(first))]
    good = studies.cell("good", names, test="test_graded")
    shown = tuple(one._replace(replicate=2) for one in good.declared)
    repeated = studies.cell("repeated", names, test="test_graded", declared=shown, selected=shown)
    good = replace(good, selected=tuple(one for one in good.declared if one.task not in parts))
    trials = [
        *studies.trials(good, [said for said, name in zip(first, names, strict=True) if name not in parts]),
        *studies.trials(repeated, again),
    ]
    trials = [trial for trial in trials if trial.winner is not None]
    known = {name: Task(id=name, subset="s", target="good") for name in names}
    cells, _ = observe(studies.plan([good, repeated], known), trials, interrupted=interrupted)
    (found,) = (cell for cell in cells if cell.plan.arm == "repeated")
    return found


def test_a_repeated_call_succeeds_if_it_says_validly_what_the_first_said(studies):
    first = ["accept", "accept", "reject", "reject", "invalid", "invalid", "accept"]
    again = ["accept", "reject", "reject", "accept", "invalid", "accept", "invalid"]
    found = rulings(studies, first=first, again=again)
    outcomes = [trial.outcome for trial in found.trials.values()]
    assert outcomes == ["success", "adverse", "success", "adverse", "adverse", "adverse", "adverse"]
    counts = tally(found).counts
    assert counts == {"correct": 2, "tie": 0, "wrong": 3, "invalid": 2, "adverse": 5}
    assert tally(found).disagreeing == ()


def test_repeated_calls_whose_first_ones_were_not_run_are_a_part(studies):
    said = ["accept"] * 3
    assert not rulings(studies, first=said, again=said).partial
    assert rulings(studies, first=said, again=said, parts=("t1",)).partial


def test_an_interrupted_run_decides_nothing_about_repeats_of_calls_that_it_did_not_reach(studies):
    said = ["accept"] * 3
    first = ["accept", "accept", None]
    assert rulings(studies, first=first, again=said, interrupted=True).partial
    assert not rulings(studies, first=first, again=said).partial  # a hole, which holds the campaign
