"""Graded answers as entries of the report: never their text, which is in the snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_judgeaudit.records.grades import ChecklistVerdict, GradedRow
from pytest_judgeaudit.records.grounding import Grounding
from pytest_judgeaudit.records.scores import RubricScore

_WORST = ("stale", "pending", "invalid", "ok", "not applicable")
"""States of judges, that which says most first."""


def grade_entry(row: GradedRow, *, requested: Mapping[str, str]) -> dict[str, Any]:
    """
    Return a row as one entry of ``grades``, with the keys of DESIGN 5 and those of the nouns.

    ``requested`` names the model that each judge was to be.
    """
    grade = row.grade
    entry: dict[str, Any] = {
        **row.fields,
        "replicate": row.replicate,
        "state": _state(row),
        "reason": grade.reason,
        "score": grade.score,
        "per_fact": dict(grade.per_fact),
        "missing": list(grade.missing),
        "tool_calls": row.tool_calls,
        "judge": _judge(row, requested),
        "judges": {name: _score(score, requested.get(name)) for name, score in row.scores.items()},
        "findings": list(findings_of(row)),
    }
    if grade.forbidden_hit:
        entry["forbidden_hit"] = dict(grade.forbidden_hit)
    if grade.score_if_clean is not None:
        entry["score_if_clean"] = grade.score_if_clean
    if row.excluded:
        entry["excluded"] = row.excluded
    if row.grounding is not None:
        entry["grounding"] = _grounding(row.grounding)
    if row.exposed:
        entry["exposed"] = list(row.exposed)
    return entry


def _grounding(found: Grounding) -> dict[str, Any]:
    return {
        "counts": dict(found.counts),
        "claims": [
            {"sort": one.claim.sort, "text": one.claim.text, "state": one.state, "where": one.where}
            for one in found.claims
        ],
    }


def _state(row: GradedRow) -> str:
    if row.outcome != "ok":
        return row.outcome
    return "ok" if row.grade.state == "graded" else row.grade.state


def _judge(row: GradedRow, requested: Mapping[str, str]) -> dict[str, Any]:
    """Say how the judges' verdicts stand: the state that says most, and the score where one checked."""
    said: list[tuple[str, ChecklistVerdict | RubricScore]] = [*row.checks.items(), *row.scores.items()]
    state = next((name for name in _WORST if any(one.state == name for _, one in said)), "not asked")
    judge, told = next(((name, one) for name, one in said if one.state == state), ("", None))
    checked = [one.score for one in row.checks.values() if one.valid and one.score is not None]
    return {
        "state": state,
        "reason": told.reason if told else "",
        "score": checked[0] if len(checked) == 1 else None,
        "served": told.served if told else None,
        "requested": requested.get(judge),
    }


def _score(score: RubricScore, requested: str | None) -> dict[str, Any]:
    return {
        **(score.dimensions or {}),
        "total": score.total,
        "label": score.label,
        "refusal": score.refusal,
        "state": score.state,
        "reason": score.reason,
        "served": score.served,
        "requested": requested,
    }


def findings_of(row: GradedRow) -> Iterator[str]:
    """Yield what is to be said of one row in a word; findings about several rows stand elsewhere."""
    if row.grade.hallucinated:
        yield "hallucinated"
    yield from row.grade.contamination.hard
    yield from row.grade.contamination.soft
    if row.truncated:
        yield "truncated for the judge"
