"""
Reading a rubric's score out of a judge's text.

The text is exactly one JSON object with the four dimensions and ``label``, white space around it allowed.
Fences, prose, further or repeated keys, numbers outside of their range: invalid, with a reason, and never a
zero. A refusal is an outcome of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_judgeaudit.corpora.found import found as shown
from pytest_judgeaudit.corpora.found import printable, quoted
from pytest_judgeaudit.judge.objects import WHITE, members_of
from pytest_judgeaudit.records.errors import nearest
from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore

LABEL = "label"
REFUSALS = frozenset({"refusal", "refused", "refuses"})
"""Labels that call the answer a refusal; case, white space and full stops around them do not count."""

LONGEST_LABEL = 60
"""Characters that are kept of a label."""

_KEYS = (*DIMENSIONS, LABEL)
_LONGEST = 2000  # characters of a text that can still be one score, written with escapes


def read_rubric(text: str, finish: str | None = None) -> RubricScore:
    """
    Read a judge's reply to a rubric.

    The state is ``ok`` with four scores in their ranges, or ``invalid`` with a reason in one line. A label
    of :data:`REFUSALS` makes it a refusal. A finish reason ``length`` is invalid even if the text parses.

    >>> read_rubric('{"accuracy": 24, "completeness": 20, "traceability": 18, "usefulness": 15, '
    ...             '"label": "Good"}').total
    77.0
    >>> read_rubric('{"accuracy": 45}').reason
    'completeness, traceability, usefulness and label are missing'
    """
    if finish == "length":
        return _invalid("the output was cut off: finish reason length", text)
    body = text.strip(WHITE)
    if not body:
        return _invalid("the output is empty", text)
    members = members_of(body, noun="score", longest=_LONGEST)
    if isinstance(members, str):
        return _invalid(members, text)
    said = dict(members)
    fault = _keys(said) or next(filter(None, (_number(name, said[name]) for name in DIMENSIONS)), "")
    fault = fault or _label(said[LABEL])
    if fault:
        return _invalid(fault, text)
    word = said[LABEL].strip()
    return RubricScore(
        state="ok",
        accuracy=float(said["accuracy"]),
        completeness=float(said["completeness"]),
        traceability=float(said["traceability"]),
        usefulness=float(said["usefulness"]),
        label=printable(word, clip=LONGEST_LABEL),
        refusal=word.strip(" .!").casefold() in REFUSALS,
        raw=text,
    )


def _invalid(reason: str, text: str) -> RubricScore:
    return RubricScore(state="invalid", reason=reason, raw=text)


def _keys(said: Mapping[str, Any]) -> str:
    """Say which keys are too many or not there; empty where they are the five."""
    strange = next((name for name in said if name not in _KEYS), None)
    if strange is not None:
        return f"unknown key {quoted(strange)}; there are {', '.join(_KEYS)}.{nearest(strange[:60], _KEYS)}"
    missing = [name for name in _KEYS if name not in said]
    if not missing:
        return ""
    listed = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
    return f"{listed} {'is' if len(missing) == 1 else 'are'} missing"


def _number(name: str, value: object) -> str:
    """Say why this is no score of a dimension; empty where it is one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        found = "an object" if isinstance(value, tuple) else shown(value)
        return f"{name} must be a number, found {found}"
    if not 0 <= value <= DIMENSIONS[name]:  # also what is not a number
        return f"{name} must lie between 0 and {DIMENSIONS[name]}, found {shown(value)}"
    return ""


def _label(value: object) -> str:
    """Say why this is no label; empty where it is one."""
    if isinstance(value, str):
        return "" if value.strip() else "label must be a word, found an empty text"
    return f"label must be a text, found {'an object' if isinstance(value, tuple) else shown(value)}"
