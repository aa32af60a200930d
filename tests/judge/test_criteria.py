from __future__ import annotations

import pytest

from pytest_judgeaudit.judge.criteria import BUILT_IN, criterion_text
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings import tables

ALL = [(name, wording) for name, wordings in BUILT_IN.items() for wording in wordings]


def test_the_built_in_criteria_are_those_of_the_configuration():
    assert tuple(BUILT_IN) == tables.BUILT_IN_CRITERIA


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_criterion_has_both_wordings(name):
    assert set(BUILT_IN[name]) == {"text", "finite-code"}


@pytest.mark.parametrize(("name", "wording"), ALL)
def test_every_wording_says_when_to_tie(name, wording):
    assert "tie" in criterion_text(name, wording, {})


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_wordings_for_code_exclude_style_length_and_efficiency(name):
    text = criterion_text(name, "finite-code", {}).lower()
    assert all(word in text for word in ("style", "length", "efficiency", "do not count", "valid inputs"))


@pytest.mark.parametrize("wording", ["text", "finite-code"])
def test_only_strict_asks_for_a_material_advantage_and_ties_in_doubt(wording):
    strict, neutral = (criterion_text(name, wording, {}) for name in ("strict", "neutral"))
    assert ("material" in strict, "doubt" in strict) == (True, True)
    assert ("material" in neutral, "doubt" in neutral) == (False, False)


@pytest.mark.parametrize("wording", ["text", "finite-code", "whatever comes"])
def test_a_criterion_of_ones_own_holds_for_every_wording(wording):
    assert criterion_text("house", wording, {"house": "Be kind."}) == "Be kind."


def test_an_unknown_criterion_is_refused_with_the_near_one():
    with pytest.raises(Refused) as refused:
        criterion_text("neutrl", "text", {"house": "Be kind."})
    assert str(refused.value) == (
        'no criterion is called "neutrl"; there are neutral, strict, house. Did you mean "neutral"?'
    )


def test_an_unknown_wording_is_refused_with_the_way_out():
    with pytest.raises(Refused, match=r'no wording for "ladder"; there are text, finite-code\. Write a'):
        criterion_text("strict", "ladder", {})
