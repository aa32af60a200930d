"""An acceptance: what an invalid output must never be taken for."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.errors import JudgeFault
from pytest_judgeaudit.records.verdicts import Acceptance

INVALID = Acceptance(ruling="invalid", reason="the output is empty")


def test_a_ruling_says_whether_it_accepts():
    accepted, rejected = Acceptance(ruling="accept"), Acceptance(ruling="reject")
    assert (accepted.accepted, accepted.rejected, accepted.valid) == (True, False, True)
    assert (rejected.accepted, rejected.rejected, rejected.valid) == (False, True, True)


@pytest.mark.parametrize("good", [True, False])
def test_an_invalid_output_equals_no_label(good):
    assert INVALID.accepted != good
    assert not INVALID.rejected
    assert not INVALID.valid


@pytest.mark.parametrize("ruling", ["accept", "reject", "invalid"])
def test_an_acceptance_has_no_truth_value_that_an_assertion_could_hold_by(ruling):
    said = Acceptance(ruling=ruling)
    with pytest.raises(JudgeFault, match=r"neither true nor false. Write `.accepted`"):
        bool(said)
    for good in (True, False):
        with pytest.raises(JudgeFault, match=r"Write `.accepted == …`"):
            _ = said == good


def test_acceptances_are_equal_by_what_was_said():
    assert Acceptance(ruling="accept", raw="x") == Acceptance(ruling="accept", raw="x", served="m")
    assert Acceptance(ruling="accept") != Acceptance(ruling="reject")
    assert Acceptance(ruling="accept") != "accept"
    assert len({Acceptance(ruling="accept"), Acceptance(ruling="accept")}) == 1


def test_its_representation_shows_nothing_of_the_raw_text():
    assert repr(Acceptance(ruling="reject", raw="\x1b[2J")) == "<acceptance reject>"
