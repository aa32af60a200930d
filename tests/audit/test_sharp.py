"""A p for a schedule that was drawn, frozen and kept; else the reason why there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.sharp import (
    INCOMPLETE,
    NOT_FROZEN,
    OUT_OF_TURN,
    RECORDED,
    UNTIMED,
    assignments,
)
from pytest_judgeaudit.records.audits import Protocol
from pytest_judgeaudit.records.plans import FamilyMember
from pytest_judgeaudit.stats import randomization_p

FROZEN = Protocol(sha256="0" * 64, state="frozen before the first call", frozen_at="2026-11-29T12:00:00")
CRITERIA = ("neutral", "strict")
LOST = ("tie", "tie")


def design(studies, *, kind="independent", judge=None, rivals=()):
    """A plan of 20 signal pairs under two criteria; strict calls every pair but four a tie."""
    known = studies.tasks(20)
    cells = [studies.cell("signal", known, criterion=name) for name in CRITERIA]
    who = replace(
        judge or studies.judge("qwen", identity="served", api="openai", requested="m"), criteria=CRITERIA
    )
    plan = studies.plan(cells, known, judges=[who], schedule=kind, seed=3, rivals=tuple(rivals))
    said = {"neutral": ["first"] * 40, "strict": ["first"] * 8 + ["tie"] * 32}
    observed = [trial for cell in cells for trial in studies.trials(cell, said[cell.criterion], served="m")]
    return plan, timed(plan, observed)


def timed(plan, observed):
    """Each trial at the time at which its sequence has it: all tasks of a period, then the next."""
    (one,) = assignments(plan).values()
    criterion = {cell.id: cell.criterion for cell in plan.cells}
    found = []
    for trial in observed:
        index = next(
            i
            for i, condition in enumerate(one.conditions)
            if (condition.criterion, condition.order) == (criterion[trial.cell], trial.order)
        )
        period = one.sequences[trial.task].index(index)
        found.append(replace(trial, asked_at=1e9 + 1000 * period + int(trial.task[1:])))
    return found


def criterion(audit, of="utility"):
    (one,) = (c for c in audit.contrasts if (c.kind, c.of) == ("criterion", of))
    return one


@pytest.mark.parametrize("kind", ["independent", "randomized"])
def test_a_kept_schedule_gives_a_p(studies, kind):
    plan, observed = design(studies, kind=kind)
    found = criterion(studies.run(plan, observed, protocol=FROZEN))
    assert found.difference == pytest.approx(-0.8)
    assert found.p < 0.001
    assert "schedule-wide sharp null rejected" in found.statement
    assert "does not identify the factor unless serving was stable" in found.statement


def test_an_independent_assignment_is_tested_by_exact_sign_flips(studies):
    plan, observed = design(studies)
    found = criterion(studies.run(plan, observed, protocol=FROZEN))
    assert found.p == pytest.approx(randomization_p([0] * 4 + [-2] * 16), rel=1e-12)


def test_a_member_that_was_not_measured_counts_with_one(studies):
    rivals = [FamilyMember("evals/test_study.py", "criterion", f"other {i}") for i in range(4)]
    plan, observed = design(studies, rivals=rivals)
    found = criterion(studies.run(plan, observed, protocol=FROZEN))
    assert found.p_holm == pytest.approx(5 * found.p)


@pytest.mark.parametrize(
    ("state", "change", "reason"),
    [
        ("unfrozen", {}, NOT_FROZEN),
        ("changed after 3 calls", {}, NOT_FROZEN),
        ("frozen before the first call", {"asked_at": None}, UNTIMED),
        ("frozen before the first call", {"asked_at": 5.0}, OUT_OF_TURN),
    ],
)
def test_without_freeze_times_or_turn_there_is_no_p(studies, state, change, reason):
    plan, observed = design(studies)
    observed = [replace(trial, **change) for trial in observed]
    found = criterion(studies.run(plan, observed, protocol=replace(FROZEN, state=state)))
    assert (found.p, found.p_holm) == (None, None)
    assert found.reason.startswith(reason)
    assert found.difference == pytest.approx(-0.8)


def test_a_recorded_log_has_differences_alone(studies):
    log = studies.judge("qwen", identity="log", requested="m")
    plan, observed = design(studies, judge=log)
    assert criterion(studies.run(plan, observed, protocol=FROZEN)).reason == RECORDED


def test_one_criterion_of_two_is_no_whole_design(studies):
    plan, observed = design(studies)
    plan = replace(plan, cells=plan.cells[:1])
    audit = studies.run(plan, [t for t in observed if t.cell == plan.cells[0].id], protocol=FROZEN)
    assert {one.reason for one in audit.contrasts} == {INCOMPLETE}


def test_calls_that_overtake_are_counted_where_sequences_hold(studies):
    plan, observed = design(studies)
    early = {trial.task: trial for trial in observed if trial.asked_at < 1e9 + 900}
    first = max(early.values(), key=lambda trial: trial.asked_at)
    moved = [replace(t, asked_at=1e9 - 50) if t is first else t for t in observed]
    audit = studies.run(plan, moved, protocol=FROZEN)
    assert criterion(audit).p is not None
    assert "schedule-deviated" in {one.code for one in audit.findings}
