"""Holm families: who belongs, who keeps a place, and who is not evaluated."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import pytest

from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.plans import FamilyMember, GateSpec
from pytest_judgeaudit.report.json import document

MODULE = "evals/test_study.py"


def tail(k, n, rate):
    """P(Bin(n, rate) <= k), by its definition."""
    return sum(comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(k + 1))


def copies_of(studies, cells, adverse=()):
    counts = [*adverse, *[0] * len(cells)]
    return [t for cell, k in zip(cells, counts, strict=False) for t in studies.copies(cell, adverse=k)]


def four(studies, count=102, **changes):
    known = studies.tasks(count)
    cells = [
        studies.cell("clone", known, judge=judge, criterion=criterion, **changes)
        for judge in ("held", "qwen")
        for criterion in ("neutral", "strict")
    ]
    return known, cells


def test_held_members_keep_their_place_and_print_no_p(studies):
    known, cells = four(studies)
    observed = studies.copies(cells[0], invalid=9) + studies.copies(cells[1])
    observed += studies.copies(cells[2]) + studies.copies(cells[3], adverse=1)
    audit = studies.run(studies.plan(cells, known), observed)
    assert [gate.state for gate in audit.gates] == ["HOLD", "HOLD", "PASS", "MISS"]
    assert [gate.p_holm for gate in audit.gates[:2]] == [None, None]
    assert audit.gates[2].p_holm == pytest.approx(4 * 0.95**102)
    assert audit.gates[3].p_holm == pytest.approx(3 * tail(1, 102, 0.05))


def test_the_family_is_what_was_declared_whatever_is_selected(studies):
    known, cells = four(studies)
    planned = studies.plan(cells[3:], known, members=tuple(studies.members(cells, [])))
    (gate,) = studies.run(planned, studies.copies(cells[3])).gates
    assert (gate.state, gate.family["m"]) == ("PASS", 4)
    assert gate.p_holm == pytest.approx(4 * 0.95**102)
    assert gate.family["name"] == MODULE
    assert len(gate.family["members"]) == 4
    assert gate.id in gate.family["members"]


@pytest.mark.parametrize(
    ("count", "adverse", "state"),
    [
        (102, 0, "PASS"),  # passes with the others at p = 1
        (102, 1, "PARTIAL"),  # alone it would pass; whether it does in its family is unknown
        (102, 2, "MISS"),  # misses alone
    ],
)
def test_a_gate_whose_family_was_not_run_is_decided_only_where_nothing_else_matters(
    studies, count, adverse, state
):
    known, cells = four(studies, count)
    planned = studies.plan(cells[3:], known, members=tuple(studies.members(cells, [])))
    (gate,) = studies.run(planned, studies.copies(cells[3], adverse=adverse)).gates
    assert gate.state == state
    assert gate.outcome == {"PASS": "passed", "PARTIAL": "skipped", "MISS": "failed"}[state]


def test_members_that_are_held_are_no_reason_to_leave_a_gate_open(studies):
    known, cells = four(studies)
    observed = studies.copies(cells[0], invalid=9) + studies.copies(cells[1]) + studies.copies(cells[2])
    observed += studies.copies(cells[3], adverse=1)
    assert studies.run(studies.plan(cells, known), observed).gates[3].state == "MISS"


def test_a_member_that_was_run_in_part_counts_as_left_out(studies):
    known, cells = four(studies)
    cells[0] = replace(cells[0], selected=cells[0].selected[:50])
    observed = copies_of(studies, cells, adverse=(0, 0, 0, 1))
    audit = studies.run(studies.plan(cells, known), observed)
    assert [gate.state for gate in audit.gates] == ["PARTIAL", "PASS", "PASS", "PARTIAL"]
    assert "1 of the 4 gates of its Holm family were not run in full" in audit.gates[3].reasons[0]


def test_a_member_of_which_nothing_was_selected_has_no_row_but_its_place(studies):
    known, cells = four(studies)
    planned = studies.plan([replace(cells[0], selected=()), *cells[1:]], known)
    audit = studies.run(planned, copies_of(studies, cells[1:]))
    assert len(audit.cells) == len(audit.gates) == 3
    assert {gate.family["m"] for gate in audit.gates} == {4}
    assert [gate.p_holm for gate in audit.gates] == pytest.approx([4 * 0.95**102] * 3)


def test_judges_that_are_expected_to_fail_are_a_family_of_their_own(studies):
    known = studies.tasks(93)
    cells = [studies.cell("clone", known, judge=name) for name in ("good", "bad")]
    judges = [studies.judge("good"), studies.judge("bad", expect="uncertified")]
    audit = studies.run(studies.plan(cells, known, judges=judges), copies_of(studies, cells, (0, 60)))
    assert [gate.family["m"] for gate in audit.gates] == [1, 1]
    assert [gate.family["name"] for gate in audit.gates] == [MODULE, f"{MODULE}:controls"]


def test_a_named_family_is_adjusted_on_its_own(studies):
    known = studies.tasks(102)
    specs = [replace(studies.CLONE, family=name) for name in ("x", "y", "x")]
    cells = [studies.cell("clone", known, criterion=f"c{i}", gates=(s,)) for i, s in enumerate(specs)]
    audit = studies.run(studies.plan(cells, known), copies_of(studies, cells))
    assert [gate.family["name"] for gate in audit.gates] == [f"{MODULE}:{name}" for name in "xyx"]
    assert [gate.family["m"] for gate in audit.gates] == [2, 1, 2]


def test_modules_are_families_of_their_own(studies):
    known = studies.tasks(102)
    paths = ("evals/test_a.py", "evals/test_b.py")
    cells = [studies.cell("clone", known, study=path, eval=f"{path}::test_copies") for path in paths]
    audit = studies.run(studies.plan(cells, known), copies_of(studies, cells))
    assert [gate.family["m"] for gate in audit.gates] == [1, 1]


def test_without_adjustment_the_raw_p_decides(studies):
    known, cells = four(studies, 93, gates=(replace(studies.CLONE, adjust="none"),))
    audit = studies.run(studies.plan(cells, known, members=()), copies_of(studies, cells, (1, 1, 1, 1)))
    assert {gate.state for gate in audit.gates} == {"PASS"}
    assert {(gate.p_holm, gate.family) for gate in audit.gates} == {(None, None)}
    assert "unadjusted p = 0.0499" in audit.gates[0].statement


def test_an_adjusted_gate_in_no_family_is_a_fault_of_ours_and_never_passes(studies):
    known, cells = four(studies)
    with pytest.raises(JudgeAuditError, match="no number to decide on"):
        studies.run(studies.plan(cells, known, members=()), copies_of(studies, cells))


def test_an_unadjusted_gate_does_not_make_the_others_harder(studies):
    # Three of four cells adjust: 3 x .95^102 and not 4 x.
    known, cells = four(studies)
    cells[0] = replace(cells[0], gates=(replace(studies.CLONE, adjust="none"),))
    audit = studies.run(studies.plan(cells, known), copies_of(studies, cells))
    assert [gate.family and gate.family["m"] for gate in audit.gates] == [None, 3, 3, 3]
    assert audit.gates[1].p_holm == pytest.approx(3 * 0.95**102)
    assert audit.gates[0].p_holm is None


def test_the_upper_limit_and_the_confidence_of_the_marker_decide(studies):
    known = studies.tasks(40)
    loose = studies.cell("clone", known, gates=(replace(studies.CLONE, upper=0.2, confidence=0.9),))
    audit = studies.run(studies.plan([loose], known), studies.copies(loose, adverse=3))
    (cell,), (gate,) = audit.cells, audit.gates
    assert cell.p_raw == pytest.approx(tail(3, 40, 0.2))
    assert (gate.state, gate.threshold) == ("PASS", 0.2)
    assert tail(3, 40, cell.upper) == pytest.approx(0.1)


def test_members_with_a_bare_study_name_form_its_family(studies):
    known = studies.tasks(102)
    planned = studies.cell("clone", known)
    names = (f"{MODULE}::test_copies::clone_gate[qwen-neutral]", "elsewhere")
    listed = tuple(FamilyMember(MODULE, "", name) for name in names)
    audit = studies.run(studies.plan([planned], known, members=listed), studies.copies(planned))
    assert (audit.gates[0].family["name"], audit.gates[0].family["m"]) == (MODULE, 2)


def test_a_cell_without_a_gate_has_a_bound_and_no_p(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known, gates=())
    audit = studies.run(studies.plan([planned], known), studies.copies(planned))
    (cell,) = audit.cells
    assert cell.upper == pytest.approx(1 - 0.05 ** (1 / 60))
    assert (cell.p_raw, cell.p_holm, audit.gates) == (None, None, ())


def test_gates_of_every_kind_do_not_enter_the_family(studies):
    known = studies.tasks(102)
    extra = (studies.CLONE, GateSpec(kind="rate_gate", lower=0.5), GateSpec(kind="operational_gate"))
    planned = studies.cell("clone", known, gates=extra)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned))
    assert [gate.state for gate in audit.gates] == ["PASS"] * 3
    assert [gate.family and gate.family["m"] for gate in audit.gates] == [1, None, None]


def test_a_p_that_equals_the_level_passes_whatever_rounding_made_of_it(studies):
    # P(Bin(9, 1/2) <= 4) is 1/2 by symmetry.
    known = studies.tasks(9)
    even = studies.cell("clone", known, gates=(replace(studies.CLONE, upper=0.5, confidence=0.5),))
    (gate,) = studies.run(studies.plan([even], known), studies.copies(even, adverse=4)).gates
    assert (gate.state, gate.reasons) == ("PASS", ())


def test_the_gates_of_a_family_share_what_is_said_of_it(studies):
    known, cells = four(studies)
    audit = studies.run(studies.plan(cells, known), copies_of(studies, cells))
    shown = [gate["family"] for gate in document(audit)["gates"] if gate["family"]]
    assert len(shown) == 4
    assert all(family is shown[0] for family in shown)
    assert set(shown[0]["members"]) == {gate.id for gate in audit.gates if gate.family}
