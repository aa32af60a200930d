"""What collection declares, and the plan that is made of it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.plans import GateSpec, JudgePlan, Presentation
from pytest_judgeaudit.session.evals import CellKey, Declared, Eval, make_plan
from pytest_judgeaudit.session.trial import SLOT, Seat, Slot

TEST = "evals/test_a.py::test_x"
SEAT = Seat("qwen", "neutral")
CLONE = GateSpec(kind="clone_gate", upper=0.05)
RATE = GateSpec(kind="rate_gate", lower=0.5)


def judge(name, expect="certified", criteria=("neutral",)):
    return SimpleNamespace(name=name, expect=expect, criteria=criteria)


def key(**changes):
    plain = {"eval": TEST, "variant": "", "seat": SEAT, "arm": "clone", "stratum": "core"}
    return CellKey(**{**plain, **changes})


def pair(task, subset="Math"):
    return Pair(
        id=task, prompt=task, first="x", second="x", target="tie", kind="clone", subset=subset, family="f"
    )


def eval_of(*gates, cells=(), test=TEST):
    made = Eval(id=test, location=("evals/test_a.py", 3), gates=gates)
    for cell, task in cells:
        made.declare(cell, Presentation(task, "AB"), pair(task))
    return made


QWEN = judge("qwen")


def plan_of(*evals, items=(), judges=(QWEN,)):
    return make_plan(
        Declared(evals={one.id: one for one in evals}),
        items=items,
        every_judge=judges,
        selected=(),
        seed=7,
    )


def item(cell, task):
    stash = pytest.Stash()
    if cell is not None:
        stash[SLOT] = Slot(cell=cell.id, module="m", test="t", arm="clone", task=task)
    return SimpleNamespace(stash=stash)


def test_the_id_of_a_cell_names_all_that_makes_it():
    assert key().id == f"{TEST}::qwen-neutral::clone::core"
    assert key(variant="calm", seat=None, stratum=None, arm="all").id == f"{TEST}[calm]::all::all"


def test_the_study_is_the_module_unless_a_gate_names_one():
    assert eval_of(CLONE).study == "evals/test_a.py"
    assert eval_of(RATE, GateSpec(kind="clone_gate", study="mine")).study == "mine"


def test_a_cell_knows_what_is_declared_and_what_was_selected():
    made = eval_of(CLONE, cells=[(key(), "c1"), (key(), "c2"), (key(), "c3")])
    (cell,) = plan_of(made, items=[item(key(), "c2"), item(None, ""), item(key(), "c2")]).cells
    assert [shown.task for shown in cell.declared] == ["c1", "c2", "c3"]
    assert [shown.task for shown in cell.selected] == ["c2", "c2"]
    assert (cell.judge, cell.criterion, cell.study) == ("qwen", "neutral", "evals/test_a.py")
    assert cell.location == ("evals/test_a.py", 3)


def test_a_task_keeps_its_digest_and_strata_but_no_text():
    plan = plan_of(eval_of(CLONE, cells=[(key(), "c1")]))
    task = plan.tasks[TEST]["c1"]
    assert (task.subset, task.family, task.target) == ("Math", "f", "tie")
    assert task.digest == pair("c1").digest()


def test_edge_strata_are_never_gated():
    cells = [(key(), "c1"), (key(stratum="empty"), "c2"), (key(stratum="whitespace"), "c3")]
    operational = GateSpec(kind="operational_gate")
    plan = plan_of(eval_of(CLONE, RATE, operational, cells=cells))
    kinds = {cell.stratum: [gate.kind for gate in cell.gates] for cell in plan.cells}
    assert kinds == {
        "core": ["clone_gate", "rate_gate", "operational_gate"],
        "empty": ["operational_gate"],
        "whitespace": ["operational_gate"],
    }


def test_a_gate_of_one_arm_leaves_the_others_alone():
    blind = GateSpec(kind="rate_gate", lower=0.5, where={"arm": "blind"})
    cells = [(key(arm="blind", stratum=None), "c1"), (key(arm="sighted", stratum=None), "c1")]
    plan = plan_of(eval_of(blind, cells=cells))
    assert [(cell.arm, len(cell.gates)) for cell in plan.cells] == [("blind", 1), ("sighted", 0)]


def test_a_family_holds_every_configured_judge_whatever_is_selected():
    cells = [(key(variant="calm"), "c1"), (key(variant="loud"), "c1"), (key(stratum="empty"), "c2")]
    judges = (judge("qwen", criteria=("neutral", "strict")), judge("coin", "uncertified"), judge("gpt"))
    members = plan_of(eval_of(CLONE, cells=cells), judges=judges).members
    by_family = {}
    for member in members:
        by_family.setdefault(member.family, []).append(member.gate.rpartition("::")[2])
    assert by_family == {
        "evals/test_a.py": [
            "clone_gate[qwen-neutral-calm]",
            "clone_gate[qwen-neutral-loud]",
            "clone_gate[qwen-strict-calm]",
            "clone_gate[qwen-strict-loud]",
            "clone_gate[gpt-neutral-calm]",
            "clone_gate[gpt-neutral-loud]",
        ],
        "evals/test_a.py:controls": ["clone_gate[coin-neutral-calm]", "clone_gate[coin-neutral-loud]"],
    }


def test_an_unadjusted_clone_gate_is_in_no_family():
    alone = GateSpec(kind="clone_gate", upper=0.05, adjust="none")
    other = "evals/test_a.py::test_y"
    plan = plan_of(
        eval_of(CLONE, cells=[(key(), "c1")]),
        eval_of(alone, cells=[(key(eval=other), "c1")], test=other),
    )
    assert [member.gate for member in plan.members] == [f"{TEST}::clone_gate[qwen-neutral]"]
    assert len(plan.cells) == 2


def test_other_gates_are_in_no_family():
    utility = GateSpec(kind="utility_gate", lower=0.75)
    assert plan_of(eval_of(utility, RATE, cells=[(key(), "c1")])).members == ()


def test_selected_judges_and_findings_are_part_of_the_plan():
    chosen = JudgePlan(
        name="qwen", family="q", api="openai", requested="q", expect="certified", identity="served"
    )
    plan = make_plan(Declared(), items=(), every_judge=(), selected=[chosen], seed=7)
    assert (plan.judges, plan.seed, plan.cells, plan.findings) == ((chosen,), 7, (), ())
