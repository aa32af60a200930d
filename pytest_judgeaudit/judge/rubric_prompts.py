"""
What a judge of a rubric is shown: the question with its key, the answer, and what was found of its claims.

Two versions are built in. ``rubric/1`` has a band for an answer without any basis on every dimension.
``rubric-legacy/1`` defines its bands by being wrong alone, so that an answer about code that nobody could
see has no way down: the defect that the plausibility floor measures. Answer and report stand behind a
fence that neither can close; whatever moves in the key moves the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pytest_judgeaudit.judge.checklist_prompts import LONGEST_ANSWER
from pytest_judgeaudit.judge.fences import fence_around
from pytest_judgeaudit.judge.keys import key_sections, moved_since
from pytest_judgeaudit.judge.templates import RUBRIC, PromptTemplate, Template, load_template
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.requests import Message
from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore

DEFAULT = "rubric/1"
"""The rubric that is used where none is named."""

LONGEST_GROUNDING = 12000
"""Characters of a grounding report that a judge is shown; where it is cut, it says so."""

NO_GROUNDING = "No claims were checked."
NO_KEY = "This question has no key."

REPLY = (
    "Reply with one JSON object and nothing else: {"
    + ", ".join(f'"{name}": a number from 0 to {highest}' for name, highest in DIMENSIONS.items())
    + ', "label": "one of the labels"}.'
)
"""The form that :func:`pytest_judgeaudit.judge.rubric_replies.read_rubric` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricPrompt:
    """The messages for a judge, and whether the answer had to be cut."""

    messages: tuple[Message, ...]
    truncated: bool


def load_rubric(
    name: str, *, folder: Path, contributed: Mapping[str, PromptTemplate] | None = None
) -> Template:
    """
    Return a rubric by name and version, or that of a file of one's own, relative to ``folder``.

    ``contributed`` are templates of other plug-ins. Refused as
    :func:`pytest_judgeaudit.judge.templates.load_template` says.
    """
    return load_template(name, folder=folder, form=RUBRIC, contributed=contributed)


@cache
def _built_in(name: str) -> Template:
    return load_rubric(name, folder=Path())


def rubric_prompt(
    question: Question, answer: str, *, seed: int, version: str | Template = DEFAULT, grounding: str = ""
) -> RubricPrompt:
    """
    Return what a judge is asked about an answer.

    ``seed`` is the protocol's, for the fence; ``version`` a built-in rubric's name or a template of one's
    own; ``grounding`` what was found of the answer's claims, empty where nothing was checked. Refused: a
    version that is not built in.
    """
    template = version if isinstance(version, Template) else _built_in(version)
    shown, report = answer[:LONGEST_ANSWER], _report(grounding)
    key = "\n\n".join(key_sections(question)) or NO_KEY
    values = {
        "prompt": question.prompt,
        "key": key,
        "answer": shown,
        "grounding": report,
        "fence": fence_around(seed, question.prompt, shown, key, report),
        "reply": REPLY,
    }
    return RubricPrompt(messages=template.render(values), truncated=len(shown) < len(answer))


def _report(grounding: str) -> str:
    if len(grounding) > LONGEST_GROUNDING:
        return f"{grounding[:LONGEST_GROUNDING]}\n(The report is longer; the rest is not shown.)"
    return grounding.strip() or NO_GROUNDING


def is_scored(question: Question) -> bool:
    """Whether a rubric's judge is ever asked: not of retired questions, nor where abstaining is right."""
    return question.retired is None and not question.abstains


def rubric_standing(
    question: Question, answer: str, stored: RubricScore | None, *, judged_key: str | None
) -> RubricScore:
    """
    Return how a judge's score of an answer stands now, with its cause.

    ``stored`` is the score that was read from the stored reply, ``judged_key`` the digest of the key that
    it was given under. ``not applicable``: nobody asks a judge; an empty answer scores 0 without a call.
    ``stale``: the key moved, and the score is kept and counts in nothing. ``pending``: no score yet.
    """
    if not is_scored(question):
        why = (
            "is retired"
            if question.retired
            else "asks for what is not there, and is graded without a judge"
        )
        return RubricScore(state="not applicable", reason=f"the question {why}")
    if not answer.strip():
        return RubricScore(
            state="ok",
            accuracy=0.0,
            completeness=0.0,
            traceability=0.0,
            usefulness=0.0,
            label="No answer",
            reason="the answer is empty: no judge was asked",
        )
    if stored is None:
        return RubricScore(state="pending", reason="no judge has been asked yet")
    moved = moved_since(question, judged_key)
    return replace(stored, state="stale", reason=moved) if moved else stored
