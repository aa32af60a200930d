"""What is said of the answers themselves."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.audit.notices import of_age, of_budgets
from pytest_judgeaudit.records.trials import Trial

DAY = 86_400.0
NOW = 1_790_000_000.0  # 2026-09-21
PLAN = SimpleNamespace(cells=[SimpleNamespace(id="c1", judge="qwen"), SimpleNamespace(id="c2", judge=None)])


def trial(answer, *, days=0.0, cell="c1", reason=None):
    return Trial(
        cell=cell,
        task="t",
        order="AB",
        outcome="void",
        answer=answer,
        reason=reason,
        asked_at=NOW - days * DAY,
    )


@pytest.mark.parametrize(("days", "said"), [(89.9, False), (90.1, True)])
def test_stored_answers_are_old_after_ninety_days(days, said):
    found = list(of_age(PLAN, [trial("hit", days=1), trial("hit", days=days)], now=NOW))
    assert [finding.code for finding in found] == ["old-answers"] * said


def test_the_oldest_one_is_named_with_its_date():
    (found,) = of_age(PLAN, [trial("hit", days=100), trial("hit", days=120)], now=NOW)
    assert found.symptom == "its oldest stored answer is of 2026-05-24, 120 days ago"


def test_answers_that_were_asked_for_are_new_and_those_without_a_judge_nobodys():
    assert list(of_age(PLAN, [trial("asked", days=100), trial("hit", days=100, cell="c2")], now=NOW)) == []


def test_one_finding_counts_the_calls_that_a_budget_left_out():
    others = [trial("stopped", reason="why"), trial("stopped", reason="another"), trial("hit")]
    (found,) = of_budgets(PLAN, [trial("unfunded", reason="why"), *others])
    assert (found.code, found.where, found.symptom) == (
        "budget-spent",
        "qwen",
        "HOLD: 2 calls not made: why",
    )
