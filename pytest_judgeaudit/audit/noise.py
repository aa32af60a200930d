"""The noise floor: what changes between replicates of one configuration (METHODS 4, RULES R24)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum
from statistics import variance

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.audit.rubrics import (
    MEASURES,
    Place,
    by_place,
    condition_of,
    judgements,
    mean_of,
    question_of,
)
from pytest_judgeaudit.records.floors import NOT_MEASURED, TOTAL, Figure, FloorRuns, MeanKind, Noise
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.stats.designs import share_of
from pytest_judgeaudit.stats.means import Scored
from pytest_judgeaudit.stats.noise import FEWEST_CELLS, exceeds_range, noise_range

Key = tuple[str, str]
"""Question and judge."""

Differences = dict[Place, dict[str, float]]
"""By cell, the later minus the earlier mean of each measure."""


def noise_floor(rows: Iterable[GradedRow], *, kind: MeanKind = "question-balanced") -> Noise:
    """
    Measure what two replicates of the same cells differ by.

    Cells are those of an eval, corpus, agent and arm. Both replicates of a cell are averaged over the same
    questions and judges. Of more than two replicates, every two are compared, and the largest range is the
    noise floor. Fewer than four replicated cells: not measured.
    """
    cells = {place: _replicates(group) for place, group in by_place(rows).items()}
    cells = {place: found for place, found in cells.items() if len(found) > 1}
    if not cells:
        return NOT_MEASURED
    apart: dict[tuple[int, int], Differences] = defaultdict(dict)
    changes: dict[str, list[float]] = defaultdict(list)
    for place, found in cells.items():
        for pair in combinations(sorted(found), 2):
            earlier, later = _matched(found[pair[0]], found[pair[1]])
            if earlier:
                apart[pair][place] = _differences(earlier, later, kind)
                _note_changes(changes, earlier, later)
    return _noise(apart, changes, _floor_runs(cells, kind))


def _replicates(rows: Sequence[GradedRow]) -> Mapping[int, Sequence[GradedRow]]:
    found: dict[int, list[GradedRow]] = defaultdict(list)
    for row in rows:
        found[row.replicate].append(row)
    return found


Measured = Mapping[str, Mapping[Key, float]]
"""By measure, then question and judge: the score."""


def _matched(first: Sequence[GradedRow], second: Sequence[GradedRow]) -> tuple[Measured, Measured]:
    """Return the judgements that both replicates have; empty where there are none."""
    sides = [
        {
            of: {(one.question, one.judge): one.value for one in judgements(rows, of, question=question_of)}
            for of in MEASURES
        }
        for rows in (first, second)
    ]
    both = sides[0][TOTAL].keys() & sides[1][TOTAL].keys()
    if not both:
        return {}, {}
    kept = [key for key in sides[0][TOTAL] if key in both]
    matched = [{of: {key: side[of][key] for key in kept} for of in MEASURES} for side in sides]
    return matched[0], matched[1]


def _differences(earlier: Measured, later: Measured, kind: MeanKind) -> dict[str, float]:
    return {of: _mean(later[of], kind) - _mean(earlier[of], kind) for of in MEASURES}


def _mean(values: Mapping[Key, float], kind: MeanKind) -> float:
    scores = [Scored(question, judge, 1, value) for (question, judge), value in values.items()]
    return mean_of(scores, kind) or 0.0


def _note_changes(changes: dict[str, list[float]], earlier: Measured, later: Measured) -> None:
    for of in MEASURES:
        changes[of] += [abs(later[of][key] - value) for key, value in earlier[of].items()]


def _noise(
    apart: Mapping[tuple[int, int], Differences],
    changes: Mapping[str, Sequence[float]],
    runs: tuple[FloorRuns, ...],
) -> Noise:
    cells = len({place for found in apart.values() for place in found})
    ranges = {of: _widest(apart, of) for of in MEASURES}
    pair_level = {of: fsum(values) / len(values) for of, values in changes.items()}
    total, level = ranges.pop(TOTAL), pair_level.pop(TOTAL, None)
    several = len(apart) > 1
    named = {
        f"{place} #{pair[1]} − #{pair[0]}" if several else str(place): one
        for pair, found in apart.items()
        for place, one in found.items()
    }
    measured = total is not None
    return Noise(
        state="measured" if measured else "not measured",
        cells=cells,
        total=total,
        by_dimension={of: value for of, value in ranges.items() if value is not None},
        pair_level=level,
        pair_level_by_dimension=pair_level,
        differences=named,
        chance=exceeds_range(cells) if measured else None,
        chance_interaction=exceeds_range(cells, width=2**0.5) if measured else None,
        floors=runs,
        reason=""
        if measured
        else f"{counted(cells, 'replicated cell')}, and {FEWEST_CELLS} are needed: one alone has a range "
        "of 0, which everything exceeds",
    )


def _widest(apart: Mapping[tuple[int, int], Differences], of: str) -> float | None:
    ranges = [noise_range([one[of] for one in found.values()]) for found in apart.values()]
    return max((found for found in ranges if found is not None), default=None)


def _floor_runs(
    cells: Mapping[Place, Mapping[int, Sequence[GradedRow]]], kind: MeanKind
) -> tuple[FloorRuns, ...]:
    """Return the blind cells that were replicated: the run-to-run variance of the floor itself."""
    found = []
    for place, replicates in cells.items():
        if condition_of(place.arm).view != "blind":
            continue
        means = {
            str(number): mean
            for number, rows in sorted(replicates.items())
            if (mean := mean_of(judgements(rows), kind)) is not None
        }
        if len(means) > 1:
            values = list(means.values())
            found.append(
                FloorRuns(
                    cell=str(place),
                    floors=means,
                    variance=variance(values),
                    range=max(values) - min(values),
                )
            )
    return tuple(found)


def figure(
    name: str,
    value: float | None,
    *,
    noise: Noise,
    of: str = TOTAL,
    by_dimension: Mapping[str, float] | None = None,
    reason: str = "",
) -> Figure:
    """Return a contrast in points beside the noise floor of what it is a contrast of."""
    floor = noise.floor(of)
    known = value is not None and floor is not None
    parts = by_dimension or {}
    return Figure(
        name=name,
        value=value,
        multiple=share_of(abs(value), floor) if value is not None and floor is not None else None,
        within_noise=abs(value or 0.0) <= (floor or 0.0) if known else None,
        by_dimension=parts,
        multiples={
            of: multiple
            for of, part in parts.items()
            if (own := noise.floor(of)) is not None and (multiple := share_of(abs(part), own)) is not None
        },
        reason=reason,
    )
