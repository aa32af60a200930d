"""Differences between criteria and between orders, on the same tasks (METHODS 2, RULES R12–R15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import NamedTuple

from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.comparisons import (
    Comparison,
    comparisons,
    contrast_family,
    contrast_id,
)
from pytest_judgeaudit.audit.numbers import bare_p, counted
from pytest_judgeaudit.audit.observations import EDGES, PAIRED_ARMS
from pytest_judgeaudit.audit.schedules import Condition, place_of
from pytest_judgeaudit.audit.sharp import HOW, INCOMPLETE, Schedule, p_values
from pytest_judgeaudit.records.audits import Contrast
from pytest_judgeaudit.records.plans import FamilyMember, Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.stats.families import holm

PART = "a part of the order contrast, which has the p"
DESCRIBED = "equivalents are described, not tested"
LEVEL = 0.05

Shares = Mapping[str, Mapping[str, float]]
"""By task and order, the share of calls that are what is counted."""

Group = Mapping[str, Measured]
"""The cells of one judge, test and arm, by criterion."""


class Found(NamedTuple):
    """A contrast, what it compares, and its place in a family: None where it has none."""

    contrast: Contrast
    compared: Comparison
    member: FamilyMember | None


def contrasts(
    cells: Sequence[Measured],
    *,
    plan: Plan,
    schedule: Schedule,
) -> tuple[Contrast, ...]:
    """
    Compare the criteria and the orders of every judge that is shown the same tasks under both.

    A p is for a ``schedule`` that was drawn, frozen and kept; without one, differences alone. Holm adjusts
    over all contrasts that the plan declares: those that were not measured count with p = 1. Judges that
    are expected to fail have families of their own.
    """
    expects = {judge.name: judge.expect for judge in plan.judges}
    found = [one for group in _groups(cells) for one in _contrasts(group, schedule, expects)]
    return tuple(_adjusted(found, plan.rivals))


def _groups(cells: Sequence[Measured]) -> Iterator[Group]:
    groups: dict[tuple[object, ...], dict[str, Measured]] = defaultdict(dict)
    for cell in cells:
        plan = cell.observed.plan
        paired = plan.judge is not None and plan.arm in PAIRED_ARMS and not plan.context
        if paired and plan.stratum not in EDGES:
            place = (plan.study, plan.eval, plan.variant, plan.judge, plan.arm, plan.stratum)
            groups[place][plan.criterion or ""] = cell
    yield from groups.values()


def _contrasts(group: Group, schedule: Schedule, expects: Mapping[str, str]) -> Iterator[Found]:
    plan = next(iter(group.values())).observed.plan
    orders = {shown.order for cell in group.values() for shown in cell.observed.scheduled}
    every = list(comparisons(plan.arm, list(group), orders))
    for of in dict.fromkeys(one.of for one in every):
        drafts = dict(_drafts(group, [one for one in every if one.of == of]))
        tested, reasons = _tested(group, drafts, schedule)
        for one, draft in drafts.items():
            p = tested.get(one)
            why = draft.reason or (reasons[one] if p is None else HOW[schedule.kind])
            family = contrast_family(one, expects.get(draft.judge, "certified"))
            name = contrast_id(plan.eval, plan.variant, draft.judge, one)
            member = FamilyMember(plan.study, family, name) if one in tested else None
            yield Found(replace(draft, p=p, reason=why), one, member)


def _drafts(group: Group, compared: Sequence[Comparison]) -> Iterator[tuple[Comparison, Contrast]]:
    """Yield the differences; None, with the reason, where a part of one may not be estimated."""
    shares = {name: _shares(cell, compared[0].of) for name, cell in group.items()}
    for one in compared:
        used = list(dict.fromkeys(criterion for criterion, _ in one.weights))
        cells = [group[name] for name in used]
        plan = cells[0].observed.plan
        found = _difference(one, [(name, shares[name]) for name in used])
        held = [cell.state for cell in cells if cell.state != "OK"]
        why = held[0] if held else "the task sets differ"
        yield (
            one,
            Contrast(
                study=plan.study,
                eval=plan.eval,
                judge=plan.judge or "",
                criterion=one.criterion,
                arm=plan.arm,
                kind=one.kind,
                of=one.of,
                minuend=one.minuend,
                subtrahend=one.subtrahend,
                difference=found,
                tasks=cells[0].record.tasks,
                family=one.family,
                reason=why if found is None else "",
                statement="",
            ),
        )


def _difference(one: Comparison, parts: Sequence[tuple[str, Shares | None]]) -> float | None:
    known = {name: shares for name, shares in parts if shares is not None}
    if len(known) < len(parts):
        return None
    tasks = next(iter(known.values())).keys()
    orders = {order for _, order in one.weights}
    for shares in known.values():
        if shares.keys() != tasks or any(not orders <= shown.keys() for shown in shares.values()):
            return None
    return (
        fsum(
            sign * fsum(shown[order] for shown in known[name].values()) / len(tasks)
            for (name, order), sign in one.weights.items()
        )
        / one.parts
    )


def _tested(
    group: Group, drafts: Mapping[Comparison, Contrast], schedule: Schedule
) -> tuple[dict[Comparison, float], dict[Comparison, str]]:
    """Return the p-values of what can be tested, and why the rest cannot."""
    cell = next(iter(group.values()))
    plan = cell.observed.plan
    key = (plan.judge or "", place_of(plan))
    why = schedule.why_not(key)
    if not why and {c.criterion for c in schedule.assignments[key].conditions} != set(group):
        why = INCOMPLETE
    reasons = {one: why or ("" if one.family else PART) for one in drafts}
    if not why and plan.arm == "equivalent":
        reasons = dict.fromkeys(drafts, DESCRIBED)
    usable = [one for one, draft in drafts.items() if not reasons[one] and draft.difference is not None]
    if not usable:
        return {}, reasons
    trials = {
        (task, Condition(name, order)): trial
        for name, part in group.items()
        for (task, order, _), trial in part.observed.trials.items()
    }
    return p_values(schedule, key, usable, trials, _counting(cell, usable[0].of)), reasons


def _adjusted(found: Sequence[Found], rivals: Sequence[FamilyMember]) -> Iterator[Contrast]:
    """Adjust each family by Holm, and word what is claimed (R15)."""
    raw: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for rival in rivals:
        raw[rival.study, rival.family][rival.gate] = 1.0
    for one in found:
        if one.member is not None and one.contrast.p is not None:
            raw[one.member.study, one.member.family][one.member.gate] = one.contrast.p
    adjusted = {family: holm(members) for family, members in raw.items()}
    for one in found:
        contrast = one.contrast
        if one.member is not None:
            p_holm = adjusted[one.member.study, one.member.family][one.member.gate]
            contrast = replace(contrast, p_holm=p_holm)
        yield replace(contrast, statement=_statement(contrast))


def _shares(cell: Measured, of: str) -> Shares | None:
    """Return what is counted of each task and order; None where nothing may be estimated."""
    if cell.state != "OK":
        return None
    counts = _counting(cell, of)
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (task, order, _), trial in cell.observed.trials.items():
        found[task][order].append(counts(trial))
    return {
        task: {order: fsum(calls) / len(calls) for order, calls in orders.items()}
        for task, orders in found.items()
    }


def _counting(cell: Measured, of: str) -> Callable[[Trial], float]:
    if of == "tie":
        return lambda trial: float(trial.winner == "tie")
    if of == "adverse":
        return lambda trial: float(trial.winner != "tie" or trial.outcome != "success")
    tasks = cell.observed.tasks
    return lambda trial: float(trial.outcome == "success" and trial.winner == tasks[trial.task].target)


def _statement(found: Contrast) -> str:
    what = {"utility": "mean task utility", "tie": "share of ties", "adverse": "adverse share"}[found.of]
    minus = f"{what}, {found.minuend} − {found.subtrahend}"
    if found.difference is None:
        return f"{minus}: not compared ({found.reason})"
    told = f"{minus}: {found.difference:+.4f} over {counted(found.tasks, 'task')}"
    if found.p is None or found.p_holm is None:
        return (
            f"{told}; a difference of these calls as they were made ({found.reason}: no p), which does "
            "not identify its cause"
        )
    rejected = "rejected" if found.p_holm <= LEVEL else "not rejected"
    return (
        f"{told}; adjusted p {bare_p(found.p_holm)} ({found.reason}): schedule-wide sharp null {rejected}; "
        "it does not identify the factor unless serving was stable and carry-over absent"
    )
