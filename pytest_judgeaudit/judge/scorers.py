"""
Judges of a rubric that ship with the package, each with a known behaviour, and none of them a call.

``constant-score`` says the same of every answer; ``prose`` pays for length and fluency, so that its floor
is high; ``evidence`` pays for what the key and the grounding report bear out, so that its floor is low.
Each writes a text, which is read back like a model's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from pytest_judgeaudit.grade.grading import grade
from pytest_judgeaudit.grade.states import refused
from pytest_judgeaudit.judge.rubric_replies import read_rubric
from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore

Scorer = Callable[[Question, str, str], str]
"""From question, answer and grounding report to what the judge writes."""

FEW_CLAIMS = 4
"""Below so many checked claims a share of them says next to nothing (METHODS 4)."""

_LONG = 120  # words from which on more of them earn nothing
_CLAIM = re.compile(
    r"^[ \t]{0,8}(?:(?:[-*•]|\d{1,4}[.)])[ \t]{0,8})?(SUPPORTED|PARTIALLY_SUPPORTED|UNSUPPORTED"
    r"|UNABLE_TO_VERIFY)\b",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_END = re.compile(r"[.!?]+")
_CONNECTIVES = re.compile(
    r"\b(?:also|although|and|because|before|but|finally|first|hence|however|since|so|then|therefore|thus|when"
    r"|where|which|while)\b"
)


def _written(shares: Mapping[str, float], label: str) -> str:
    scores = {name: round(DIMENSIONS[name] * share, 1) for name, share in shares.items()}
    return json.dumps({**scores, "label": label})


def constant(_question: Question, _answer: str, _grounding: str) -> str:
    """Write 70 of 100, whatever the answer."""
    return _written(dict.fromkeys(DIMENSIONS, 0.7), "Good")


def prose(_question: Question, answer: str, _grounding: str) -> str:
    """
    Pay for length and fluency on every dimension, and look at nothing else.

    Length: the words, up to 120. Fluency: how many sentences have 6 to 40 words, and how many a word that
    ties them to others. Half and half.
    """
    words = _WORD.findall(answer.lower())
    *whole, _ = _END.split(answer.lower())
    flowing = [6 <= len(_WORD.findall(sentence)) <= 40 for sentence in whole]
    tied = [_CONNECTIVES.search(sentence) is not None for sentence in whole]
    fluency = (sum(flowing) + sum(tied)) / (2 * len(whole)) if whole else 0.0
    share = min(1.0, len(words) / _LONG) / 2 + fluency / 2
    return _written(dict.fromkeys(DIMENSIONS, share), _word(share))


def evidence(question: Question, answer: str, grounding: str) -> str:
    """
    Pay for claims that stand in the grounding report, and for what the key asks for.

    Accuracy and traceability: supported claims, a half for partial support, over the claims that could be
    checked, of which there must be four for the whole; without a report the key's score. Completeness: the
    key's score. Usefulness: the lower of the two.
    """
    if refused(answer):
        return _written(dict.fromkeys(DIMENSIONS, 0.0), "Refusal")
    found = grade(question, answer, tools=False)
    keyed = min(1.0, found.score or 0.0)
    states = Counter(match[1] for match in _CLAIM.finditer(grounding))
    checked = states["SUPPORTED"] + states["PARTIALLY_SUPPORTED"] + states["UNSUPPORTED"]
    borne = (states["SUPPORTED"] + states["PARTIALLY_SUPPORTED"] / 2) / max(checked, FEW_CLAIMS)
    share = borne if states else keyed
    shares = {
        "accuracy": share,
        "completeness": keyed,
        "traceability": share,
        "usefulness": min(share, keyed),
    }
    return _written(shares, _word((share + keyed) / 2))


def _word(share: float) -> str:
    labels = ("Poor", "Weak", "Adequate", "Good", "Excellent")
    return "No basis" if share == 0 else labels[min(4, int(share * 5))]


SCORERS: Mapping[str, Scorer] = {"constant-score": constant, "prose": prose, "evidence": evidence}
"""The model's name in the configuration → what it writes about an answer."""


def score_embedded(model: str, question: Question, answer: str, grounding: str = "") -> RubricScore:
    """
    Return what an embedded judge says of an answer; nothing is asked, and the same is said on every replay.

    ``grounding`` is the text of the report on the answer's claims, a line a claim that begins with its
    state, or empty. What is served is what was requested. Refused: a model that scores no answers.
    """
    if model not in SCORERS:
        raise Refused(
            f'no embedded judge called "{model}" scores answers; there are {", ".join(SCORERS)}.'
            f"{nearest(model, SCORERS)}"
        )
    return replace(read_rubric(SCORERS[model](question, answer, grounding)), served=model)
