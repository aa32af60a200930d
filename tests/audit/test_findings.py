"""Findings: symptom and check, never a cause, in the order of the data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.records.plans import Finding, GateSpec

STRICT_485 = [(19, 32, 108), (3, 5, 75), (2, 4, 35), (35, 26, 16), (3, 4, 93), (1, 0, 24)]


def found(audit, code):
    return [finding for finding in audit.findings if finding.code == code]


def test_a_weak_subset_under_a_pass_is_named_with_its_share(studies):
    known = studies.strata_tasks(STRICT_485)
    planned = studies.cell("signal", known)
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, studies.halves(STRICT_485)))
    (finding,) = found(audit, "weak-subset")
    assert finding.symptom == "passes over the weak subset PreciseIF: 58 of 154 (37.7 %) calls right"
    assert finding.where == audit.gates[0].id


def test_a_weak_subset_under_a_miss_is_not_flagged(studies):
    known = studies.tasks(60, subsets=("a", "b"))
    planned = studies.cell("signal", known)
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, [2] * 30 + [0] * 30))
    assert audit.gates[0].state == "MISS"
    assert found(audit, "weak-subset") == []


def test_invalid_outputs_are_counted_by_their_reasons(studies):
    known = studies.tasks(400)
    planned = studies.cell("clone", known)
    observed = studies.copies(planned, invalid=3)
    observed[0] = replace(observed[0], reason="Markdown fence")
    audit = studies.run(studies.plan([planned], known), observed)
    (finding,) = found(audit, "invalid-outputs")
    assert finding.symptom == (
        "3 of 400 outputs are no verdict: 2 × the output is no verdict, 1 × Markdown fence"
    )
    assert finding.where == "qwen in evals/test_study.py"


def test_a_held_campaign_has_one_finding_for_its_invalid_outputs(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned, invalid=7))
    (finding,) = found(audit, "invalid-outputs")
    assert finding.symptom.startswith(
        "HOLD: 7 of 60 outputs are no verdict (11.7 %, at most 1 % may be): 7 ×"
    )


def test_edge_inputs_that_fail_are_named_apart(studies):
    known = studies.tasks(60)
    core = studies.cell("clone", known)
    edge = studies.cell("clone", ["e0", "e1", "e2"], stratum="whitespace", gates=())
    observed = studies.copies(core) + studies.copies(edge, adverse=2)
    audit = studies.run(studies.plan([core, edge], known), observed)
    (finding,) = found(audit, "edge-inputs")
    assert finding.where == "test_copies qwen-neutral whitespace"
    assert finding.symptom == "2 of 3 copies without text are no ties"


def test_findings_stand_in_the_order_of_plan_notes_campaigns_cells_and_gates(studies):
    known = {name: replace(task, family="tpl") for name, task in studies.tasks(20).items()}
    planned = studies.cell("clone", known)
    judge = studies.judge(api="recorded", identity="undeclared log")
    first = Finding(code="planned", where="a", symptom="b", check="c")
    note = Finding(code="noted", where="a", symptom="b", check="c")
    observed = [*studies.copies(planned), replace(studies.copies(planned)[0], cell="elsewhere")]
    audit = studies.run(
        studies.plan([planned], known, judges=[judge], findings=(first,)), observed, notes=[note]
    )
    assert [finding.code for finding in audit.findings] == [
        "planned",
        "noted",
        "stray-trials",
        "identity",
        "few-clusters",
        "underpowered",
    ]


def test_a_held_cell_says_nothing_that_is_made_of_outcomes(studies):
    known = {name: replace(task, family="tpl") for name, task in studies.tasks(20).items()}
    planned = studies.cell("signal", known, orders=("AB",))
    observed = studies.trials(planned, ["second"] * 20)[1:]
    audit = studies.run(studies.plan([planned], known), observed)
    assert [finding.code for finding in audit.findings] == ["missing"]


def test_a_part_is_named_once_a_cell(studies):
    known = studies.tasks(20)
    planned = studies.cell("clone", known)
    planned = replace(planned, selected=planned.selected[:5])
    audit = studies.run(studies.plan([planned], known), studies.copies(planned))
    finding, _ = audit.findings
    assert (finding.code, finding.where) == ("partial", "test_copies qwen-neutral")
    assert finding.symptom == "5 of 20 declared presentations were run; nothing is estimated"


def test_the_part_of_a_run_that_was_cut_short_is_what_came(studies):
    known = studies.tasks(20)
    planned = studies.cell("clone", known)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned)[:7], interrupted=True)
    finding, _ = audit.findings
    assert finding.symptom == "7 of 20 declared presentations were run; nothing is estimated"


def test_reasons_and_lists_stay_bounded(studies):
    known = studies.tasks(900)
    planned = studies.cell("clone", known)
    observed = [
        replace(trial, outcome="void", winner=None, reason="x" * 5000 + str(i))
        for i, trial in enumerate(studies.copies(planned))
    ]
    audit = studies.run(studies.plan([planned], known), observed)
    assert all(len(finding.symptom) < 1000 for finding in audit.findings)
    assert all(len(reason) < 1000 for gate in audit.gates for reason in gate.reasons)


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        ("clone", "3 of 3 (100 %) tasks are adverse, and no gate is declared"),
        ("equivalent", "3 of 3 (100 %) tasks are adverse, and no gate is declared"),
        ("signal", "6 of 6 (100 %) calls are adverse, and no gate is declared"),
    ],
)
@pytest.mark.parametrize("gates", [(), (GateSpec(kind="operational_gate"),)])
def test_adverse_outcomes_that_no_gate_decides_on_are_named(studies, arm, words, gates):
    known = studies.tasks(3)
    planned = studies.cell(arm, known, gates=gates)
    observed = studies.trials(planned, ["second"] * len(planned.selected))
    audit = studies.run(studies.plan([planned], known), observed)
    (finding,) = found(audit, "ungated")
    assert finding.symptom == words
    assert audit.state == "pass"


def test_outcomes_that_are_as_they_should_be_need_no_gate(studies):
    known = studies.tasks(3)
    planned = studies.cell("clone", known, gates=())
    audit = studies.run(studies.plan([planned], known), studies.copies(planned))
    assert audit.findings == ()


def test_outcomes_with_a_gate_on_them_are_not_called_ungated(studies):
    known = studies.tasks(3)
    planned = studies.cell("clone", known)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned, adverse=3))
    assert found(audit, "ungated") == []


def test_a_run_that_evaluated_no_gate_says_so(studies):
    known = studies.tasks(20)
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    cells = [replace(cells[0], selected=cells[0].selected[:5]), replace(cells[1], selected=())]
    audit = studies.run(studies.plan(cells, known), studies.copies(cells[0]))
    assert [gate.state for gate in audit.gates] == ["PARTIAL"]
    (finding,) = found(audit, "nothing-evaluated")
    assert finding.symptom == "no gate was evaluated, of 2 gates declared"
    assert finding.where == "evals/test_study.py"
    # A part that was run changes no exit status (DESIGN 1).
    assert (audit.state, audit.exit) == ("pass", 0)


def test_a_run_that_evaluated_one_gate_of_two_is_not_called_empty(studies):
    known = studies.tasks(60)
    cells = [studies.cell("clone", known), replace(studies.cell("signal", known), selected=())]
    audit = studies.run(studies.plan(cells, known), studies.copies(cells[0]))
    assert found(audit, "nothing-evaluated") == []
    empty = studies.run(studies.plan([], known), [])
    assert (empty.findings, empty.state) == ((), "pass")
