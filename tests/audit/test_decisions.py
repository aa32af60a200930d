"""Decisions at their limits, and what a gate says beside its state."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.records.plans import GateSpec


def rate_gate(studies, outcomes, *, trials=1, **limits):
    """The rate gate of a test without a judge: per unit the number of its trials that succeed."""
    planned = studies.cell(
        "all",
        [f"x{i}" for i in range(len(outcomes))],
        judge=None,
        criterion=None,
        gates=(GateSpec(kind="rate_gate", **limits),),
        replicates=trials,
    )
    observed = [
        studies.trial(
            planned,
            shown,
            None,
            outcome="success" if shown.replicate <= outcomes[int(shown.task[1:])] else "adverse",
        )
        for shown in planned.selected
    ]
    return studies.run(studies.plan([planned], {}), observed).gates[0]


def test_one_success_of_one_reaches_the_bound_that_it_equals(studies):
    # The lower bound of 1 of 1 at 90 % is 0.1.
    gate = rate_gate(studies, [1], lower=0.1, confidence=0.9)
    assert (gate.state, gate.reasons) == ("PASS", ())


def test_a_rate_gate_says_at_its_size_only_what_it_lacks(studies):
    # 2 of 2 at 90 %: the bound is .1 ** (1 / 2) = .316.
    assert rate_gate(studies, [1, 1], lower=0.3, confidence=0.9).reasons == ()
    assert rate_gate(studies, [1], lower=0.3, confidence=0.9).reasons == (
        "1 task cannot pass whatever the outcomes: at least 2 tasks are needed",
    )


def utility_gate(studies, halves, **changes):
    known = studies.tasks(len(halves))
    planned = studies.cell("signal", known, gates=(replace(studies.UTILITY, **changes),))
    return studies.run(studies.plan([planned], known), studies.scored(planned, halves)).gates[0]


def test_a_utility_gate_that_passes_with_a_wrong_call_is_not_called_too_small(studies):
    # R10 by hand: 20 of 20 have .05^(1/20) = .8609; 39 of 40 calls count 39 and have .8850.
    assert utility_gate(studies, [2] * 19 + [1], lower=0.88).state == "PASS"
    whole = utility_gate(studies, [2] * 20, lower=0.88)
    assert (whole.state, whole.reasons) == ("MISS", ())
    passing = utility_gate(studies, [2] * 19 + [1], lower=0.88)
    assert passing.reasons == ()


def test_a_utility_gate_that_no_outcome_passes_names_the_size_that_could(studies):
    # With one wrong call 24 tasks reach 90.4 %, 20 tasks 88.5 %.
    (reason,) = utility_gate(studies, [2] * 20, lower=0.9).reasons
    assert reason == (
        "20 tasks cannot pass: the highest bound that any outcome has is 88.5 %: "
        "at least 24 tasks are needed"
    )


def test_one_task_is_worded_as_one(studies):
    gate = utility_gate(studies, [2], bound="bootstrap")
    assert "is supported for this 1 task under" in gate.statement
    assert utility_gate(studies, [2]).reasons[0].startswith("1 task cannot pass: ")


def test_a_weighted_gate_states_its_weighted_mean(studies):
    # Thirty right of .9 and thirty half right of .1.
    strata = [(0, 0, 30), (15, 0, 15)]
    known = studies.strata_tasks(strata)
    gate = replace(studies.UTILITY, weights={"Factuality": 0.9, "Focus": 0.1})
    planned = studies.cell("signal", known, gates=(gate,))
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, studies.halves(strata)))
    assert audit.gates[0].state == "PASS"
    assert "(weighted mean 95 % (unweighted 75 %) over 60 tasks in 2 strata, " in audit.gates[0].statement


def test_no_weighted_figure_exceeds_one(studies):
    # Without care .6 + .3 + .1 parts of 1 sum to 1 + 2e-16 or 1 - 1e-16.
    strata = [(0, 0, 2), (0, 0, 2), (0, 0, 24)]
    known = studies.strata_tasks(strata)
    gate = replace(studies.UTILITY, weights={"Factuality": 0.6, "Focus": 0.3, "Math": 0.1})
    planned = studies.cell("signal", known, gates=(gate,))
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, studies.halves(strata)))
    (cell,) = audit.cells
    assert (cell.lower, cell.interval, cell.weighted) == (1.0, (1.0, 1.0), 1.0)


@pytest.mark.parametrize(
    ("layout", "words"),
    # RULES 2, 4b, column "percentile": 8 x 4 has .122 to .134, 20 x 2 and 51 x 2 .153 to .190.
    [
        ([10], "in 8 to 12 % of audits of 20 to 60 tasks, higher still below 20 tasks, for"),
        (
            [4, 4],
            "in 12 to 13 % of audits with strata of about this size, higher still below 20 tasks, for",
        ),
        ([20], "in 8 to 12 % of audits of about this size, for"),
        ([4] * 8, "in 12 to 13 % of audits with strata of about this size, for"),
        ([5] * 6, "in 8 to 12 % of audits of about this size, for"),
        ([2] * 51, "in 15 to 19 % of audits with strata of about this size, for"),
        ([17] * 6, "in 7 to 8 % of audits of about this size, for"),
        ([81] * 6, "in 5 to 6 % of audits of about this size, for"),
    ],
)
def test_the_sources_rule_states_how_often_it_passes_wrongly_in_such_a_layout(studies, layout, words):
    strata = [(0, 0, size) for size in layout]
    known = studies.strata_tasks(strata, [f"s{i}" for i in range(len(layout))])
    planned = studies.cell("signal", known, gates=(replace(studies.UTILITY, bound="bootstrap"),))
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, studies.halves(strata)))
    statement = audit.gates[0].statement
    assert (
        f"simulated at a true mean of .75, its bound reaches that mean {words} a nominal 5 %" in statement
    )


def test_the_sources_rule_states_no_figure_at_another_confidence(studies):
    statement = utility_gate(studies, [2] * 20, bound="bootstrap", confidence=0.9).statement
    assert statement.endswith(
        "; the bootstrap rule alone under-covers; how much was simulated at 95 % only"
    )


def test_a_rate_gate_says_what_a_success_is_where_a_unit_has_several_trials(studies):
    words = "; a unit of up to 2 trials succeeds only if every one of them does)"
    # Of 20 units 19 have both trials right: CP lower .784, and with 15 of 20 .544.
    passing = rate_gate(studies, [2] * 19 + [1], trials=2, lower=0.75)
    missing = rate_gate(studies, [2] * 15 + [1] * 5, trials=2, lower=0.75)
    assert (passing.state, missing.state) == ("PASS", "MISS")
    assert words in passing.statement
    assert words in missing.statement
    assert "succeeds only if" not in rate_gate(studies, [1] * 20, lower=0.75).statement


def campaign(studies, *, selected=("clone",), interrupted=False, **known):
    """The decided gates of a judge with 90 copies and 90 pairs, of which only these arms are selected."""
    tasks = studies.tasks(90)
    cells = {arm: studies.cell(arm, tasks) for arm in ("clone", "signal")}
    cells = {a: c if a in selected else replace(c, selected=()) for a, c in cells.items()}
    observed = studies.copies(cells["clone"]) if "clone" in selected else []
    observed += studies.scored(cells["signal"], [2] * 90) if "signal" in selected else []
    if interrupted:
        observed = observed[:-1]
    plan = studies.plan(list(cells.values()), tasks, judges=[studies.judge(**known)])
    return studies.run(plan, observed, interrupted=interrupted).gates


def test_a_gate_of_a_part_of_a_campaign_passes_and_says_how_much_the_operational_rule_saw(studies):
    (clone,) = campaign(studies)
    assert (clone.state, clone.outcome) == ("PASS", "passed")
    assert clone.reasons == ("operational rule applied to 90 of 270 calls of the campaign",)
    (utility,) = campaign(studies, selected=("signal",))
    assert (utility.state, utility.reasons) == (
        "PASS",
        ("operational rule applied to 180 of 270 calls of the campaign",),
    )


def test_a_gate_of_a_whole_campaign_says_nothing_of_the_operational_rule(studies):
    gates = campaign(studies, selected=("clone", "signal"))
    assert [(gate.state, gate.reasons) for gate in gates] == [("PASS", ()), ("PASS", ())]


def test_a_run_that_ended_early_has_seen_what_came(studies):
    clone, utility = campaign(studies, selected=("clone", "signal"), interrupted=True)
    assert clone.reasons == ("operational rule applied to 269 of 270 calls of the campaign",)
    assert utility.state == "PARTIAL"


def test_criteria_that_were_left_out_belong_to_the_campaign(studies):
    both = campaign(studies, selected=("clone", "signal"), criteria=("neutral", "strict"))
    assert {gate.reasons for gate in both} == {
        ("operational rule applied to 270 of 540 calls of the campaign",)
    }
