"""A budget that is spent: the campaign stops, everything answered is kept, and the next run goes on."""

from __future__ import annotations

import pytest

MINE = """
def ask(messages):
    return {"text": '{"winner": "tie"}', "usage": {"prompt": 90, "completion": 10}}
"""
CLONES = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate(upper=0.5)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie
"""
TASKS = 12


def written(project, **limits):
    project.pairs(TASKS)
    project.write("mine.py", MINE)
    project.evals(CLONES)
    price = {"prompt": 1000.0, "completion": 1000.0}
    project.judges(mine={"api": "python", "callable": "mine:ask", "price": price, "limits": limits})
    return project


@pytest.mark.parametrize(
    ("limits", "options", "named"),
    [
        ({"budget_tokens": 560}, (), "560 tokens (limits.budget_tokens)"),
        ({"budget": 0.56, "in_flight": 3}, (), "0.56 (limits.budget)"),
        ({"budget_tokens": 560, "in_flight": 3}, ("-n2",), "560 tokens (limits.budget_tokens)"),
    ],
)
def test_a_run_asks_what_its_budget_allows_and_the_next_one_goes_on(project, limits, options, named):
    written(project, **limits)
    first = project.audit("--judge-live", *options)
    made = first.report["answers"]["asked"]
    # 560 pays for five calls of 100.
    assert made == 5
    # Items without an answer fail, as those do whose answer is missing.
    assert (first.code, first.gate()["state"]) == (1, "HOLD")
    found = first.finding("budget-spent")
    assert found["where"] == "mine"
    reason = f"mine: the budget of this run is spent: {named}. "
    assert found["symptom"].startswith(f"HOLD: {TASKS - made} calls not made: {reason}")
    assert first.report["configurations"][0]["usage"]["prompt"] == 90 * made
    second = project.audit("--judge-live", *options)
    assert second.report["answers"]["hit"] == made
    third = project.audit("--judge-live", *options)
    assert (third.code, third.report["answers"]["hit"], third.report["answers"]["asked"]) == (0, 10, 2)


def test_cost_is_shown_in_plan_and_report(project):
    written(project)
    ran = project.audit("--judge-live", columns=120)
    # 12 calls of 100 tokens at 1,000 a million.
    assert ran.report["configurations"][0]["cost"] == pytest.approx(1.2)
    assert " 1.20" in next(line for line in ran.out.splitlines() if line.startswith("  mine "))
    project.pairs(2 * TASKS)
    plan = project.run("--judge-audit", "--judge-plan", columns=120)
    (line,) = [line for line in plan.out.splitlines() if line.startswith("  mine ")]
    assert line.endswith("1,080 + 120  1.20")


def test_money_needs_both_prices(project):
    written(project, budget=1.0)
    project.judges(mine={"api": "python", "callable": "mine:ask", "limits": {"budget": 1.0}})
    ran = project.run("--judge-audit")
    (error,) = ran.errors
    assert error.endswith(
        "limits.budget: needs both prices. "
        "Write price = { prompt = 0.15, completion = 0.6 }, or budget_tokens."
    )
