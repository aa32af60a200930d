"""Gates that contradict themselves or each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.faults import check_gates
from pytest_judgeaudit.audit.names import gate_id
from pytest_judgeaudit.records.plans import FamilyMember

MODULE = "evals/test_study.py"


def test_mixed_confidences_are_faults_that_name_the_tests(studies):
    known = studies.tasks(60)
    other = replace(studies.CLONE, confidence=0.99)
    cells = [
        studies.cell("clone", known),
        studies.cell("clone", known, test="test_others", gates=(other,)),
    ]
    (fault,) = check_gates(studies.plan(cells, known))
    assert fault == (
        f"{MODULE}::test_copies: clone_gate: the family '{MODULE}' has the confidences "
        f"0.95 ({MODULE}::test_copies) and 0.99 ({MODULE}::test_others), expected one. "
        "Give them the same confidence, or families of their own."
    )


def test_an_unadjusted_gate_may_have_a_confidence_of_its_own(studies):
    known = studies.tasks(60)
    alone = replace(studies.CLONE, confidence=0.99, adjust="none")
    cells = [
        studies.cell("clone", known),
        studies.cell("clone", known, test="test_others", gates=(alone,)),
    ]
    plan = studies.plan(cells, known)
    assert check_gates(plan) == []
    # Nor if an earlier declaration still lists it.
    names = [gate_id(cell, "clone_gate") for cell in cells]
    listed = tuple(FamilyMember(MODULE, MODULE, name) for name in names)
    assert check_gates(replace(plan, members=listed)) == []


@pytest.mark.parametrize("family", ["controls", "controls:x"])
def test_no_family_may_be_named_as_that_of_the_known_bad_judges(studies, family):
    known = studies.tasks(60)
    cells = [studies.cell("clone", known, gates=(replace(studies.CLONE, family=family),))]
    (fault,) = check_gates(studies.plan(cells, known))
    assert fault == (
        f"{MODULE}::test_copies: clone_gate: family: found {family!r}, which is the family of judges with "
        'expect = "uncertified". Give it another name.'
    )
    other = replace(studies.CLONE, family="my controls")
    assert check_gates(studies.plan([studies.cell("clone", known, gates=(other,))], known)) == []


def test_one_confidence_is_no_fault(studies):
    known = studies.tasks(60)
    cells = [studies.cell("clone", known, criterion=name) for name in ("neutral", "strict")]
    assert check_gates(studies.plan(cells, known)) == []


def test_weights_that_miss_a_stratum_are_a_fault(studies):
    known = studies.tasks(20, subsets=("Math", "Safety"))
    gate = replace(studies.UTILITY, weights={"Math": 0.5, "Focus": 0.5})
    cells = [studies.cell("signal", known, gates=(gate,))]
    (fault,) = check_gates(studies.plan(cells, known))
    assert fault.endswith(
        "test_better: utility_gate: weights name Focus, Math, expected the strata Math, Safety"
    )
    right = replace(gate, weights={"Math": 0.5, "Safety": 0.5})
    assert check_gates(studies.plan([studies.cell("signal", known, gates=(right,))], known)) == []


@pytest.mark.parametrize(
    ("changes", "replicates", "words"),
    [
        ({"confidence": 0.5}, 1, "confidence: found 0.5, expected more than 0.5"),
        ({"bound": "exact"}, 2, "bound: found 'exact' with 4 presentations a task, expected two at most"),
        ({"weights": {"two": 1.0}}, 1, "weights name two, expected the strata one"),
        ({"weights": {"one": 1.0}, "bound": "exact"}, 1, "bound: found 'exact' with weights"),
    ],
)
def test_a_utility_gate_that_cannot_be_computed_is_a_fault_and_holds(studies, changes, replicates, words):
    known = studies.tasks(20)
    gate = replace(studies.UTILITY, **changes)
    planned = studies.cell("signal", known, gates=(gate,), replicates=replicates)
    plan = studies.plan([planned], known)
    (fault,) = check_gates(plan)
    assert fault.startswith(f"{MODULE}::test_better: utility_gate: {words}")
    audit = studies.run(plan, studies.trials(planned, ["first"] * len(planned.selected)))
    assert audit.gates[0].state == "HOLD"
    assert words in audit.gates[0].reasons[0]


def test_weights_of_a_stratum_of_one_task_are_a_fault_and_never_pass(studies):
    # Merged into the other stratum the lone task would count 1 of 61, and not .7.
    known = {
        name: replace(task, subset="b" if name == "t060" else "a")
        for name, task in studies.tasks(61).items()
    }
    gate = replace(studies.UTILITY, weights={"a": 0.3, "b": 0.7})
    planned = studies.cell("signal", known, gates=(gate,))
    plan = studies.plan([planned], known)
    (fault,) = check_gates(plan)
    assert fault == (
        f"{MODULE}::test_better: utility_gate: weights: found one task in 'b', expected two or more in "
        "each stratum. Add tasks to it, name subsets more coarsely, or leave weights out."
    )
    audit = studies.run(plan, studies.scored(planned, [2] * 60 + [0]))
    assert (audit.gates[0].state, audit.state) == ("HOLD", "hold")
    assert "found one task in 'b'" in audit.gates[0].reasons[0]
    two = replace(planned, declared=(*planned.declared, ("u", "AB", 1), ("u", "BA", 1)))
    more = studies.plan([two], {**known, "u": replace(known["t060"], id="u")})
    assert check_gates(more) == []


def test_replicates_of_a_signal_pair_refine_the_lattice(studies):
    known = studies.tasks(40)
    planned = studies.cell("signal", known, replicates=2)
    winners = ["first", "first", "first", "second"] * 40
    (cell,) = studies.run(studies.plan([planned], known), studies.trials(planned, winners)).cells
    assert (cell.tasks, cell.calls, cell.estimate, cell.lower) == (40, 160, 0.75, 0.75)
    # Per task: AB twice right, BA once right and once wrong.
    assert cell.patterns == {"tie": 0, "stable": 40, "position": 40, "one_sided": 0, "invalid": 0}
