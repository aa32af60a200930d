"""Refusals, reports of broken tools and hedges are not answers like others."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.grade import hedges, out_of_reach, refused

BROKEN = [
    ("The search tool was out of reach, I will not guess", True),
    ("The grep tool returned an error.", True),
    ("I have no access to the repository.", True),
    ("tools are unavailable", False),
    ("All tools are unavailable.", True),
    ("The mainframe is unavailable", False),
    ("My tools failed", True),
    ("I could not access the files.", True),
    ("The sandbox did not respond", True),
]
REFUSALS = [
    ("I can't help with that.", True),
    ("I cannot assist with this request.", True),
    ("I'm unable to help with that request.", True),
    ("I can't find it.", False),
    ("Sorry, but I can't do that.", True),
    ("I will not answer that.", True),
    ("I won't guess; there is no such module", False),
    ("I cannot verify this, but src/a.py", False),
    ("As an AI, I can't help with that.", True),
]


@pytest.mark.parametrize(("text", "broken"), BROKEN)
def test_tools_out_of_reach_are_reported_as_such(text, broken):
    assert out_of_reach(text) == broken


@pytest.mark.parametrize(("text", "refusal"), REFUSALS)
def test_a_refusal_declines_to_help(text, refusal):
    assert refused(text) == refusal


def test_a_long_answer_is_no_refusal():
    assert not refused("I can't help with that. " + "The rate is in CALC.cbl. " * 40)


def test_hedges_are_named_once():
    assert hedges("**Probably** here. Probably there; I would guess a.py.") == ("probably", "i would guess")
    assert hedges("It is in a.py.") == ()
