"""One stored answer as one line of ASCII JSON, and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.store.traces import trace_json, trace_of

_TEXT_OR_NONE = (str, type(None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Journaled:
    """
    An answer's name and line (:func:`encode`) with the test module and the judge (or agent) it belongs to.

    ``at`` is when it was written down, in seconds since the epoch.
    """

    module: str
    judge: str
    name: str
    line: str
    at: float = 0.0

    @property
    def answer(self) -> StoredAnswer:
        """The answer itself, read from its line."""
        return decode(self.line)


def encode(answer: StoredAnswer) -> str:
    r"""
    Return the line of an answer: ASCII, one line, lone surrogates kept.

    >>> reply = Reply(text="\ud83d", finish="stop")
    >>> encode(StoredAnswer(name="n", fingerprint="f", parts={}, instrument="i", reply=reply))[66:82]
    '"text": "\\ud83d"'
    """
    reply = answer.reply
    line = {
        "name": answer.name,
        "fingerprint": answer.fingerprint,
        "parts": dict(answer.parts),
        "instrument": answer.instrument,
        "text": reply.text,
        "served": reply.served,
        "finish": reply.finish,
        "usage": _usage_json(reply.usage),
        "attempts": [_attempt_json(attempt) for attempt in reply.attempts],
        "extra": dict(reply.extra),
        **({"trace": trace_json(reply.trace)} if reply.trace is not None else {}),
    }
    try:
        return json.dumps(line, default=str, allow_nan=False)
    except ValueError:  # a service declared NaN, which is no JSON
        return json.dumps({**line, "extra": {"declared": str(reply.extra)}}, default=str)


def decode(line: str) -> StoredAnswer:
    """Read what :func:`encode` wrote, unknown keys left aside; Refused (without the place) otherwise."""
    try:
        found = load(line)
    except (ValueError, RecursionError):
        raise Refused("is no JSON: the line was cut or edited. Restore the file.") from None
    return answer_of(found)


def load(line: str | bytes) -> Any:
    """Parse a line; Refused where an object says one thing twice: the last would win in silence."""
    return _decode(line if isinstance(line, str) else line.decode("utf-8", "surrogatepass"))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise Refused(f"holds {json.dumps(twice)} twice: the line was edited. Restore the file.")
    return found


# Made once: with a hook, json.loads makes a decoder for each line, at twice the price of using it.
_decode = json.JSONDecoder(object_pairs_hook=_once).decode


def answer_of(found: Any) -> StoredAnswer:
    """Build the answer that a line's JSON holds; Refused (without the place) where it holds none."""
    try:
        _check_types(found)
        return StoredAnswer(
            name=found["name"],
            fingerprint=found["fingerprint"],
            parts=found["parts"],
            instrument=found["instrument"],
            reply=Reply(
                text=found["text"],
                served=found["served"],
                finish=found["finish"],
                usage=_usage(found["usage"]),
                attempts=tuple([_attempt(attempt) for attempt in found["attempts"]]),
                extra=found["extra"],
                trace=None if found.get("trace") is None else trace_of(found["trace"]),
            ),
        )
    except KeyError as error:
        raise Refused(f"is no stored answer: {error} is missing. Restore the file.") from None
    except (AttributeError, TypeError):
        raise Refused("is no stored answer: a value has the wrong type. Restore the file.") from None


def _check_types(found: Any) -> None:
    if not (
        isinstance(found["name"], str)
        and isinstance(found["fingerprint"], str)
        and isinstance(found["instrument"], str)
        and isinstance(found["text"], str)
        and isinstance(found["served"], _TEXT_OR_NONE)
        and isinstance(found["finish"], _TEXT_OR_NONE)
        and isinstance(found["parts"], dict)
        and isinstance(found["extra"], dict)
    ):
        raise TypeError


def _usage_json(usage: Usage | None) -> dict[str, int] | None:
    if usage is None:
        return None
    counts = {"prompt": usage.prompt, "completion": usage.completion}
    return {**counts, "unknown_calls": usage.unknown_calls} if usage.unknown_calls else counts


def _usage(found: Mapping[str, int] | None) -> Usage | None:
    if found is None:
        return None
    return Usage(
        prompt=found["prompt"] + 0,  # a TypeError unless it is a number
        completion=found["completion"] + 0,
        unknown_calls=found.get("unknown_calls", 0),
    )


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    return {
        "started": attempt.started,
        "ended": attempt.ended,
        "outcome": attempt.outcome,
        "status": attempt.status,
        "error": attempt.error,
        "usage": _usage_json(attempt.usage),
        **({"load": attempt.load} if attempt.load is not None else {}),
    }


def _attempt(found: Mapping[str, Any]) -> Attempt:
    return Attempt(
        started=found["started"] + 0.0,
        ended=found["ended"] + 0.0,
        outcome=found["outcome"],
        status=found.get("status"),
        error=found.get("error"),
        usage=_usage(found.get("usage")),
        load=found.get("load"),
    )


def recorded_at(answer: StoredAnswer) -> float:
    """When the answer arrived, in seconds since the epoch; 0 where no attempt says so."""
    return max((attempt.ended for attempt in answer.reply.attempts), default=0.0)


def same_answer(one: StoredAnswer, other: StoredAnswer) -> bool:
    """Whether two recordings say the same: text, served model and finish reason; timings may differ."""
    return (one.reply.text, one.reply.served, one.reply.finish) == (
        other.reply.text,
        other.reply.served,
        other.reply.finish,
    )
