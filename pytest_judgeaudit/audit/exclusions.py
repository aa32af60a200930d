"""Rows that are left out for a reason: retired questions, and cells that the configuration excludes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from pytest_judgeaudit.audit.claims import selected
from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.exclusions import Exclusion, LeftOut
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.plans import Finding

Group = tuple[str, str]
"""Eval and agent."""


def marked(rows: Iterable[GradedRow], exclusions: Sequence[Exclusion]) -> tuple[GradedRow, ...]:
    """Return the rows, each with the reason of the first exclusion that names it."""
    return tuple(replace(row, excluded=_why(row, exclusions)) for row in rows)


def _why(row: GradedRow, exclusions: Sequence[Exclusion]) -> str:
    return next((one.why for one in exclusions if selected([row], one.cell)), "")


def left_out(
    rows: Sequence[GradedRow], exclusions: Sequence[Exclusion], retired: Sequence[GradedRow]
) -> tuple[LeftOut, ...]:
    """
    Return what each exclusion and each retired question does to the mean score of an eval's agent.

    ``rows`` are marked; ``retired`` are the stored answers to retired questions, graded as they are. A mean
    is over graded rows, as published figures are.
    """
    found: list[LeftOut] = []
    groups: dict[Group, list[GradedRow]] = defaultdict(list)
    for row in rows:
        groups[row.eval, row.agent].append(row)
    for one in exclusions:
        what = ", ".join(f"{name} {value}" for name, value in one.cell.items())
        for group, own in groups.items():
            gone = selected(own, one.cell)
            if gone:
                found.append(_left_out(group, what, one.why, gone, own))
    questions: dict[tuple[Group, str], list[GradedRow]] = defaultdict(list)
    for row in retired:
        questions[(row.eval, row.agent), row.question.id].append(row)
    for (group, name), gone in questions.items():
        reason = gone[0].question.retired
        why = reason.why if reason else ""
        on = f", retired on {reason.on}" if reason and reason.on else ", retired"
        found.append(_left_out(group, f"question {name}{on}", why, gone, groups.get(group, [])))
    return tuple(found)


def _left_out(
    group: Group, what: str, why: str, gone: Sequence[GradedRow], rows: Sequence[GradedRow]
) -> LeftOut:
    counting = [row for row in rows if not row.excluded]
    scores = _scores(gone)
    return LeftOut(
        eval=group[0],
        agent=group[1],
        what=what,
        why=why,
        rows=len(scores),
        mean_with=_mean([*_scores(counting), *scores]),
        mean_without=_mean(_scores(counting)),
    )


def _scores(rows: Iterable[GradedRow]) -> list[float]:
    return [row.grade.score for row in rows if row.grade.score is not None]


def _mean(scores: Sequence[float]) -> float | None:
    return fmean(scores) if scores else None


def of_left_out(found: Iterable[LeftOut]) -> Iterator[Finding]:
    """Yield what is left out, with its reason and the figure with and without it."""
    for one in found:
        yield Finding(
            code="left-out",
            where=" ".join(filter(None, (one.eval, one.agent))),
            symptom=f"{one.what}: {one.why} ({counted(one.rows, 'graded answer')}; mean score "
            f"{_told(one.mean_with)} with, {_told(one.mean_without)} without)",
            check=f"whether the reason to leave out {one.what} would hold had the scores been better",
        )


def _told(mean: float | None) -> str:
    return "none" if mean is None else f"{mean:.3f}"
