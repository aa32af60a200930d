"""The gate ``blind_floor``: one decision for all arms of an agent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.records.exclusions import Exclusion
from pytest_judgeaudit.records.plans import GateSpec

BOTH = ("opus", "gpt")


@pytest.fixture
def decided(studies, answers):
    """The gate of a run whose two judges give the blind arm 30 and the other 70."""

    def one(
        *arms, maximum=None, families=BOTH, part=False, lost=None, left=(), unseated=(), without=(), **blind
    ):
        gate = (GateSpec(kind="blind_floor", maximum=maximum),)
        cells = [
            answers.cell(arm, scored=BOTH, unseated=unseated, gates=gate if number == 0 else ())
            for number, arm in enumerate(arms)
        ]
        if part:
            cells[0] = answers.cell(arms[0], scored=BOTH, gates=gate, selected=cells[0].declared[:1])
        cells = [replace(one, selected=()) if one.arm in left else one for one in cells]
        judges = [answers.judge(name, family=own) for name, own in zip(BOTH, families, strict=True)]
        made = []
        for cell in cells:
            total = 30 if "blind" in cell.arm else 70
            calls = tuple(answers.call(name, valid=None if name == lost else True) for name in BOTH)
            more = blind if "blind" in cell.arm else {}
            scores = {name: answers.score(total) for name in BOTH}
            made += [
                answers.trial(cell, shown, scores=scores, judged=calls, tool_calls=0, **more)
                for shown in cell.selected
            ]
        audit = studies.run(answers.plan(*cells, judges=judges), made, exclusions=without)
        (found,) = [gate for gate in audit.gates if gate.kind == "blind_floor"]
        return found

    return one


def test_a_floor_is_reported_once_for_all_arms(decided):
    found = decided("sighted", "blind")
    assert (found.state, found.bound, found.threshold, found.outcome) == ("REPORTED", 30.0, 100.0, "passed")


@pytest.mark.parametrize(("maximum", "state"), [(30, "REPORTED"), (29.9, "MISS")])
def test_a_floor_above_its_limit_misses(decided, maximum, state):
    assert decided("sighted", "blind", maximum=maximum).state == state


def test_without_a_blind_arm_nothing_is_reported(decided):
    found = decided("sighted")
    assert (found.state, found.bound, found.outcome) == ("HOLD", None, "error")
    assert any("blind floor not reported" in one for one in (found.statement, *found.reasons))


def test_an_arm_that_is_not_verified_blind_holds_the_gate(decided):
    found = decided("sighted", "blind", exposed=("it called read",))
    assert found.state == "HOLD"
    assert any("it called read" in reason for reason in found.reasons)


def test_two_judges_of_one_family_hold_the_gate(decided):
    assert decided("sighted", "blind", families=("one", "one")).state == "HOLD"


def test_a_judge_that_is_down_holds_the_gate(decided):
    found = decided("sighted", "blind", lost="gpt")
    assert found.state == "HOLD"
    assert any(reason.startswith("gpt: ") for reason in found.reasons)


@pytest.mark.parametrize("cell", [{"question": "q1"}, {"arm": "blind"}, {"arm": "sighted"}])
def test_a_floor_of_which_answers_are_left_out_holds(decided, cell):
    found = decided("sighted", "blind", maximum=30, without=(Exclusion(cell=cell, why="it is odd"),))
    assert (found.state, found.outcome) == ("HOLD", "error")
    assert any("left out by [[exclusion]]" in reason for reason in found.reasons)
    other = Exclusion(cell={"agent": "another"}, why="it is odd")
    assert decided("sighted", "blind", maximum=30, without=(other,)).state == "REPORTED"


def test_a_part_of_a_run_is_not_evaluated(decided):
    assert decided("sighted", "blind", part=True).state == "PARTIAL"


@pytest.mark.parametrize("left", ["sighted", "blind", "renamed-sighted", "renamed-blind"])
def test_an_arm_that_is_left_out_as_a_whole_is_a_part_too(decided, left):
    found = decided("sighted", "blind", "renamed-sighted", "renamed-blind", maximum=29.9, left=(left,))
    assert (found.state, found.outcome) == ("PARTIAL", "skipped")


def test_judges_that_are_left_out_are_a_part_too(decided):
    assert decided("sighted", "blind", maximum=29.9, unseated=("qwen",)).state == "PARTIAL"
