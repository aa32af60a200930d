"""Judges of answers: their calls in a study, and what holds what they say."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.observations import observe
from pytest_judgeaudit.audit.scorings import scorings
from pytest_judgeaudit.records.plans import GateSpec


@pytest.fixture
def of(answers):
    """What is found of one judge whose calls about two answers are these."""

    def one(*calls, gates=(), ambiguous=0, **judge):
        cell = answers.cell(scored=("opus",), gates=gates, names=[f"q{n}" for n in range(len(calls))])
        made = [
            answers.trial(cell, shown, judged=(call,))
            for shown, call in zip(cell.declared, calls, strict=True)
        ]
        plan = answers.plan(cell, judges=[answers.judge("opus", **judge)])
        observed, _ = observe(plan, made, interrupted=False)
        waiting = {(answers.MODULE, "opus"): ambiguous} if ambiguous else {}
        return scorings(plan, observed, same_model=str.__eq__, ambiguous=waiting)[answers.MODULE, "opus"]

    return one


def codes(campaign):
    return [hold.code for hold in campaign.holds]


def test_calls_are_counted_by_what_they_are_and_by_arm(of, answers):
    found = of(answers.call(prompt_tokens=10, completion_tokens=1), answers.call(what="checklist"))
    one = found.configuration
    assert (one.calls, one.terminal, one.invalid, one.state) == (2, 2, 0, "OK")
    assert one.by_condition == {
        "checklist sighted": {"scheduled": 1, "terminal": 1, "invalid": 0},
        "rubric sighted": {"scheduled": 1, "terminal": 1, "invalid": 0},
    }
    assert one.usage == {"prompt": 10, "completion": 1, "unknown_calls": 1}


def test_a_call_that_brought_nothing_holds_the_judge_with_its_cause(of, answers):
    found = of(answers.call(), answers.call(valid=None, reason="opus: HTTP 500\nand more"))
    assert codes(found) == ["unjudged"]
    assert "1 of 2 calls brought nothing that counts: opus: HTTP 500" in found.holds[0].reason
    assert found.configuration.judge_fault is False


@pytest.mark.parametrize(("limit", "held"), [(0.01, True), (0.5, False)])
def test_more_invalid_outputs_than_allowed_hold_the_judge(of, answers, limit, held):
    gates = (GateSpec(kind="operational_gate", max_invalid=limit),)
    found = of(answers.call(), answers.call(valid=False, reason="prose"), gates=gates)
    assert codes(found) == (["invalid-outputs"] if held else [])
    assert (found.configuration.invalid_rate, found.invalid_reasons) == (0.5, {"prose": 1})
    assert found.configuration.judge_fault is held


@pytest.mark.parametrize(
    ("served", "found"),
    [
        (("opus", "opus"), []),
        (("opus", "gpt"), ["served-differs", "served-mixed"]),
        (("opus", None), ["served-unstated"]),
    ],
)
def test_the_requested_model_has_to_be_declared(of, answers, served, found):
    assert codes(of(*(answers.call(served=name) for name in served))) == found


def test_a_call_without_an_end_holds_the_judge(of, answers):
    assert codes(of(answers.call(), ambiguous=1)) == ["ambiguous"]


def test_a_judge_in_the_process_uses_no_tokens(of, answers):
    found = of(answers.call(answer="direct", served=None), identity="construction", api="embedded")
    assert (codes(found), found.configuration.usage["unknown_calls"]) == ([], 0)


@pytest.mark.parametrize(
    ("calls", "state"),
    [
        ({}, "PASS"),
        ({"q1": {"valid": False}}, "HOLD"),
        ({"q1": {"served": "m-6"}}, "HOLD"),
    ],
    ids=["sound", "unreadable", "another model"],
)
def test_a_gate_over_what_a_judge_said_is_not_decided_while_the_judge_is_on_hold(
    studies, answers, calls, state
):
    gate = GateSpec(kind="rate_gate", lower=0.2)
    names = [f"q{number}" for number in range(30)]
    scored, silent = (
        answers.cell(arm, names, scored=("opus",), gates=(gate,)) for arm in ("sighted", "blind")
    )
    made = [
        answers.trial(scored, shown, judged=(answers.call(**calls.get(shown.task, {})),))
        for shown in scored.declared
    ]
    made += [answers.trial(silent, shown) for shown in silent.declared]
    plan = answers.plan(scored, silent, judges=[answers.judge("opus")])
    audit = studies.run(plan, made)
    assert {found.arm: found.state for found in audit.gates} == {"sighted": state, "blind": "PASS"}
    (cell,) = [one for one in audit.cells if one.arm == "sighted"]
    assert (cell.estimate is None, cell.lower is None) == (state == "HOLD",) * 2
