"""What a call used, also where the service does not say: unknown is not 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.verdicts import Usage

_SENT = ("timeout", "unreadable", "host_stalled")
"""How tries end that a service may have worked on, and charge."""


def length(texts: Iterable[str]) -> int:
    """Return the tokens that texts are taken to have where nobody says: one for every four bytes."""
    return -(-sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) // 4)


def used_by(request: Request, reply: Reply | None, attempts: Sequence[Attempt]) -> tuple[Usage, bool]:
    """
    Return what a call used, and whether the service said so.

    Without a statement it is the length of messages and answer. Tries before it count what they state, and
    the length of the messages where they ended in a time-out or an unreadable body; a refusal is free.
    """
    sent = Usage(prompt=length(message.content for message in request.messages))
    total, known = Usage(), reply is not None and reply.usage is not None
    for attempt in attempts[: -1 if reply is not None else None]:
        total += attempt.usage or (sent if attempt.outcome in _SENT else Usage())
    if reply is not None:
        total += reply.usage or Usage(prompt=sent.prompt, completion=length([reply.text]))
    return total, known
