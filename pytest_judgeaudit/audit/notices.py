"""Findings about the answers themselves: how old they are, and whether a budget ended the asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.plans import Finding, Plan
from pytest_judgeaudit.records.trials import Trial

OLD_DAYS = 90
"""Stored answers older than this are worth a word: hosted models change behind their names."""

_DAY_S = 86_400.0


def of_budgets(plan: Plan, trials: Sequence[Trial]) -> Iterator[Finding]:
    """Say of each judge whose budget was spent how many calls were not made."""
    judges = {cell.id: cell.judge for cell in plan.cells}
    reasons = {judges.get(trial.cell): trial.reason for trial in trials if trial.answer == "unfunded"}
    # Those after the first one find the judge stopped, for the same reason.
    left = Counter(
        judges.get(trial.cell)
        for trial in (trials if reasons else ())
        if trial.answer in {"unfunded", "stopped"} and trial.reason == reasons.get(judges.get(trial.cell))
    )
    for judge, calls in left.items():
        yield Finding(
            code="budget-spent",
            where=judge or "a judge",
            symptom=f"HOLD: {counted(calls, 'call')} not made: {reasons[judge]}",
            check="limits.budget_tokens and limits.budget; every answer that came is kept",
        )


def of_age(plan: Plan, trials: Sequence[Trial], *, now: float) -> Iterator[Finding]:
    """Name the oldest stored answer of each judge if it is older than OLD_DAYS; ``now`` as time.time()."""
    judges = {cell.id: cell.judge for cell in plan.cells}
    oldest: dict[str, float] = {}
    for trial in trials:
        judge = judges.get(trial.cell)
        if judge is not None and trial.answer == "hit" and trial.asked_at is not None:
            oldest[judge] = min(trial.asked_at, oldest.get(judge, trial.asked_at))
    for judge, asked_at in oldest.items():
        days = (now - asked_at) / _DAY_S
        if days > OLD_DAYS:
            date = datetime.fromtimestamp(asked_at, UTC).date().isoformat()
            yield Finding(
                code="old-answers",
                where=judge,
                symptom=f"its oldest stored answer is of {date}, {days:,.0f} days ago",
                check="whether the service still answers so; --judge-live-all asks afresh",
            )
