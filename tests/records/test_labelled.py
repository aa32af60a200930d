"""A labelled answer and its controls: which arm counts them, and under which name a call is stored."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.labelled import CONTROLS, LabelledAnswer, call_arm

GOOD = LabelledAnswer(id="a", prompt="Ask", answer="Four.", label="good")


@pytest.mark.parametrize(
    ("control", "arm", "stratum", "good", "answer", "replicate"),
    [
        ("", "good", None, True, "Four.", 1),
        ("blank", "blank", None, False, "", 1),
        ("whitespace", "blank", "whitespace", False, " \n", 1),
        ("repeated", "repeated", None, True, "Four.", 2),
    ],
)
def test_a_control_is_counted_in_an_arm_of_its_own(control, arm, stratum, good, answer, replicate):
    shown = GOOD.shown(control)
    assert (shown.arm, shown.stratum, shown.good) == (arm, stratum, good)
    assert (shown.answer, shown.replicate, shown.prompt) == (answer, replicate, "Ask")


def test_a_call_is_stored_under_a_name_that_no_label_is_part_of():
    bad = LabelledAnswer(id="a", prompt="Ask", answer="Four.", label="bad")
    names = {call_arm(one.arm, one.stratum) for one in (GOOD, bad)}
    assert names == {"single"}
    controls = [GOOD.shown(control) for control in CONTROLS]
    assert [call_arm(one.arm, one.stratum) for one in controls] == ["blank", "whitespace", "repeated"]


def test_a_digest_is_of_what_a_judge_sees():
    assert GOOD.shown("repeated").digest() == GOOD.digest()
    assert GOOD.shown("blank").digest() != GOOD.digest()


def test_its_representation_shows_no_text_of_the_source():
    assert repr(GOOD.shown("repeated")) == "<good answer 'a', repeated>"
