"""How far families of judges are apart on the same answers, blind and sighted (METHODS 4, RULES R26)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import NamedTuple

from pytest_judgeaudit.audit.rubrics import (
    MEASURES,
    condition_of,
    is_scored,
    measure,
    question_of,
    valid_scores,
)
from pytest_judgeaudit.records.floors import Noise, Spread
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.stats.designs import share_of

STEEP = 2.0
"""How many times the sighted spread a blind one must be to be flagged (RULES R26: ours)."""


def spreads(rows: Iterable[GradedRow], *, families: Mapping[str, str], noise: Noise) -> tuple[Spread, ...]:
    """
    Return the signed spread of every two families, for each eval, corpus, agent and condition.

    On answers that both families scored: per answer the mean of the one's judges minus that of the
    other's, averaged over answers and then over questions. The families' order is that of ``families``.
    """
    groups: dict[tuple[str, str, str, str], list[GradedRow]] = defaultdict(list)
    for row in rows:
        if is_scored(row):
            groups[row.eval, row.corpus, row.agent, condition_of(row.arm).name].append(row)
    pairs = list(combinations(dict.fromkeys(families.values()), 2))
    return tuple(
        found
        for place, group in groups.items()
        for pair in pairs
        if (found := _spread(place, group, pair, families, noise)) is not None
    )


def _spread(
    place: tuple[str, str, str, str],
    rows: Sequence[GradedRow],
    pair: tuple[str, str],
    families: Mapping[str, str],
    noise: Noise,
) -> Spread | None:
    by_view: dict[str, list[GradedRow]] = {"blind": [], "sighted": []}
    for row in rows:
        by_view["blind" if condition_of(row.arm).view == "blind" else "sighted"].append(row)
    apart = {view: _apart(group, pair, families) for view, group in by_view.items()}
    if not any(apart.values()):
        return None
    means = {view: _means(found) for view, found in apart.items()}
    blind, sighted = means["blind"], means["sighted"]
    eval_, corpus, agent, condition = place
    return Spread(
        eval=eval_,
        corpus=corpus,
        agent=agent,
        condition=condition,
        minuend=pair[0],
        subtrahend=pair[1],
        answers={view: sum(map(len, found.values())) for view, found in apart.items()},
        blind=blind,
        sighted=sighted,
        ratio={
            of: share_of(abs(blind[of]), abs(sighted[of]))
            for of in MEASURES
            if of in blind and of in sighted
        },
        under_determined={of: _flag(blind.get(of), sighted.get(of), noise.floor(of)) for of in MEASURES},
    )


def _apart(
    rows: Sequence[GradedRow], pair: tuple[str, str], families: Mapping[str, str]
) -> Mapping[str, list[Mapping[str, float]]]:
    """Return, by question, the differences between the families of every answer that both scored."""
    found: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for row in rows:
        sides = [
            [score for judge, score in valid_scores(row).items() if families.get(judge, judge) == family]
            for family in pair
        ]
        if all(sides):
            found[question_of(row)].append(
                {
                    of: _mean([measure(score, of) for score in sides[0]])
                    - _mean([measure(score, of) for score in sides[1]])
                    for of in MEASURES
                }
            )
    return found


def _means(found: Mapping[str, Sequence[Mapping[str, float]]]) -> Mapping[str, float]:
    if not found:
        return {}
    return {of: _mean([_mean([one[of] for one in group]) for group in found.values()]) for of in MEASURES}


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _flag(blind: float | None, sighted: float | None, floor: float | None) -> bool | None:
    if blind is None or sighted is None or floor is None:
        return None
    return abs(blind) > floor and abs(blind) > STEEP * abs(sighted)


class Pattern(NamedTuple):
    """
    The signed spreads of two families over several runs: the lowest and the highest of each view.

    ``blind`` and ``sighted`` are in points. ``constant`` tells whether all runs have one sign blind, and
    ``crossed`` whether beside that all have the other one sighted.
    """

    minuend: str
    subtrahend: str
    dimension: str
    runs: int
    blind: tuple[float, float]
    sighted: tuple[float, float]
    constant: bool
    crossed: bool


def patterns(found: Iterable[Spread], dimension: str) -> Iterator[Pattern]:
    """Yield, for every two families, the pattern of a dimension over the runs that measured both views."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for one in found:
        if dimension in one.blind and dimension in one.sighted:
            groups[one.minuend, one.subtrahend].append((one.blind[dimension], one.sighted[dimension]))
    for (minuend, subtrahend), pairs in groups.items():
        blind, sighted = zip(*pairs, strict=True)
        signs = {_sign(value) for value in blind}
        constant = len(signs) == 1 and 0 not in signs
        crossed = constant and {-_sign(value) for value in sighted} == signs
        yield Pattern(
            minuend=minuend,
            subtrahend=subtrahend,
            dimension=dimension,
            runs=len(pairs),
            blind=(min(blind), max(blind)),
            sighted=(min(sighted), max(sighted)),
            constant=constant,
            crossed=crossed,
        )


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
