"""One line while a live run asks: how far it is, and when it will end."""

from __future__ import annotations

import time
from dataclasses import dataclass

from pytest_judgeaudit.audit.numbers import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """
    Where a live run stands.

    ``asked`` calls have ended, with an answer or without, of ``total`` that the run makes at most;
    ``in_flight`` have begun. ``tokens`` are those that the service stated, of answered calls. ``ends_at``
    is in seconds since the epoch, None while nothing is known of it.
    """

    asked: int
    total: int
    in_flight: int
    tokens: int
    ends_at: float | None = None


def progress_line(now: Progress) -> str:
    """
    Word where a live run stands.

    >>> progress_line(Progress(asked=120, total=1000, in_flight=16, tokens=12720))
    'judge audit: 120 of 1,000 asked, 16 in flight, 12,720 tokens'
    """
    end = "" if now.ends_at is None else time.strftime(", ends about %H:%M:%S", time.localtime(now.ends_at))
    return (
        f"judge audit: {now.asked:,} of {now.total:,} asked, {now.in_flight:,} in flight, "
        f"{counted(now.tokens, 'token')}{end}"
    )
