"""Planted judges of a rubric: what each pays for, and that their floors are far apart."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.judge.scorers import SCORERS, score_embedded
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.questions import Fact, Match, Question
from pytest_judgeaudit.settings.tables import EMBEDDED


def fact(name, value):
    return Fact(id=name, match=Match(type="literal", values=(value,)))


QUESTIONS = (
    Question(
        id="rate",
        prompt="Where is the daily rate computed?",
        facts=(fact("a", "COMPUTE-DAILY-RATE"), fact("b", "CALC.cbl")),
    ),
    Question(id="store", prompt="Which paragraph writes a loan?", facts=(fact("a", "WRITE-LOAN"),)),
)
BLUFF = (
    "The computation lives in the central processing module, because systems of this kind keep their "
    "arithmetic in one place. It first validates the incoming record, and then it applies the configured "
    "factor to the balance. However, edge cases are handled apart, since they need their own rounding. "
    "When the record has been processed, the result is written back, so that later steps can rely on it. "
    "Therefore a reader should begin with the main loop, which calls the calculation for every record. "
    "Finally the totals are reported, and the run ends with a summary that operators can check."
)
ANSWERS = {
    ("rate", "sighted"): ("COMPUTE-DAILY-RATE in CALC.cbl.", "SUPPORTED CALC.cbl:2\n" * 4),
    ("store", "sighted"): ("WRITE-LOAN does.", "- SUPPORTED STORE.cbl:2 it is called\n" * 4),
    ("rate", "blind"): (BLUFF, "UNABLE_TO_VERIFY\nUNSUPPORTED"),
    ("store", "blind"): (BLUFF, "1. UNSUPPORTED the loop\n2. UNABLE_TO_VERIFY the summary"),
}


def mean(model, arm):
    return fmean(
        score_embedded(model, question, *ANSWERS[question.id, arm]).total for question in QUESTIONS
    )


def test_a_judge_that_pays_for_prose_has_a_high_floor_and_one_that_reads_evidence_a_low_one():
    assert mean("prose", "blind") > 80
    assert mean("prose", "sighted") < mean("prose", "blind")
    assert mean("evidence", "blind") == 0
    assert mean("evidence", "sighted") == 100


def test_the_constant_judge_tells_nothing_apart():
    assert {mean("constant-score", arm) for arm in ("sighted", "blind")} == {70.0}


def test_evidence_needs_four_claims_for_the_whole():
    found = score_embedded("evidence", QUESTIONS[0], "CALC.cbl", "SUPPORTED a\nSUPPORTED b")
    assert (found.accuracy, found.completeness, found.usefulness) == (15.0, 12.5, 10.0)


@pytest.mark.parametrize(
    ("report", "accuracy"),
    [
        ("", 15.0),  # the key alone: one of two facts
        ("UNABLE_TO_VERIFY a", 0.0),
        ("SUPPORTED\n" * 3 + "UNSUPPORTED", 22.5),
        ("SUPPORTED\n" * 3 + "PARTIALLY_SUPPORTED", 26.2),
        ("SUPPORTED\n" * 8, 30.0),
        ("he says SUPPORTED\nSUPPORTEDLY", 0.0 + 15.0),  # no line of a claim: the key alone
    ],
)
def test_evidence_is_paid_by_the_share_of_supported_claims(report, accuracy):
    assert score_embedded("evidence", QUESTIONS[0], "CALC.cbl", report).accuracy == accuracy


def test_evidence_calls_a_refusal_a_refusal():
    found = score_embedded("evidence", QUESTIONS[0], "I'm sorry, but I can't help with that.")
    assert (found.refusal, found.valid) == (True, False)


def test_every_scorer_is_an_embedded_judge_of_the_configuration():
    assert set(SCORERS) <= set(EMBEDDED)


def test_a_judge_that_scores_nothing_is_refused_by_name():
    with pytest.raises(Refused, match=r'"coin" scores answers; there are constant-score, prose, evidence'):
        score_embedded("coin", QUESTIONS[0], "x")


@pytest.mark.parametrize("model", SCORERS)
@given(answer=st.text(), grounding=st.text())
def test_any_answer_gets_a_score_that_can_be_read_and_the_same_again(model, answer, grounding):
    found = score_embedded(model, QUESTIONS[0], answer, grounding)
    assert found.state == "ok"
    assert found == score_embedded(model, QUESTIONS[0], answer, grounding)
    assert found.served == model


@given(st.lists(st.sampled_from(["SUPPORTED a", "UNSUPPORTED b", "UNABLE_TO_VERIFY c"]), max_size=9))
def test_one_more_unsupported_claim_never_pays(lines):
    def accuracy(report):
        return score_embedded("evidence", QUESTIONS[0], "", "\n".join(report)).accuracy

    if lines:
        assert accuracy([*lines, "UNSUPPORTED d"]) <= accuracy(lines)
