"""Every trial with what was kept of it: what a page lists below its pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.trials import JudgeCall, Trial
from pytest_judgeaudit.report.text import safe

LONGEST = 4000
"""The most characters of one answer that a page shows."""

SHORTEST = 60
ROOM = 7_000_000
"""The most bytes that all answers of a page take together, unless each is cut to SHORTEST."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """
    One trial, and what is kept of its call.

    ``prompt`` is the digest of what the judge was shown of the task, whatever the order. ``reply`` is None
    where the answer was not stored: its judge answers in the process, or nothing came.
    """

    trial: Trial
    prompt: str = ""
    subset: str = ""
    reply: Reply | None = None


def rows(details: Sequence[Detail], cells: Mapping[str, int]) -> list[list[Any]]:
    """
    Return one row a trial, in the order of KEYS; ``cells`` numbers the cells. All text is safe to show.

    Long answers are cut, and say by how much.
    """
    texts = [detail.reply.text[:LONGEST] for detail in details if detail.reply]
    # A page is ASCII: what is not takes 6 bytes a character.
    total = sum(len(json.dumps(text)) - 2 for text in texts)
    shown = LONGEST if total <= ROOM else max(SHORTEST, ROOM * sum(map(len, texts)) // total // len(texts))
    return [_row(detail, cells.get(detail.trial.cell, -1), shown) for detail in details]


KEYS = (
    *("cell", "task", "order", "replicate", "subset", "winner", "outcome", "answer", "attempts"),
    *(
        "prompt_tokens",
        "completion_tokens",
        "asked_at",
        "prompt",
        "digest",
        "served",
        "reason",
        "text",
        "tries",
    ),
)
"""What the entries of a row of :func:`rows` are."""


def _row(detail: Detail, cell: int, shown: int) -> list[Any]:
    trial, reply = detail.trial, detail.reply
    values: dict[str, Any] = {
        "cell": cell,
        "task": safe(trial.task),
        "order": safe(trial.order),
        "replicate": trial.replicate,
        "subset": safe(detail.subset),
        "winner": trial.winner,
        "outcome": trial.outcome,
        "answer": trial.answer,
        "attempts": trial.attempts,
        "prompt_tokens": trial.prompt_tokens,
        "completion_tokens": trial.completion_tokens,
        "asked_at": trial.asked_at,
        "prompt": detail.prompt,
        "digest": trial.digest,
        "served": None if trial.served is None else safe(trial.served),
        "reason": None if trial.reason is None else safe(trial.reason),
        "text": None if reply is None else block(reply.text, shown=shown),
        "tries": [] if reply is None else [attempt_text(one) for one in reply.attempts],
    }
    return [values[key] for key in KEYS]


def block(text: str, *, shown: int = LONGEST) -> str:
    r"""
    Escape a text of several lines, and cut it with a note.

    >>> block("one\n\x1b[2Jtwo"), block("abcdef", shown=3)
    ('one\n\\x1b[2Jtwo', 'abc\n… and 3 more characters')
    """
    lines = text[:shown].replace("\r\n", "\n").split("\n")
    cut = "" if len(text) <= shown else f"\n… and {len(text) - shown:,} more characters"
    return "\n".join(safe(line.replace("\t", "    "), shown=shown) for line in lines) + cut


def attempt_text(attempt: Attempt) -> str:
    """Say what came of one try: outcome, status, seconds, tokens, error."""
    parts: list[str] = [attempt.outcome]
    parts += [f"status {attempt.status}"] if attempt.status is not None else []
    parts += [f"{attempt.ended - attempt.started:.1f} s"]
    if attempt.usage is not None and not attempt.usage.unknown_calls:
        parts.append(f"{attempt.usage.prompt:,} + {attempt.usage.completion:,} tokens")
    parts += [safe(attempt.error)] if attempt.error else []
    return ", ".join(parts)


class Call(NamedTuple):
    """One call with a time, in seconds since the epoch; tokens are None where the service stated none."""

    begins: float
    prompt: int | None
    completion: int | None


def asked(details: Iterable[Detail]) -> list[Call]:
    """Return the calls that have a time, of judges about answers too, earliest first."""
    calls: list[Trial | JudgeCall] = []
    for detail in details:
        calls += [detail.trial, *detail.trial.judged]
    timed = [
        Call(call.asked_at, call.prompt_tokens, call.completion_tokens)
        for call in calls
        if call.asked_at is not None
    ]
    return sorted(timed, key=lambda call: call.begins)
