"""Why trials measured nothing: what failed alike reads alike, whatever the calls were called."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.causes import cause, cause_of, unheard_of
from pytest_judgeaudit.records.trials import JudgeCall, Trial

NAME = "test_copies-mine-neutral-refund.7-clone-AB-1"


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (f"no stored answer for {NAME}. Ask for it.", "no stored answer. Ask for it."),
        (
            f"the stored answer for {NAME} is stale: prompt moved.",
            "the stored answer is stale: prompt moved.",
        ),
        (f"mine: no stored answer for {NAME}-mine-rubric. Ask.", "mine: no stored answer. Ask."),
        (f"no stored answer for {NAME}", "no stored answer"),
        ("mine: HTTP 401: invalid key", "mine: HTTP 401: invalid key"),
        ("first judge\nsecond judge", "first judge second judge"),
        (
            'log.jsonl: judge j has no row with id "c, 1", order AB, arm "clone". Complete it',
            'log.jsonl: judge j has no row with its id and order, arm "clone". Complete it',
        ),
    ],
)
def test_a_cause_does_not_name_the_call_that_it_happened_to(reason, said):
    assert cause(reason, name=NAME) == said


def test_a_reason_without_a_name_stays_as_it_is():
    assert cause("OSError: gone", name="") == "OSError: gone"


def void(**changes):
    return Trial(**{"cell": "c", "task": "t", "order": "AB", "outcome": "void", **changes})


def test_a_trial_without_a_reason_has_a_cause_all_the_same():
    assert cause_of(void()) == "no verdict was obtained"
    assert cause_of(void(reason="KeyError: 'a'\nline 2")) == "KeyError: 'a'"


@pytest.mark.parametrize(
    ("changes", "lacking"),
    [
        ({"answer": "missing"}, True),
        ({"answer": "stale"}, True),
        ({"answer": "failed"}, False),
        ({"answer": None}, False),
        ({"answer": "hit"}, False),
        ({"answer": "hit", "judged": (JudgeCall(judge="j", what="rubric", answer="missing"),)}, True),
        (
            {"answer": "hit", "judged": (JudgeCall(judge="j", what="rubric", answer="hit", valid=False),)},
            False,
        ),
    ],
)
def test_only_asking_is_lacking_where_an_answer_is_missing_or_stale(changes, lacking):
    assert unheard_of(void(**changes)) is lacking
