"""Rubric scores by cell: which judgements count, what was lost, and the means of what is left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from pytest_judgeaudit.records.floors import TOTAL, CellMeans, Exclusions, MeanKind
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore
from pytest_judgeaudit.records.traces import VOID
from pytest_judgeaudit.stats.means import Scored, three_means

MEASURES = (TOTAL, *DIMENSIONS)
"""What is averaged: the total, and each dimension."""

LOST = ("invalid", "pending", "stale")
"""States of a judgement that was wanted and is no score."""


class Condition(NamedTuple):
    """What an arm is made of: "" for the corpus as it is, or ``renamed``, ``renamed@2``; and the view."""

    name: str
    view: str


def condition_of(arm: str) -> Condition:
    """
    Take an arm's name apart.

    >>> condition_of("blind"), condition_of("renamed-sighted@2")
    (Condition(name='', view='blind'), Condition(name='renamed@2', view='sighted'))
    """
    bare, _, seed = arm.partition("@")
    prefix, _, view = bare.rpartition("-")
    return Condition("@".join(filter(None, (prefix, "" if seed == "1" else seed))), view)


class Place(NamedTuple):
    """A cell of rubric scores."""

    eval: str
    corpus: str
    agent: str
    arm: str

    def __str__(self) -> str:
        return " ".join(part for part in self if part)


def place_of(row: GradedRow) -> Place:
    """Return the cell of a row."""
    return Place(row.eval, row.corpus, row.agent, row.arm)


def question_of(row: GradedRow) -> str:
    """Name a row's question within its eval."""
    return f"{row.eval} {row.question.id}"


def is_scored(row: GradedRow) -> bool:
    """Whether a rubric's judge was asked, or should have been."""
    return any(score.state != "not applicable" for score in row.scores.values())


def counts(row: GradedRow) -> bool:
    """Whether an answer counts: one that failed for a reason of the host's or the tools' does not."""
    return row.outcome not in VOID


def refuses(row: GradedRow, score: RubricScore) -> bool:
    """Whether a judgement is of a refusal: an outcome of its own, in no mean."""
    return score.state == "ok" and (score.refusal or row.outcome == "refusal")


def valid_scores(row: GradedRow, judges: Collection[str] | None = None) -> Mapping[str, RubricScore]:
    """Return a row's scores that enter means, by judge; of these judges alone where some are given."""
    if not counts(row):
        return {}
    return {
        judge: score
        for judge, score in row.scores.items()
        if (judges is None or judge in judges) and score.valid and not refuses(row, score)
    }


def measure(score: RubricScore, of: str) -> float:
    """Return the total or a dimension of a valid score."""
    value: float | None = score.total if of == TOTAL else getattr(score, of)
    return value or 0.0


def judgements(
    rows: Iterable[GradedRow],
    of: str = TOTAL,
    *,
    judges: Collection[str] | None = None,
    question: Callable[[GradedRow], str] = question_of,
) -> list[Scored]:
    """List the valid judgements of rows, as the statistics take them."""
    return [
        Scored(question(row), judge, row.replicate, measure(score, of))
        for row in rows
        for judge, score in valid_scores(row, judges).items()
    ]


def mean_of(scores: Sequence[Scored], kind: MeanKind = "question-balanced") -> float | None:
    """Return one of the three means; None without any score."""
    if not scores:
        return None
    found = three_means(scores)
    by_kind = {
        "question-balanced": found.question_balanced,
        "pooled": found.pooled,
        "judge-balanced": found.judge_balanced,
    }
    return by_kind[kind]


def all_means(
    rows: Sequence[GradedRow], *, judges: Collection[str] | None = None, kind: MeanKind
) -> Mapping[str, float]:
    """Return the mean of the total and of each dimension; empty without any valid score."""
    found = {of: mean_of(judgements(rows, of, judges=judges), kind) for of in MEASURES}
    return {of: value for of, value in found.items() if value is not None}


def judges_of(rows: Iterable[GradedRow]) -> tuple[str, ...]:
    """List the judges with a valid score, in the order in which they come."""
    return tuple(dict.fromkeys(judge for row in rows for judge in valid_scores(row)))


def lost(rows: Iterable[GradedRow]) -> Counter[str]:
    """Count, by judge, the judgements that were wanted and are no score; judges without one with 0."""
    found: Counter[str] = Counter()
    for row in filter(counts, rows):
        for judge, score in row.scores.items():
            if score.state != "not applicable":
                found[judge] += score.state in LOST
    return found


def refusals(rows: Iterable[GradedRow]) -> Counter[str]:
    """Count, by judge, the judgements that are of a refusal."""
    return Counter(
        judge for row in filter(counts, rows) for judge, score in row.scores.items() if refuses(row, score)
    )


def by_place(rows: Iterable[GradedRow]) -> Mapping[Place, Sequence[GradedRow]]:
    """Group the rows that a rubric's judge scored, or should have, by cell."""
    groups: dict[Place, list[GradedRow]] = defaultdict(list)
    for row in rows:
        if is_scored(row):
            groups[place_of(row)].append(row)
    return groups


def cell_means(rows: Iterable[GradedRow], *, kind: MeanKind) -> tuple[CellMeans, ...]:
    """Average every cell in the three ways, and count what is missing from it."""
    return tuple(_cell(place, group, kind) for place, group in by_place(rows).items())


def _cell(place: Place, rows: Sequence[GradedRow], kind: MeanKind) -> CellMeans:
    scores = judgements(rows)
    means = (
        {name.replace("_", "-"): value for name, value in three_means(scores)._asdict().items()}
        if scores
        else {}
    )
    shown = all_means(rows, kind=kind)
    return CellMeans(
        **place._asdict(),
        questions=len({one.question for one in scores}),
        answers=sum(map(counts, rows)),
        void=sum(not counts(row) for row in rows),
        judgements=dict(Counter(one.judge for one in scores)),
        excluded=dict(lost(rows)),
        refused=dict(refusals(rows)),
        means=means,
        by_dimension={of: value for of, value in shown.items() if of != TOTAL},
        span=max(means.values()) - min(means.values()) if means else None,
        direction=_direction(rows),
    )


def _direction(rows: Sequence[GradedRow]) -> str:
    """
    Say where a cell's losses push a mean over its judgements.

    Down where the judge that lost most scores higher than the others on the answers that it did score.
    """
    gone = lost(rows)
    most = max(gone, key=gone.__getitem__, default="")
    if len(gone) < 2 or len(set(gone.values())) < 2:
        return ""
    apart = []
    for row in rows:
        totals = {judge: measure(score, TOTAL) for judge, score in valid_scores(row).items()}
        own = totals.pop(most, None)
        if own is not None and totals:
            apart.append(own - fsum(totals.values()) / len(totals))
    difference = fsum(apart)
    return "down" if difference > 0 else "up" if difference < 0 else ""


def exclusions(rows: Iterable[GradedRow]) -> Exclusions | None:
    """Count what is no score over all cells; None where nothing was to be scored."""
    kept = [row for row in rows if is_scored(row)]
    if not kept:
        return None
    gone = lost(kept)
    wanted = sum(
        score.state != "not applicable" for row in filter(counts, kept) for score in row.scores.values()
    )
    least = min(gone.values(), default=0)
    return Exclusions(
        judgements=wanted,
        excluded=sum(gone.values()),
        by_judge=dict(gone),
        skew=max(gone.values()) / least if least else None,
    )
