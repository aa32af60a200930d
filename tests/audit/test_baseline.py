"""A run against an earlier one: the same tasks, exact tests, flipped tasks by name (RULES R28)."""

from __future__ import annotations

import json
from math import comb

import pytest

from pytest_judgeaudit.audit.baseline import against, unmatched
from pytest_judgeaudit.report.json import to_json

MODULE = "evals/test_study.py"


def audited(studies, halves, *, judge="qwen", miss="second", **options):
    """One judge on so many tasks; per task the number of orders that are right."""
    known = studies.tasks(len(halves))
    planned = studies.cell("signal", known, judge=judge)
    observed = studies.scored(planned, halves, miss=miss)
    return studies.run(studies.plan([planned], known, **options), observed)


def report(audit):
    return json.loads(to_json(audit))


def compared(studies, now, before):
    (found,) = against(audited(studies, now), report(audited(studies, before)))
    return found


def test_flipped_tasks_are_named_and_others_are_not(studies):
    found = compared(studies, [2, 2, 0, 2, 2], [2, 2, 2, 2, 0])
    assert [(flip.task, flip.before, flip.after) for flip in found.flipped] == [
        ("t002", 1.0, 0.0),
        ("t004", 0.0, 1.0),
    ]
    assert found.difference == 0


@pytest.mark.parametrize(("lost", "won"), [(3, 0), (5, 1), (0, 4), (2, 2)])
def test_whole_scores_are_tested_by_mcnemar(studies, lost, won):
    now = [0] * lost + [2] * won + [2] * 5
    before = [2] * lost + [0] * won + [2] * 5
    n, least = lost + won, min(lost, won)
    expected = min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / 2**n)
    found = compared(studies, now, before)
    assert found.p == pytest.approx(expected)
    assert found.difference == pytest.approx((won - lost) / len(now))
    assert found.reason == "exchangeability assumed"


def test_half_scores_are_tested_by_all_sign_flips(studies):
    # Differences −½, −½, −1: of the 8 sign patterns two are as extreme.
    found = compared(studies, [1, 1, 0, 2], [2, 2, 2, 2])
    assert found.p == pytest.approx(2 / 8)


def test_the_same_run_flips_nothing(studies):
    found = compared(studies, [2, 1, 0], [2, 1, 0])
    assert (found.flipped, found.p, found.difference, found.changed) == ((), 1.0, 0.0, ())
    assert found.statement == "no task of 3 flipped"


def test_what_differs_in_the_configuration_is_named(studies):
    now = audited(studies, [2, 2], judges=[studies.judge(requested="qwen-next")])
    (found,) = against(now, report(audited(studies, [2, 2])))
    assert found.changed == ("requested: qwen → qwen-next",)


def test_only_shared_tasks_are_compared(studies):
    (found,) = against(audited(studies, [2, 2, 0]), report(audited(studies, [2, 2])))
    assert (found.tasks, found.difference) == (2, 0)
    assert found.statement == "no task of 2 flipped; 1 task in one of the runs only"


def test_a_cell_on_hold_is_not_compared(studies):
    held = audited(studies, [0] * 10, miss="invalid")
    (found,) = against(audited(studies, [2] * 10), report(held))
    assert (found.difference, found.p, found.reason, found.flipped) == (None, None, "HOLD", ())
    assert found.statement == "not compared with the baseline"


def test_cells_of_one_run_only_are_a_finding(studies):
    now, before = audited(studies, [2, 2], judge="new"), report(audited(studies, [2, 2]))
    assert against(now, before) == ()
    found = list(unmatched(now, before, name="the baseline"))
    assert [one.code for one in found] == ["baseline-cells", "baseline-cells"]
    assert found[0].symptom == f"1 cell only in this run: {MODULE}::test_better::new-neutral::signal"
