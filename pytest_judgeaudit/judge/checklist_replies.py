"""
Reading a checklist verdict out of a judge's text.

The reply is one JSON object ``{"per_fact": {id: true|false, …}, "score": x, "why": "…"}``. Prose and fences
may stand around it. Of several verdicts the one that decides most facts rules, then one that gives a
reason, then the last: an example or a remark is no verdict. Nothing is repaired; what is no verdict is
pending with its reason, and never a zero. Linear in the text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from pytest_judgeaudit.corpora.found import found as shown
from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.judge.objects import stopped_at
from pytest_judgeaudit.records.grades import ChecklistVerdict

LONGEST_WHY = 300
"""Characters that are kept of a judge's reason."""

_LONGEST = 200_000  # characters of a reply that can hold a verdict
_MOST_WORK = 20 * _LONGEST  # characters that are decoded in vain: broken objects inside of broken ones
_UNKNOWN_WORK = 10_000
_HUGE = 10**9


class _Candidate(NamedTuple):
    """A JSON object with a finite number as its score."""

    score: float
    per_fact: Mapping[str, bool]
    why: str


def read_checklist(
    text: str, finish: str | None = None, *, facts: Collection[str] = ()
) -> ChecklistVerdict:
    """
    Read a judge's reply to a checklist of the given fact ids.

    The state is ``ok`` with a score in [0, 1], or ``pending`` with a reason. A number that leaves the
    range by less than one (a bonus or a penalty of the judge's own) is cut to it, and kept in ``stated``;
    one further off is on another scale, and refused, like what is not finite. ``per_fact`` keeps the
    booleans of known facts; with no facts given, all.

    >>> read_checklist('Verdict: {"per_fact": {"f1": true}, "score": 1.15}', facts=["f1"]).score
    1.0
    >>> read_checklist('{"score": 85}').reason
    'the score 85 is on another scale; expected 0 to 1'
    """
    if finish == "length":
        return _pending("the output was cut off: finish reason length")
    if not text.strip():
        return _pending("the output is empty")
    if len(text) > _LONGEST:
        return _pending(f"the output has {len(text)} characters, more than a verdict")
    verdicts: list[_Candidate] = []
    reason = "the text holds no JSON object with a score"
    for value in _objects(text):
        read = _candidate(value, facts)
        if isinstance(read, _Candidate):
            verdicts.append(read)
        elif read:
            reason = read
    return _ruling(verdicts, facts) if verdicts else _pending(reason)


def _pending(reason: str) -> ChecklistVerdict:
    return ChecklistVerdict(state="pending", reason=reason)


def _ruling(verdicts: list[_Candidate], facts: Collection[str]) -> ChecklistVerdict:
    def rank(verdict: _Candidate) -> tuple[int, bool]:
        return sum(fact in verdict.per_fact for fact in facts), bool(verdict.why)

    best = max(map(rank, verdicts))
    ruling = [verdict for verdict in verdicts if rank(verdict) == best][-1]
    if not -1 < ruling.score < 2:
        return _pending(f"the score {ruling.score:.6g} is on another scale; expected 0 to 1")
    return ChecklistVerdict(
        state="ok",
        score=min(1.0, max(0.0, ruling.score)),
        stated=ruling.score,
        per_fact=ruling.per_fact,
        why=ruling.why,
    )


def _objects(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects of a text, in order; a broken one is searched for whole ones."""
    at, spent = text.find("{"), 0
    while at >= 0 and spent < _MOST_WORK:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            end, spent = at + 1, spent + stopped_at(error) - at + 1
        except (ValueError, RecursionError):  # a constant that is no JSON, thousands of digits or brackets
            end, spent = at + 1, spent + _UNKNOWN_WORK
        else:
            yield value
        at = text.find("{", end)


class _Twice(dict[str, Any]):
    """A JSON object in which a key stands twice: it says two things."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else _Twice(members)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)


def _candidate(value: Mapping[str, Any], facts: Collection[str]) -> _Candidate | str:
    """Return the verdict that an object is, or why it is none; empty for one without a score."""
    if "score" not in value:
        inner = next(iter(value.values())) if len(value) == 1 else None
        return _candidate(inner, facts) if isinstance(inner, dict) and "score" in inner else ""
    said = value.get("per_fact", {})
    if isinstance(value, _Twice) or isinstance(said, _Twice):
        return "a key of the verdict stands there twice"
    score = value["score"]
    if isinstance(score, bool) or not isinstance(score, int | float):
        return f"the score must be a number, found {shown(score)}"
    if (isinstance(score, int) and abs(score) > _HUGE) or not math.isfinite(score):
        return "the score is not a finite number of any scale"
    named = said.items() if isinstance(said, dict) else ()
    per_fact = {
        fact: told for fact, told in named if isinstance(told, bool) and (not facts or fact in facts)
    }
    why = value.get("why")
    return _Candidate(
        float(score), per_fact, printable(why, clip=LONGEST_WHY) if isinstance(why, str) else ""
    )
