"""Gates: their ids, states, sentences and how their items end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy.stats import beta

from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.plans import GateSpec

BAD = {"expect": "uncertified"}


def clone_run(studies, count, *, adverse=0, invalid=0, judge=None, edit=lambda t: t, **changes):
    known = studies.tasks(count)
    planned = studies.cell("clone", known, **changes)
    judges = [judge or studies.judge()]
    observed = edit(studies.copies(planned, adverse=adverse, invalid=invalid))
    return studies.run(studies.plan([planned], known, judges=judges), observed)


def signal_run(studies, strata, *, gate=None, **changes):
    known = studies.strata_tasks(strata)
    gates = (studies.UTILITY if gate is None else replace(studies.UTILITY, **gate),)
    planned = studies.cell("signal", known, gates=gates, **changes)
    return studies.run(studies.plan([planned], known), studies.scored(planned, studies.halves(strata)))


def test_an_id_names_test_kind_judge_and_criterion(studies):
    gate = clone_run(studies, 60).gates[0]
    assert gate.id == "evals/test_study.py::test_copies::clone_gate[qwen-neutral]"
    assert (gate.kind, gate.location) == ("clone_gate", ("evals/test_study.py", 3))


def test_an_id_holds_foreign_parameters_and_slugs(studies):
    gate = clone_run(studies, 60, variant="calm", judge=studies.judge()).gates[0]
    assert gate.id.endswith("clone_gate[qwen-neutral-calm]")
    gate = clone_run(studies, 60, criterion="my own/one").gates[0]
    assert gate.id.isascii()
    assert "/one" not in gate.id


def test_a_gate_without_a_judge_is_of_all(studies):
    planned = studies.cell(
        "all", ["a"], judge=None, criterion=None, gates=(studies.RATE,), variant="asyncio"
    )
    audit = studies.run(studies.plan([planned], {}), [studies.trial(planned, planned.declared[0], None)])
    assert audit.gates[0].id == "evals/test_study.py::test_any::rate_gate[all-asyncio]"


def test_a_passing_clone_gate_states_tasks_model_and_limits(studies):
    gate = clone_run(studies, 93, adverse=1).gates[0]
    assert gate.statement == (
        "fewer than 5 % adverse is supported for these 93 tasks under an independent, common-rate working "
        "model (1 of 93 tasks adverse, upper bound 4.999 % at 95 %, p = 0.04998 in a Holm family of 1); "
        "marginal bound; this configuration as served; no population guarantee"
    )
    assert (gate.outcome, gate.reasons) == ("passed", ())


@pytest.mark.parametrize(("adverse", "said"), [(8, True), (9, False), (93, False)])
def test_a_miss_denies_no_evidence_that_there_is(studies, adverse, said):
    # scipy.stats.binomtest(k, 93, .05, alternative="greater"): p = .094 for 8, .043 for 9.
    statement = clone_run(studies, 93, adverse=adverse).gates[0].statement
    assert ("that is not evidence" in statement) is said


def test_a_missing_clone_gate_claims_no_more_than_it_is(studies):
    gate = clone_run(studies, 93, adverse=5).gates[0]
    assert "not supported by this evidence" in gate.statement
    assert "that is not evidence that the rate exceeds 5 %" in gate.statement
    assert "5 of 93 tasks adverse" in gate.statement
    assert (gate.state, gate.outcome) == ("MISS", "failed")


def test_zero_observed_is_not_zero_probability(studies):
    assert "zero observed is not zero probability" in clone_run(studies, 60).gates[0].statement


def test_a_held_gate_could_not_measure_and_says_why(studies):
    gate = clone_run(studies, 93, edit=lambda trials: trials[1:]).gates[0]
    assert gate.statement == "could not measure; nothing is claimed"
    assert gate.reasons == ("1 presentation without a trial: t000 AB",)
    assert (gate.state, gate.outcome, gate.bound, gate.p_holm) == ("HOLD", "error", None, None)


def test_an_underpowered_gate_names_the_size_that_could_pass(studies):
    audit = clone_run(studies, 20)
    (gate,) = audit.gates
    words = "20 tasks cannot pass even with 0 adverse: at least 59 tasks are needed"
    assert (gate.state, gate.reasons) == ("MISS", (words,))
    assert [f.symptom for f in audit.findings if f.code == "underpowered"] == [words]


def test_an_underpowered_family_needs_more(studies):
    known = studies.tasks(60)
    cells = [studies.cell("clone", known, criterion=f"c{i}") for i in range(4)]
    observed = [trial for cell in cells for trial in studies.copies(cell)]
    gate = studies.run(studies.plan(cells, known), observed).gates[0]
    assert gate.reasons == (
        "60 tasks cannot pass even with 0 adverse in a Holm family of 4: at least 86 tasks are needed",
    )


def test_a_passing_gate_is_not_called_underpowered(studies):
    known = studies.tasks(60)
    big = studies.tasks(400, prefix="u")
    cells = [studies.cell("clone", known), studies.cell("clone", big, criterion="strict")]
    observed = [trial for cell in cells for trial in studies.copies(cell)]
    gates = studies.run(studies.plan(cells, known | big), observed).gates
    assert [(gate.state, gate.reasons) for gate in gates] == [("PASS", ())] * 2


@pytest.mark.parametrize(
    ("bound", "state"), [("checked", "MISS"), ("bootstrap", "PASS"), ("exact", "MISS")]
)
def test_the_declared_bound_decides(studies, bound, state):
    audit = signal_run(studies, [(0, 0, 10)], gate={"bound": bound})
    assert audit.gates[0].state == state
    assert audit.cells[0].lower == 1.0
    assert audit.cells[0].lower_checked == pytest.approx(0.74113, abs=5e-6)
    assert (audit.cells[0].lower_exact is None) == (bound != "exact")


def test_the_sources_rule_prints_how_often_it_passes_wrongly(studies):
    small = signal_run(studies, [(0, 0, 10)], gate={"bound": "bootstrap"}).gates[0].statement
    assert (
        "under-covers: simulated at a true mean of .75, its bound reaches that mean in 8 to 12 %" in small
    )
    large = signal_run(studies, [(0, 0, 100)], gate={"bound": "bootstrap"}).gates[0].statement
    assert "7 to 8 %" in large
    pairs = [(0, 0, 2)] * 20
    known = studies.strata_tasks(pairs, [f"s{i}" for i in range(20)])
    gate = replace(studies.UTILITY, bound="bootstrap")
    planned = studies.cell("signal", known, gates=(gate,))
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, [2] * 40))
    assert "15 to 19 %" in audit.gates[0].statement
    assert "under-covers" not in signal_run(studies, [(0, 0, 100)]).gates[0].statement


def test_a_passing_utility_gate_states_its_scope(studies):
    statement = signal_run(studies, [(0, 2, 38)]).gates[0].statement
    assert statement.startswith(
        "a mean utility of at least 75 % is supported for these 40 tasks under a working"
    )
    assert "mean 97.5 % over 40 tasks in 1 stratum" in statement
    assert "not adjusted for several cells" in statement
    assert "no population guarantee" in statement


def test_an_underpowered_utility_gate_names_the_size_that_could_pass(studies):
    gate = signal_run(studies, [(0, 0, 10)]).gates[0]
    (reason,) = gate.reasons
    assert reason.startswith("10 tasks cannot pass: the highest bound that any outcome has is 74.1 %")
    assert reason.endswith(": at least 11 tasks are needed")


def test_declared_weights_change_the_bound_and_stand_beside_the_mean(studies):
    strata = [(0, 0, 30), (15, 0, 15)]
    names = {"Factuality": 0.9, "Focus": 0.1}
    cell = signal_run(studies, strata, gate={"weights": names}).cells[0]
    assert cell.weighted == pytest.approx(0.95)
    assert cell.estimate == cell.macro == pytest.approx(0.75)
    assert cell.lower > 0.9
    assert signal_run(studies, strata).cells[0].weighted is None


def test_weights_that_miss_a_stratum_hold_the_cell(studies):
    audit = signal_run(studies, [(0, 0, 30)], gate={"weights": {"Math": 1.0}})
    assert audit.gates[0].state == "HOLD"
    assert "weights name Math, expected the strata Factuality" in audit.gates[0].reasons[0]


def test_strata_may_be_template_families(studies):
    known = {
        name: replace(task, family=f"f{i % 2}")
        for i, (name, task) in enumerate(studies.strata_tasks([(0, 0, 40)]).items())
    }
    planned = studies.cell("signal", known, gates=(replace(studies.UTILITY, strata="family"),))
    # One family always right, the other never: within families nothing varies.
    observed = studies.scored(planned, [2, 0] * 20)
    (cell,) = studies.run(studies.plan([planned], known), observed).cells
    assert cell.lower == cell.estimate == 0.5
    assert "degenerate" in cell.warnings


def rate_run(studies, gate, failing, count=40):
    planned = studies.cell(
        "all", [f"x{i}" for i in range(count)], judge=None, criterion=None, gates=(gate,)
    )
    observed = [
        studies.trial(planned, p, None, outcome="adverse" if i < failing else "success")
        for i, p in enumerate(planned.selected)
    ]
    return studies.run(studies.plan([planned], {}), observed)


@pytest.mark.parametrize(
    ("gate", "failing", "state", "bound"),
    [
        # The bounds solve P(Bin(40, bound) ≥ 38) = .05 and P(Bin(40, bound) ≤ 2) = .05.
        (GateSpec(kind="rate_gate", lower=0.75), 2, "PASS", beta.ppf(0.05, 38, 3)),
        (GateSpec(kind="rate_gate", lower=0.9), 2, "MISS", beta.ppf(0.05, 38, 3)),
        (GateSpec(kind="rate_gate", upper=0.2), 38, "PASS", beta.ppf(0.95, 3, 38)),
        (GateSpec(kind="rate_gate", upper=0.1), 38, "MISS", beta.ppf(0.95, 3, 38)),
    ],
)
def test_a_rate_gate_bounds_successes_on_its_side(studies, gate, failing, state, bound):
    audit = rate_run(studies, gate, failing)
    (found,), (cell,) = audit.gates, audit.cells
    assert (found.state, found.tasks) == (state, 40)
    assert found.bound == pytest.approx(bound, rel=1e-9)
    assert (cell.lower if gate.upper is None else cell.upper) == found.bound
    assert cell.estimate == pytest.approx((40 - failing) / 40)
    assert "unadjusted" in found.statement
    assert audit.configurations == ()


def test_a_rate_gate_counts_a_task_only_if_all_its_trials_succeed(studies):
    known = studies.tasks(60, target="tie")
    planned = studies.cell("equivalent", known, gates=(GateSpec(kind="rate_gate", lower=0.5),))
    winners = ["tie", "first"] * 10 + ["tie"] * 100
    audit = studies.run(studies.plan([planned], known), studies.trials(planned, winners))
    (gate,) = audit.gates
    assert gate.id.endswith("test_equivalents::rate_gate[qwen-neutral]")
    assert "50 of 60 (83.3 %)" in gate.statement
    assert audit.cells[0].counts["adverse"] == 10


def test_a_known_bad_judge_passes_by_missing(studies):
    gate = clone_run(studies, 93, adverse=40, judge=studies.judge(**BAD)).gates[0]
    assert (gate.state, gate.outcome, gate.expected) == ("MISS", "passed", "uncertified")


def test_a_known_bad_judge_may_say_what_cannot_be_read(studies):
    audit = clone_run(studies, 93, invalid=93, judge=studies.judge(**BAD))
    assert (audit.gates[0].state, audit.gates[0].outcome, audit.state) == ("HOLD", "passed", "pass")


def test_a_known_bad_judge_with_a_hole_is_an_error(studies):
    audit = clone_run(studies, 93, invalid=60, judge=studies.judge(**BAD), edit=lambda t: t[:-1])
    assert (audit.gates[0].state, audit.gates[0].outcome, audit.state) == ("HOLD", "error", "hold")


def both(studies, *, wins, **changes):
    known = studies.tasks(90)
    cells = [studies.cell("clone", known), studies.cell("signal", changes.pop("signal", known))]
    observed = studies.copies(cells[0]) + studies.scored(cells[1], [2 * wins] * 90)
    judges = [studies.judge(**BAD)]
    tasks = {**known, **changes.pop("more", {})}
    return studies.run(studies.plan(cells, tasks, judges=judges), observed)


def test_a_known_bad_judge_that_passes_both_gates_fails_the_later_one(studies):
    audit = both(studies, wins=True)
    assert [gate.state for gate in audit.gates] == ["PASS", "PASS"]
    assert [gate.outcome for gate in audit.gates] == ["passed", "failed"]
    assert "uncertified" in audit.gates[1].reasons[0]
    assert audit.state == "miss"
    assert "uncertified-passed" in [finding.code for finding in audit.findings]


def test_a_known_bad_judge_may_pass_one_gate(studies):
    audit = both(studies, wins=False)
    assert [gate.state for gate in audit.gates] == ["PASS", "MISS"]
    assert [gate.outcome for gate in audit.gates] == ["passed", "passed"]
    assert audit.state == "pass"


def test_on_unmatched_tasks_no_known_bad_judge_passed_both_gates(studies):
    others = studies.tasks(90, prefix="u")
    audit = both(studies, wins=True, signal=others, more=others)
    assert [gate.state for gate in audit.gates] == ["PASS", "PASS"]
    assert audit.joint[0].label == "unmatched"
    assert [gate.outcome for gate in audit.gates] == ["passed", "passed"]
    assert "uncertified-passed" not in [finding.code for finding in audit.findings]


def test_a_missed_gate_of_one_makes_the_run_a_miss_whatever_is_held(studies):
    known = studies.tasks(93)
    cells = [studies.cell("clone", known, judge=name) for name in ("a", "b")]
    observed = studies.copies(cells[0], invalid=9) + studies.copies(cells[1], adverse=9)
    audit = studies.run(studies.plan(cells, known), observed)
    assert [gate.state for gate in audit.gates] == ["HOLD", "MISS"]
    assert (audit.state, audit.exit) == ("miss", 1)


def test_a_held_gate_alone_makes_the_run_held(studies):
    audit = clone_run(studies, 93, invalid=9)
    assert (audit.state, audit.exit) == ("hold", 10)


def test_gates_on_edge_strata_do_not_exist(studies):
    known = studies.tasks(5)
    edge = studies.cell(
        "clone", known, stratum="empty", gates=(studies.CLONE, GateSpec(kind="operational_gate"))
    )
    audit = studies.run(studies.plan([edge], known, members=()), studies.copies(edge))
    assert audit.gates == ()


@pytest.mark.parametrize(
    ("arm", "kind"), [("signal", "clone_gate"), ("clone", "utility_gate"), ("all", "clone_gate")]
)
def test_a_gate_on_another_arm_is_held_and_never_passes(studies, arm, kind):
    known = studies.tasks(90)
    spec = {"clone_gate": studies.CLONE, "utility_gate": studies.UTILITY}[kind]
    planned = studies.cell(arm, known, gates=(spec,))
    winners = ["tie" if arm == "clone" else "first"] * len(planned.selected)
    observed = [replace(trial, outcome="success") for trial in studies.trials(planned, winners)]
    (gate,) = studies.run(studies.plan([planned], known), observed).gates
    assert gate.state == "HOLD"
    assert gate.reasons[0].startswith(f"{kind}: found the arm {arm}, expected ")


def test_an_operational_gate_of_a_part_is_not_evaluated(studies):
    known = studies.tasks(60)
    gate = GateSpec(kind="operational_gate")
    clone = studies.cell("clone", known, gates=(gate,))
    signal = studies.cell("signal", known)
    planned = studies.plan([clone, replace(signal, selected=signal.selected[:9])], known)
    observed = studies.copies(clone) + studies.trials(signal, ["first"] * 120)[:9]
    assert studies.run(planned, observed).gates[0].state == "PARTIAL"


def test_an_operational_gate_without_a_judge_is_held(studies):
    gate = GateSpec(kind="operational_gate")
    planned = studies.cell("all", ["a"], judge=None, criterion=None, gates=(gate,))
    audit = studies.run(studies.plan([planned], {}), [studies.trial(planned, planned.declared[0], None)])
    assert (audit.gates[0].state, audit.gates[0].outcome) == ("HOLD", "error")


def test_a_result_that_contradicts_itself_is_a_fault_of_ours(studies, monkeypatch):
    monkeypatch.setattr("pytest_judgeaudit.audit.cells.binomial_tail", lambda *_: 0.0)
    with pytest.raises(
        JudgeAuditError, match=r"a fault of pytest-judgeaudit: p = 0\.0 passes, but the upper"
    ):
        clone_run(studies, 60, adverse=30)
