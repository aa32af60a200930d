"""Agents in a study: what they did, and what holds their cells."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.answered import answered
from pytest_judgeaudit.audit.observations import observe


def found(plan, trials, *, ambiguous=None):
    observed, _ = observe(plan, list(trials), interrupted=False)
    return answered(plan, observed, same_model=str.__eq__, ambiguous=ambiguous or {})


@pytest.fixture
def of(answers):
    """What is found of one cell of the reader, all of whose trials are alike."""

    def one(*, agent=None, ambiguous=None, arm="sighted", **row):
        cell = answers.cell(arm)
        key = (answers.MODULE, "reader")
        waiting = {key: ambiguous} if ambiguous else {}
        return found(answers.plan(cell, **agent or {}), answers.trials(cell, **row), ambiguous=waiting)[key]

    return one


def test_calls_answers_tools_and_tokens_are_added_up(of):
    one = of(tools={"read": 2}, prompt_tokens=10, completion_tokens=5, attempts=2).record
    assert (one.calls, one.answers, one.later_attempts) == (2, 2, 2)
    assert (one.tool_calls, one.outcomes) == ({"read": 4}, {"ok": 2})
    assert one.usage == {"prompt": 20, "completion": 10, "unknown_calls": 0}
    assert (one.state, one.served_as_requested) == ("OK", True)


@pytest.mark.parametrize(
    ("tokens", "unknown"),
    [({}, 2), ({"prompt_tokens": 10}, 0), ({"prompt_tokens": 10, "unknown_calls": 1}, 2)],
)
def test_unknown_tokens_are_counted_and_never_zero(of, tokens, unknown):
    assert of(**tokens).record.usage["unknown_calls"] == unknown


@pytest.mark.parametrize(
    ("served", "state", "codes"),
    [("m-5", "OK", []), ("m-6", "HOLD", ["served-differs"]), (None, "HOLD", ["served-unstated"])],
)
def test_a_service_has_to_declare_the_requested_model(of, served, state, codes):
    one = of(served=served)
    assert (one.record.state, [hold.code for hold in one.holds]) == (state, codes)


@pytest.mark.parametrize("ended", ["timeout", "error", "host_stalled"])
def test_a_try_without_a_reply_has_no_model_to_declare(of, ended):
    one = of(served=None, ended=ended)
    assert (one.holds, one.record.outcomes) == ((), {ended: 2})


def test_a_program_of_the_users_need_not_declare_a_model(of):
    assert of(served=None, agent={"served": False, "kind": "command"}).holds == ()


def test_several_models_are_no_one_agent(answers):
    cell = answers.cell()
    both = [
        answers.trial(cell, shown, served=name)
        for shown, name in zip(cell.declared, ("m-5", "m-6"), strict=True)
    ]
    (one,) = found(answers.plan(cell), both).values()
    assert [hold.code for hold in one.holds] == ["served-differs", "served-mixed"]
    assert one.record.served == {"m-5": 1, "m-6": 1}


def test_calls_without_an_end_hold_the_agent(of):
    assert [hold.code for hold in of(ambiguous=1).holds] == ["ambiguous"]


def test_an_arm_that_is_not_verified_blind_holds_itself_only(answers):
    sighted, blind = answers.cell("sighted"), answers.cell("blind")
    exposed = answers.trials(blind, exposed=("it called read",))
    (one,) = found(answers.plan(sighted, blind), [*answers.trials(sighted), *exposed]).values()
    assert one.holds == ()
    assert {name: [hold.code for hold in held] for name, held in one.exposed.items()} == {
        sighted.id: [],
        blind.id: ["not-blind"],
    }


def test_each_agent_has_a_record_of_its_own(answers):
    cells = [answers.cell(agent=name) for name in ("reader", "second")]
    trials = [one for cell in cells for one in answers.trials(cell)]
    assert [key[1] for key in found(answers.plan(*cells), trials)] == ["reader", "second"]
