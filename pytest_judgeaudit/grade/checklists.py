"""The checklist: required facts, a small bonus for optional ones, nothing for a forbidden one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_judgeaudit.grade.matching import asserted, hit
from pytest_judgeaudit.records.grades import Grade
from pytest_judgeaudit.records.questions import Fact

BONUS = 0.15
"""What all optional facts together add (METHODS 5)."""


def points(required: Sequence[bool], optional: Sequence[bool]) -> tuple[float, float]:
    """
    Return base and bonus: the share of required facts, and 0.15 times that of optional ones.

    Without required facts the base is 0.

    >>> points([True, False], [True])
    (0.5, 0.15)
    """
    base = sum(required) / len(required) if required else 0.0
    return base, BONUS * sum(optional) / len(optional) if optional else 0.0


def score_of(facts: Sequence[Fact], found: Mapping[str, bool]) -> float:
    """Return the score that a boolean a fact makes: base plus bonus, at most 1."""
    base, bonus = points(*_split(facts, found))
    return min(1.0, base + bonus)


def _split(facts: Sequence[Fact], found: Mapping[str, bool]) -> tuple[list[bool], list[bool]]:
    required = [found[fact.id] for fact in facts if fact.must]
    return required, [found[fact.id] for fact in facts if not fact.must]


def checklist(text: str, facts: Sequence[Fact], *, forbidden: Sequence[Fact] = ()) -> Grade:
    """
    Grade an answer against a checklist.

    One asserted forbidden fact makes the score 0 and the answer ``hallucinated``. Raises SlowPattern
    where a pattern of the key does not finish: then there is no grade.
    """
    found = {fact.id: hit(text, fact.match) for fact in facts}
    base, bonus = points(*_split(facts, found))
    said = forbidden_hits(text, forbidden)
    return Grade(
        score=0.0 if said else min(1.0, base + bonus),
        reason="asserts what the key forbids" if said else "",
        base=base,
        bonus=bonus,
        per_fact=found,
        missing=tuple(fact.id for fact in facts if fact.must and not found[fact.id]),
        forbidden_hit=said,
        hallucinated=bool(said),
    )


def forbidden_hits(text: str, forbidden: Sequence[Fact]) -> dict[str, str]:
    """Map each forbidden fact that an answer asserts to the clause that asserts it."""
    clauses = ((fact.id, asserted(text, fact.match)) for fact in forbidden)
    return {name: clause for name, clause in clauses if clause is not None}
