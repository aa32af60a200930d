"""What a plan says before any call is paid for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.planning import outlook
from pytest_judgeaudit.records.audits import Answers
from pytest_judgeaudit.records.plans import GateSpec
from pytest_judgeaudit.records.verdicts import Usage


def clones(studies, count, *, m=1, **changes):
    known = studies.tasks(count)
    cells = [studies.cell("clone", known, criterion=f"c{i}", **changes) for i in range(m)]
    return studies.plan(cells, known, judges=[studies.judge(identity="served")])


@pytest.mark.parametrize(
    ("count", "m", "can_pass", "needed"),
    [(20, 1, False, 59), (58, 1, False, 59), (59, 1, True, 59), (59, 2, False, 72), (96, 6, True, 94)],
)
def test_a_clone_gate_needs_the_published_sizes(studies, count, m, can_pass, needed):
    gate = outlook(clones(studies, count, m=m)).gates[0]
    assert (gate.tasks, gate.m, gate.can_pass, gate.needed) == (count, m, can_pass, needed)


@pytest.mark.parametrize(
    ("count", "m", "chances"),
    [
        (59, 1, (1, 0.744, 0.553, 0.304)),
        (96, 1, (1, 0.916, 0.751, 0.425)),
        (102, 1, (1, 0.907, 0.728, 0.393)),
        (59, 2, (0, 0, 0, 0)),
    ],
)
def test_the_chances_to_pass_are_those_of_the_reference(studies, count, m, chances):
    gate = outlook(clones(studies, count, m=m)).gates[0]
    assert tuple(gate.chances) == (0, 0.005, 0.01, 0.02)
    assert tuple(gate.chances.values()) == pytest.approx(chances, abs=6e-4)


def test_adverse_tasks_that_still_pass_are_counted(studies):
    assert [outlook(clones(studies, n)).gates[0].allowed for n in (58, 59, 93, 124)] == [-1, 0, 1, 2]


def test_an_unadjusted_gate_is_a_family_of_its_own(studies):
    spec = GateSpec(kind="clone_gate", upper=0.05, adjust="none")
    assert outlook(clones(studies, 60, m=4, gates=(spec,))).gates[0].m == 1


@pytest.mark.parametrize(
    ("count", "bound", "can_pass"),
    [
        (10, "checked", False),
        (11, "checked", True),
        (10, "bootstrap", True),
        (10, "exact", False),
        (11, "exact", True),
    ],
)
def test_a_utility_gate_needs_eleven_tasks_but_by_the_sources_rule(studies, count, bound, can_pass):
    known = studies.tasks(count)
    planned = studies.cell("signal", known, gates=(replace(studies.UTILITY, bound=bound),))
    (gate,) = outlook(studies.plan([planned], known)).gates
    assert gate.can_pass == can_pass
    assert gate.needed == (1 if bound == "bootstrap" else 11)


def test_a_utility_gate_can_pass_with_a_wrong_call_where_it_cannot_with_none(studies):
    # At 88 %: twenty of twenty right reach 86.1 %, with one wrong call of forty 88.5 %.
    known = studies.tasks(20)
    spec = replace(studies.UTILITY, lower=0.88)
    both, single = (studies.cell("signal", known, gates=(spec,), orders=o) for o in (("AB", "BA"), ("AB",)))
    (gate,) = outlook(studies.plan([both], known)).gates
    assert (gate.can_pass, gate.needed) == (True, 20)
    (gate,) = outlook(studies.plan([single], known)).gates
    # All right at 88 %: log .05 / log .88 = 23.4.
    assert (gate.can_pass, gate.needed) == (False, 24)


def test_a_part_that_lacks_a_weighted_stratum_cannot_pass(studies):
    known = studies.tasks(40, subsets=("a", "b"))
    spec = replace(studies.UTILITY, weights={"a": 0.5, "b": 0.5})
    cell = studies.cell("signal", known, gates=(spec,))
    assert outlook(studies.plan([cell], known)).gates[0].can_pass
    part = replace(cell, selected=cell.selected[:40])
    assert not outlook(studies.plan([part], known)).gates[0].can_pass


def test_a_rate_gate_needs_its_size(studies):
    def gate(count, **limits):
        cell = studies.cell(
            "all",
            [f"x{i}" for i in range(count)],
            judge=None,
            gates=(GateSpec(kind="rate_gate", **limits),),
        )
        return outlook(studies.plan([cell], {})).gates[0]

    assert (gate(58, upper=0.05).can_pass, gate(59, upper=0.05).can_pass) == (False, True)
    assert (gate(58, lower=0.95).needed, gate(10, lower=0.75).needed) == (59, 11)


def test_calls_are_counted_by_judge_and_study_with_their_edges(studies):
    known = studies.tasks(20)
    cells = [
        studies.cell("clone", known),
        studies.cell("signal", known),
        studies.cell("clone", ["e0"], stratum="empty", gates=()),
        studies.cell(
            "clone", known, judge="other", study="evals/test_b.py", eval="evals/test_b.py::test_copies"
        ),
    ]
    judges = [studies.judge("qwen", identity="served"), studies.judge("other")]
    found = outlook(studies.plan(cells, known, judges=judges))
    assert [(j.judge, j.study, j.calls, j.to_ask) for j in found.judges] == [
        ("qwen", "evals/test_study.py", 61, 61),
        ("other", "evals/test_b.py", 20, 0),
    ]


def test_only_what_is_selected_is_counted(studies):
    known = studies.tasks(60)
    cell = studies.cell("clone", known)
    planned = studies.plan(
        [replace(cell, selected=cell.selected[:7])], known, judges=[studies.judge(identity="served")]
    )
    found = outlook(planned)
    assert (found.judges[0].calls, found.gates[0].tasks, found.gates[0].declared) == (7, 7, 60)


def test_tokens_are_those_of_stored_calls_and_unknown_is_not_zero(studies):
    planned = clones(studies, 60)
    known = {("evals/test_study.py", "qwen"): Answers(hit=50)}
    usage = {"qwen": Usage(prompt=4000, completion=200, unknown_calls=10)}
    (judge,) = outlook(planned, known=known, usage=usage).judges
    assert (judge.stored, judge.to_ask, judge.prompt, judge.completion) == (50, 10, 1000, 50)
    (judge,) = outlook(planned).judges
    assert (judge.stored, judge.to_ask, judge.prompt, judge.completion) == (None, 60, None, None)
    silent = {"qwen": Usage(unknown_calls=50)}
    (judge,) = outlook(planned, known=known, usage=silent).judges
    assert judge.prompt is None


def test_what_is_stored_of_one_study_is_not_that_of_another(studies):
    known = studies.tasks(60)
    cells = [studies.cell("clone", known), studies.cell("clone", known, test="test_b")]
    cells[1] = replace(cells[1], study="evals/test_b.py")
    planned = studies.plan(cells, known, judges=[studies.judge(identity="served")])
    stored = {(cell.study, "qwen"): Answers(hit=hit) for cell, hit in zip(cells, (50, 10), strict=True)}
    found = outlook(planned, known=stored, usage={"qwen": Usage(prompt=6000, completion=600)}).judges
    assert [(one.stored, one.to_ask, one.prompt) for one in found] == [(50, 10, 1000), (10, 50, 5000)]
    found = outlook(planned, known={(cells[0].study, "qwen"): Answers(hit=60)}).judges
    assert [(one.stored, one.to_ask) for one in found] == [(60, 0), (None, 60)]


@pytest.mark.parametrize(
    ("api", "identity", "to_ask"),
    [("openai", "served", 60), ("python", "construction", 60), ("embedded", "construction", 0)],
)
def test_a_function_of_the_users_has_to_be_asked_like_a_model(studies, api, identity, to_ask):
    known = studies.tasks(60)
    judges = [studies.judge(api=api, identity=identity)]
    (found,) = outlook(studies.plan([studies.cell("clone", known)], known, judges=judges)).judges
    assert (found.calls, found.to_ask) == (60, to_ask)
