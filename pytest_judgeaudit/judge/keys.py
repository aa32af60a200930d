"""A question's key as judges are shown it: the same facts by which the deterministic grader works."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_judgeaudit.records.questions import Fact, Match, Question


def fact_sections(question: Question) -> list[str]:
    """Return required, optional and forbidden facts, each kind as a block of text under its heading."""
    sections = [
        ("REQUIRED facts:", [fact for fact in question.facts if fact.must]),
        ("OPTIONAL facts (a bonus, never owed):", [fact for fact in question.facts if not fact.must]),
        ("FORBIDDEN facts (the answer must not assert these):", question.forbidden),
    ]
    return [_section(heading, facts) for heading, facts in sections if facts]


def key_sections(question: Question) -> list[str]:
    """Return the whole key as blocks of text: rubric, ground truth, facts. What moves in it moves them."""
    found = [f"RUBRIC:\n{question.rubric}"] if question.rubric else []
    if question.gt:
        found.append("\n".join([f"EXPECTED ({question.grader}):", *(f"- {one}" for one in question.gt)]))
    return [*found, *fact_sections(question)]


def _section(heading: str, facts: Sequence[Fact]) -> str:
    return "\n".join([heading, *(f"- {fact.id}: {_worded(fact)}" for fact in facts)])


def _worded(fact: Fact) -> str:
    recognised = described(fact.match)
    return f"{fact.desc} [{recognised}]" if fact.desc else recognised


def described(match: Match) -> str:
    """
    Word a match for a person or a judge.

    >>> described(Match(type="near", values=("mast", "down"), within=40))
    'near, within 40 characters: mast | down'
    """
    how: list[str] = [match.type]
    if match.type == "near":
        how.append(f"within {match.within} characters")
    if match.flags is not None:
        how.append(f"flags {match.flags or 'none'}")
    if match.asserted is not None:
        how.append("asserted" if match.asserted else "anywhere")
    return f"{', '.join(how)}: {' | '.join(match.values)}"


def moved_since(question: Question, judged_key: str | None) -> str:
    """Say why a verdict given under a key is stale; empty where the key is still the question's."""
    if judged_key == question.key_digest():
        return ""
    return "which key it was given under is not known" if judged_key is None else "the key moved since"
