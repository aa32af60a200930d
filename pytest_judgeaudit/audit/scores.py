"""Scores of repeated answers: what is distinct, and where a median says nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from pytest_judgeaudit.records.grades import GradedRow

K = TypeVar("K")

REPEATED = 3
"""The fewest scores of which two distinct values are a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """
    The scores of one question in one cell.

    ``counts`` maps each distinct score to its number. ``median`` is None where there are two values only:
    it would be the one that came up once more. ``void`` counts the answers without a score.
    """

    n: int
    void: int
    mean: float | None
    median: float | None
    counts: Mapping[float, int]

    @property
    def bimodal(self) -> bool:
        """Whether three answers or more have two values between them."""
        return self.n >= REPEATED and len(self.counts) == 2


def summary(scores: Iterable[float | None]) -> Summary:
    """
    Summarise scores; None is void, and never a zero.

    >>> found = summary([1.0, 0.82, 1.0, None])
    >>> found.bimodal, found.median, found.void, dict(found.counts)
    (True, None, 1, {0.82: 1, 1.0: 2})
    """
    given = list(scores)
    known = sorted(score for score in given if score is not None)
    counts = Counter(known)
    two_valued = len(known) >= REPEATED and len(counts) == 2
    return Summary(
        n=len(known),
        void=len(given) - len(known),
        mean=sum(known) / len(known) if known else None,
        median=median(known) if known and not two_valued else None,
        counts=dict(counts),
    )


Cell = tuple[str, str, str]
"""Eval, agent and arm."""


def cell_of(row: GradedRow) -> Cell:
    """Return the cell of a row."""
    return row.eval, row.agent, row.arm


def cell_name(cell: Cell) -> str:
    """Word a cell for a finding."""
    return " ".join(part for part in cell if part)


def by_cell(rows: Iterable[GradedRow]) -> Mapping[Cell, Sequence[GradedRow]]:
    """Group rows by eval, agent and arm, in their order."""
    return _grouped((cell_of(row), row) for row in rows)


def by_question(rows: Iterable[GradedRow]) -> Mapping[str, Sequence[GradedRow]]:
    """Group rows by eval and question, in their order."""
    return _grouped((f"{row.eval} {row.question.id}".strip(), row) for row in rows)


def _grouped(pairs: Iterable[tuple[K, GradedRow]]) -> dict[K, list[GradedRow]]:
    groups: dict[K, list[GradedRow]] = defaultdict(list)
    for key, row in pairs:
        groups[key].append(row)
    return groups
