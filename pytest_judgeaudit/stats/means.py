"""Three means of scores that several judges give to answers, and what tells them apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from math import fsum
from typing import NamedTuple, TypeVar

from pytest_judgeaudit.stats._checks import check_finite

K = TypeVar("K", bound=Hashable)


class Scored(NamedTuple):
    """One valid judgement: the question, the judge, the replicate of the answer, and the score."""

    question: str
    judge: str
    replicate: int
    value: float


class Means(NamedTuple):
    """Three means of the same judgements; equal where every judge scored every answer."""

    question_balanced: float
    pooled: float
    judge_balanced: float


def three_means(scores: Iterable[Scored]) -> Means:
    """
    Average judgements over questions, over judgements and over judges.

    Question-balanced: per answer the mean over its judges, per question over its answers, then over
    questions: a lost judgement moves its own question only, and no question counts for less. Pooled: over
    all judgements. Judge-balanced: over judges, of each one's mean. Only valid judgements may enter; they
    are taken as given, so that losses which depend on the score bias all three.

    Raises ValueError without any score, and for a score that is not a finite number.

    >>> three_means([Scored("a", "x", 1, 10), Scored("a", "y", 1, 20), Scored("b", "x", 1, 40)])
    Means(question_balanced=27.5, pooled=23.333333333333332, judge_balanced=22.5)
    """
    given = list(scores)
    if not given:
        raise ValueError("scores must hold at least one judgement, got none")
    for one in given:
        check_finite("a score", one.value)
    answers = _grouped(given, lambda one: (one.question, one.replicate))
    questions: dict[str, list[float]] = defaultdict(list)
    for (question, _), values in answers.items():
        questions[question].append(_mean(values))
    return Means(
        question_balanced=_mean([_mean(values) for values in questions.values()]),
        pooled=_mean([one.value for one in given]),
        judge_balanced=_mean([_mean(values) for values in _grouped(given, lambda one: one.judge).values()]),
    )


def _grouped(scores: Iterable[Scored], key: Callable[[Scored], K]) -> dict[K, list[float]]:
    groups: dict[K, list[float]] = defaultdict(list)
    for one in scores:
        groups[key(one)].append(one.value)
    return groups


def _mean(values: list[float]) -> float:
    return fsum(values) / len(values)
