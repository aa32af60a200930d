"""Blind and sighted means of an agent by corpus, condition and genre: the cells that designs share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_judgeaudit.audit.rubrics import (
    MEASURES,
    condition_of,
    counts,
    judgements,
    mean_of,
    valid_scores,
)
from pytest_judgeaudit.records.floors import TOTAL, MeanKind
from pytest_judgeaudit.records.grades import GradedRow

Naming = Callable[[GradedRow], str]
"""How a question is known again in another arm."""


def by_eval(row: GradedRow) -> str:
    """Name a question by its eval and id."""
    return f"{row.eval} {row.question.id}"


def by_genre(row: GradedRow) -> str:
    """Name a question by its genre and id, where the arms are in different evals."""
    return f"{row.question.genre} {row.question.id}"


@dataclass(frozen=True)
class Arms:
    """All scored rows of one agent on one corpus, by condition and view."""

    corpus: str
    agent: str
    rows: Mapping[tuple[str, str], Sequence[GradedRow]]
    kind: MeanKind

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The renamed conditions that have blind scores, in the order of their names."""
        found = {name for name, view in self.rows if name and view == "blind"}
        return tuple(sorted(name for name in found if self.mean(name, "blind") is not None))

    @cached_property
    def genres(self) -> tuple[str, ...]:
        """The genres with blind scores of the corpus as it is, in the order in which they come."""
        rows = self.rows.get(("", "blind"), ())
        return tuple(
            dict.fromkeys(row.question.genre for row in rows if valid_scores(row) and row.question.genre)
        )

    @cached_property
    def exposed(self) -> bool:
        """Whether a blind answer is not verified to be blind."""
        blind = (row for (_, view), rows in self.rows.items() if view == "blind" for row in rows)
        return any(counts(row) and (row.exposed or row.tool_calls) for row in blind)

    def taken(
        self,
        condition: str,
        view: str,
        *,
        where: Callable[[GradedRow], bool] | None = None,
        shared: Collection[str] | None = None,
        naming: Naming = by_eval,
    ) -> list[GradedRow]:
        """List rows of an arm, of some questions alone where ``where`` or ``shared`` says so."""
        return [
            row
            for row in self.rows.get((condition, view), ())
            if (where is None or where(row)) and (shared is None or naming(row) in shared)
        ]

    def mean(
        self,
        condition: str,
        view: str,
        *,
        of: str = TOTAL,
        where: Callable[[GradedRow], bool] | None = None,
    ) -> float | None:
        """Return an arm's mean of a measure; None without a valid score."""
        return mean_of(judgements(self.taken(condition, view, where=where), of), self.kind)

    def profile(self, rows: Sequence[GradedRow], naming: Naming = by_eval) -> Mapping[str, float]:
        """Return the mean of every measure over rows; empty without a valid score."""
        found = {of: mean_of(judgements(rows, of, question=naming), self.kind) for of in MEASURES}
        return {of: value for of, value in found.items() if value is not None}

    def shared(self, condition: str, view: str) -> tuple[set[str], Naming]:
        """Return the questions scored both as it is and in a condition, and how they are named."""
        found: set[str] = set()
        for naming in (by_eval, by_genre):
            before, after = (
                {naming(row) for row in self.taken(name, view) if valid_scores(row)}
                for name in ("", condition)
            )
            if found := before & after:
                return found, naming
        return found, by_eval

    def compared(
        self, condition: str, view: str, *, where: Callable[[GradedRow], bool] | None = None
    ) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """Return an arm's means as it is and in a condition, over the questions that both scored."""
        shared, naming = self.shared(condition, view)
        before, after = (
            self.profile(self.taken(name, view, where=where, shared=shared, naming=naming), naming)
            for name in ("", condition)
        )
        return before, after


def arms(rows: Iterable[GradedRow], *, kind: MeanKind) -> Mapping[str, Sequence[Arms]]:
    """Group scored rows by agent, then corpus, with the corpus of the highest floor as it is first."""
    groups: dict[tuple[str, str], dict[tuple[str, str], list[GradedRow]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in rows:
        if valid_scores(row):
            condition, view = condition_of(row.arm)
            groups[row.agent, row.corpus][condition, "blind" if view == "blind" else "sighted"].append(row)
    found: dict[str, list[Arms]] = defaultdict(list)
    for (agent, corpus), views in groups.items():
        found[agent].append(Arms(corpus=corpus, agent=agent, rows=views, kind=kind))
    return {agent: sorted(of_agent, key=_height) for agent, of_agent in found.items()}


def _height(one: Arms) -> float:
    mean = one.mean("", "blind")
    return 1.0 if mean is None else -mean
