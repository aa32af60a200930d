"""Tests of the schedule-wide sharp null, where the schedule was drawn, frozen and kept (RULES R13, R14)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pytest_judgeaudit.audit.comparisons import Comparison
from pytest_judgeaudit.audit.numbers import share
from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.audit.schedules import (
    DRAWN,
    Assignment,
    Condition,
    Place,
    assign,
    place_of,
    planned_groups,
    timeline,
)
from pytest_judgeaudit.records.audits import Protocol
from pytest_judgeaudit.records.plans import Finding, JudgePlan, Plan
from pytest_judgeaudit.records.trials import Trial

NOT_RANDOMIZED = "schedule not randomized"
NOT_FROZEN = "the randomised schedule was not frozen before the first call"
RECORDED = "a recorded log: its calls were not made in this schedule"
UNTIMED = "it is not known when its calls were made"
OUT_OF_TURN = "the schedule was not kept"
INCOMPLETE = "not all conditions of the design were run"
FROZEN = "frozen before the first call"
HOW: Mapping[str, str] = {
    "randomized": "99,999 redraws of the balanced blocks",
    "independent": "exact sign-flip of the tasks' differences",
}

Key = tuple[str, Place]
"""A judge and a group of tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """
    What was drawn, and for what it supports a p.

    ``reason`` says why there is none at all, ``reasons`` why one judge and group has none; both are empty
    where there may be one. ``findings`` are deviations.
    """

    kind: str = "hash"
    seed: int = 0
    reason: str = NOT_RANDOMIZED
    assignments: Mapping[Key, Assignment] = field(default_factory=dict)
    reasons: Mapping[Key, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def why_not(self, key: Key) -> str:
        """Say why a judge and group has no p; "" where it may have one."""
        return self.reason or self.reasons.get(key, "" if key in self.assignments else INCOMPLETE)


def schedule_of(plan: Plan, observed: Sequence[Observed], protocol: Protocol) -> Schedule:
    """
    Draw a plan's assignments again, and see whether its calls were made in that order.

    The order of calls is that of their first attempts, also where they were recalled. A task's exposures
    must have come in its sequence; calls that merely overtook others are counted in a finding.
    """
    if plan.schedule not in DRAWN:
        return Schedule()
    drawn = assignments(plan)
    judges = {judge.name: judge for judge in plan.judges}
    calls = _calls(observed)
    reasons = {
        key: reason
        for key, one in drawn.items()
        if (reason := _reason(judges[key[0]], one, calls.get(key, {})))
    }
    return Schedule(
        kind=plan.schedule,
        seed=plan.seed,
        reason="" if protocol.state == FROZEN else NOT_FROZEN,
        assignments=drawn,
        reasons=reasons,
        findings=tuple(_deviations(plan, drawn, calls)),
    )


def assignments(plan: Plan) -> dict[Key, Assignment]:
    """Draw the assignment of every selected judge and group, over all of the judge's criteria."""
    shown = planned_groups(plan)
    return {
        (judge.name, place): assign(
            place,
            group,
            judge=judge.name,
            criteria=judge.criteria,
            seed=plan.seed,
            kind=plan.schedule,
        )
        for judge in plan.judges
        if judge.criteria
        for place, group in shown.items()
    }


Calls = Mapping[tuple[str, Condition], Trial]
"""The trials of a judge and group, by task and condition."""


def _calls(observed: Iterable[Observed]) -> dict[Key, dict[tuple[str, Condition], Trial]]:
    found: dict[Key, dict[tuple[str, Condition], Trial]] = defaultdict(dict)
    for cell in observed:
        plan = cell.plan
        if plan.judge is not None:
            for (task, order, _), trial in cell.trials.items():
                condition = Condition(plan.criterion or "", order, plan.context)
                found[plan.judge, place_of(plan)][task, condition] = trial
    return found


def _reason(judge: JudgePlan, one: Assignment, calls: Calls) -> str:
    if judge.identity in {"log", "undeclared log"}:
        return RECORDED
    if len(calls) < len(one.sequences) * len(one.conditions):
        return INCOMPLETE
    if judge.api == "embedded":
        return ""  # a pure function of the call: there is no time in which it could change
    if any(trial.asked_at is None for trial in calls.values()):
        return UNTIMED
    broken = sum(not _in_sequence(task, one, calls) for task in one.sequences)
    return f"{OUT_OF_TURN}: {share(broken, len(one.sequences))} tasks out of sequence" if broken else ""


def _in_sequence(task: str, one: Assignment, calls: Calls) -> bool:
    times = [calls[task, one.conditions[index]].asked_at or 0.0 for index in one.sequences[task]]
    return all(first < second for first, second in pairwise(times))


def _deviations(
    plan: Plan, drawn: Mapping[Key, Assignment], calls: Mapping[Key, Calls]
) -> Iterable[Finding]:
    """Count, for each judge and module, the calls that were made after one that comes later."""
    for judge in plan.judges:
        modules: dict[str, dict[Place, Assignment]] = defaultdict(dict)
        for (name, place), one in drawn.items():
            if name == judge.name:
                modules[place.eval.partition("::")[0]][place] = one
        for module, group in modules.items():
            turns = (
                calls.get((judge.name, place), {}).get((task, condition))
                for place, task, condition in timeline(group, seed=plan.seed)
            )
            times = [trial.asked_at for trial in turns if trial is not None and trial.asked_at is not None]
            late, overtaken = float("-inf"), 0
            for time in times:
                overtaken += time < late
                late = max(late, time)
            if overtaken:
                yield Finding(
                    code="schedule-deviated",
                    where=f"{module} {judge.name}",
                    symptom=f"{share(overtaken, len(times))} calls came after one that was to come later",
                    check="in_flight = 1 and one process keep the schedule; so does a run without a break",
                )


def p_values(
    schedule: Schedule,
    key: Key,
    compared: Sequence[Comparison],
    trials: Mapping[tuple[str, Condition], Trial],
    counts: Callable[[Trial], float],
) -> dict[Comparison, float]:
    """
    Test contrasts of one judge and group that share their outcomes; only where :meth:`why_not` is "".

    Balanced blocks: redraws of the whole assignment, which all contrasts share. Independent assignments:
    the exact sign-flip of each task's difference.
    """
    # Imported here: numpy, which a run without a drawn schedule need not wait for.
    from pytest_judgeaudit.stats.crossover import crossover_p  # noqa: PLC0415
    from pytest_judgeaudit.stats.randomization import randomization_p  # noqa: PLC0415

    one = schedule.assignments[key]
    outcomes = {
        task: [round(counts(trials[task, one.conditions[index]])) for index in row]
        for task, row in one.sequences.items()
    }
    weights = {
        comparison.name: [comparison.weights.get((c.criterion, c.order), 0) for c in one.conditions]
        for comparison in compared
    }
    differences = {
        name: [
            sum(weighed[index] * outcome for index, outcome in zip(one.sequences[task], row, strict=True))
            for task, row in outcomes.items()
        ]
        for name, weighed in weights.items()
    }
    if schedule.kind == "independent":
        return {one_: randomization_p(differences[one_.name]) for one_ in compared}
    found = crossover_p(
        [[outcomes[task] for task in block] for block in one.blocks],
        {name: sum(values) for name, values in differences.items()},
        weights,
        seed=schedule.seed,
    )
    return {comparison: found[comparison.name] for comparison in compared}
