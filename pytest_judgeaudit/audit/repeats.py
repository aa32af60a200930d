"""How far two runs of the same questions are apart in their scores (METHODS 4, RULES R24)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from statistics import fmean

from pytest_judgeaudit.audit.scores import Cell, cell_of
from pytest_judgeaudit.records.grades import GradedRow

FEWEST_CELLS = 4
"""Replicated cells below which a range says nothing."""


def score_noise(rows: Iterable[GradedRow]) -> float | None:
    """
    Return the noise floor of deterministic scores, in [0, 1]; None where it was not measured.

    The range (largest − smallest) of the signed differences between the cell means of two replicates, over
    the questions that both have; of several pairs of replicates the widest. It needs four replicated cells.
    """
    scores: dict[Cell, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row.grade.score is not None:
            scores[cell_of(row)][row.replicate][row.question.id] = row.grade.score
    apart: dict[tuple[int, int], list[float]] = defaultdict(list)
    for runs in scores.values():
        for first, second in combinations(sorted(runs), 2):
            both = runs[first].keys() & runs[second].keys()
            if both:
                changes = [runs[second][name] - runs[first][name] for name in sorted(both)]
                apart[first, second].append(fmean(changes))
    wide = [max(found) - min(found) for found in apart.values() if len(found) >= FEWEST_CELLS]
    return max(wide, default=None)
