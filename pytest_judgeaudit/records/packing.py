"""Graded answers as plain JSON values, as they travel from the process that graded to the controller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from pytest_judgeaudit.records.grades import ChecklistVerdict, Contamination, Grade
from pytest_judgeaudit.records.grounding import AnswerClaim, GroundedClaim, Grounding
from pytest_judgeaudit.records.questions import Evidence, Fact, FactMatcher, Match, Question, Retirement
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.records.verdicts import Usage

Noun = TypeVar("Noun")

_NESTED: Mapping[str, type[Any]] = {
    "contamination": Contamination,
    "usage": Usage,
    "claim": AnswerClaim,
    "grounding": Grounding,
    "match": Match,
    "retired": Retirement,
}
_LISTED: Mapping[str, type[Any]] = {
    "facts": Fact,
    "forbidden": Fact,
    "evidence": Evidence,
    "claims": GroundedClaim,
}
_PACKED = (
    AnswerClaim,
    ChecklistVerdict,
    Contamination,
    Evidence,
    Fact,
    Grade,
    GroundedClaim,
    Grounding,
    Match,
    Question,
    Retirement,
    RubricScore,
    Usage,
)


def packed(noun: Any) -> Any:
    """Write a noun as plain values; fields with their default, and functions of plug-ins, are left out."""
    if isinstance(noun, _PACKED):
        return {
            field.name: packed(value)
            for field in fields(noun)
            if not _is_default(field, value := getattr(noun, field.name))
            and not isinstance(value, FactMatcher)
        }
    if isinstance(noun, Mapping):
        return {str(key): packed(value) for key, value in noun.items()}
    if isinstance(noun, (list, tuple)):
        return [packed(value) for value in noun]
    return noun


def _is_default(field: Any, value: Any) -> bool:
    if field.default is not MISSING:
        return bool(value == field.default)
    return field.default_factory is not MISSING and value == field.default_factory()


def unpacked(kind: type[Noun], raw: Mapping[str, Any]) -> Noun:
    """Read what :func:`packed` wrote of a noun of this kind."""
    return kind(**{name: _value(name, value) for name, value in raw.items()})


def _value(name: str, value: Any) -> Any:
    if name in _NESTED and isinstance(value, Mapping):
        return unpacked(_NESTED[name], value)
    if name in _LISTED and isinstance(value, list):
        return tuple(unpacked(_LISTED[name], one) for one in value)
    return tuple(value) if isinstance(value, list) else value
