"""
LLM evals as pytest tests, gated on confidence bounds, with the judges audited first.

The names below are the nouns that an eval meets. They are loaded when they are asked for: a plug-in that is
not used costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_judgeaudit.records.agents import Answer
    from pytest_judgeaudit.records.grades import Grade
    from pytest_judgeaudit.records.items import Pair
    from pytest_judgeaudit.records.labelled import LabelledAnswer
    from pytest_judgeaudit.records.questions import Question
    from pytest_judgeaudit.records.scores import RubricScore
    from pytest_judgeaudit.records.verdicts import Acceptance, Verdict

__all__ = ["Acceptance", "Answer", "Grade", "LabelledAnswer", "Pair", "Question", "RubricScore", "Verdict"]

_HOMES = {
    "Acceptance": "pytest_judgeaudit.records.verdicts",
    "Answer": "pytest_judgeaudit.records.agents",
    "Grade": "pytest_judgeaudit.records.grades",
    "LabelledAnswer": "pytest_judgeaudit.records.labelled",
    "Pair": "pytest_judgeaudit.records.items",
    "Question": "pytest_judgeaudit.records.questions",
    "RubricScore": "pytest_judgeaudit.records.scores",
    "Verdict": "pytest_judgeaudit.records.verdicts",
}


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
