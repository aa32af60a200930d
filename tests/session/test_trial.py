"""The place where an item's observation gathers."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.verdicts import Acceptance, Usage, Verdict
from pytest_judgeaudit.session import trial as trials
from pytest_judgeaudit.session.trial import Seat, Slot, answer_name

PAIR = Pair(id="c001", prompt="p", first="x", second="y", target="first", kind="signal")
SEAT = Seat("qwen", "neutral")
WON = Verdict(slot="A", winner="first", raw="{}", served="qwen-1", usage=Usage(prompt=7, completion=2))


def slot(**changes):
    plain = {"cell": "cell", "module": "evals/test_a.py", "test": "test_x", "arm": "signal", "task": "c001"}
    return Slot(**{**plain, "seat": SEAT, "pair": PAIR, **changes})


def test_an_answer_is_named_by_everything_that_makes_a_call():
    assert slot().name == "test_x-qwen-neutral-c001-signal-AB-1"
    assert answer_name("test_x", None, "c1", "all", "BA", 2) == "test_x-none-c1-all-BA-2"


def test_two_calls_never_share_a_name():
    calls = [
        slot(),
        slot(test="test_y"),
        slot(seat=Seat("qwen", "strict")),
        slot(task="c002"),
        slot(task="c/1"),
        slot(task="c 1"),
        slot(arm="clone"),
        slot(order="BA"),
        slot(replicate=2),
        slot(test=trials.test_name("evals/test_a.py::test_x", "calm")),
    ]
    names = {call.name for call in calls}
    assert len(names) == len(calls)
    assert all(name.isascii() for name in names)


@pytest.mark.parametrize(
    ("eval_id", "variant", "name"),
    [
        ("evals/test_a.py::test_x", "", "test_x"),
        ("evals/test_a.py::TestA::TestB::test_x", "", "TestA.TestB.test_x"),
        ("evals/test_a.py::test_x", "calm", "test_x[calm]"),
    ],
)
def test_a_test_is_named_within_its_module(eval_id, variant, name):
    assert trials.test_name(eval_id, variant) == name


def test_a_verdict_becomes_a_trial_with_what_it_cost():
    trial = slot(verdict=WON, answer="asked", attempts=2, digest="d").trial("success", None)
    assert (trial.winner, trial.served, trial.attempts, trial.digest) == ("first", "qwen-1", 2, "d")
    assert (trial.prompt_tokens, trial.completion_tokens) == (7, 2)
    assert trial.answer_name == "test_x-qwen-neutral-c001-signal-AB-1"


def test_tokens_that_nobody_stated_are_unknown_and_not_zero():
    trial = slot(verdict=Verdict(slot="A", winner="first")).trial("success", None)
    assert (trial.prompt_tokens, trial.completion_tokens) == (None, None)


@pytest.mark.parametrize("answer", [None, "direct"])
def test_an_answer_that_is_not_stored_has_no_name(answer):
    assert slot(verdict=WON, answer=answer).trial("success", None).answer_name is None


def test_an_invalid_output_says_why_whatever_the_assertion_said():
    invalid = Verdict(slot=None, winner="invalid", reason="no JSON")
    assert slot(verdict=invalid).trial("adverse", "assert False").reason == "no JSON"
    assert slot(verdict=invalid).trial("void", "failed in call").reason == "failed in call"


def test_a_reason_is_bounded():
    assert slot().trial("void", "x" * 10_000).reason == "x" * 300


def test_an_item_without_a_verdict_is_unheard_only_if_it_has_a_judge_and_a_pair():
    assert slot().unheard
    assert not slot(verdict=WON).unheard
    assert not slot(pair=None).unheard
    assert not slot(seat=None).unheard


def test_a_second_run_of_an_item_starts_afresh():
    fresh, used = slot(), slot(verdict=WON, answer="asked", digest="d", problem="p", attempts=3)
    used.duplicated = used.called = used.subtest_failed = True
    used.reset()
    assert used == fresh


def labelled(control):
    item = LabelledAnswer(id="a", prompt="p", answer="x", label="good").shown(control)
    return Slot(
        cell="c",
        module="evals/test_a.py",
        test="test_b",
        arm=item.arm,
        task=item.id,
        replicate=item.replicate,
        seat=Seat("mine", "neutral"),
        item=item,
    )


@pytest.mark.parametrize(
    ("control", "name"),
    [
        ("", "test_b-mine-neutral-a-single-AB-1"),
        ("blank", "test_b-mine-neutral-a-blank-AB-1"),
        ("whitespace", "test_b-mine-neutral-a-whitespace-AB-1"),
        ("repeated", "test_b-mine-neutral-a-repeated-AB-2"),
    ],
)
def test_a_labelled_answer_is_stored_under_a_name_without_its_label(control, name):
    assert labelled(control).name == name


def test_an_item_with_a_labelled_answer_waits_for_its_ruling():
    slot = labelled("")
    assert (slot.unheard, slot.call) == (True, "judge.accepts(item)")
    slot.verdict, slot.answer = Acceptance(ruling="invalid", reason="why", served="m"), "hit"
    trial = slot.trial("adverse", None)
    assert (slot.unheard, trial.winner, trial.reason, trial.served) == (False, "invalid", "why", "m")
