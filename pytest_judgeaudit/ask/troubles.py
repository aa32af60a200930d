"""What went wrong with one try, whether it may be repeated, and how a person is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from pytest_judgeaudit.ask.wire.shapes import failure
from pytest_judgeaudit.records.answers import AttemptOutcome

LONGEST_WAIT_S = 300.0
"""A service that asks to be left alone for longer is not asked again in this run."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0
_STALL = 1.5

_ADVICE: Mapping[int, str] = {
    400: "Check model and decoder.",
    401: "Check api_key_env and the key it names.",
    403: "Check api_key_env and the key it names.",
    404: "Check base_url and model.",
    405: "Check base_url.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """
    Why one try brought no answer.

    ``transient`` troubles may be repeated: faults of the transport, 429 and 5xx. Nothing that a model
    said, and no request whose fate is unknown after a time-out, is one. ``wait_s`` is what the service
    asked for.
    """

    outcome: AttemptOutcome
    what: str
    detail: str
    status: int | None = None
    transient: bool = False
    wait_s: float | None = None
    advice: str = ""

    def line(self, *, name: str, host: str, tries: int) -> str:
        """Say it in one line, with the judge's name, the host and the number of tries."""
        after = f" after {tries} attempts" if tries > 1 else ""
        return f"{name}: {self.what} from {host}{after}: {self.detail}. {self.advice}".rstrip()


def of_status(status: int, detail: str, *, retry_after: str | None, now: float) -> Trouble:
    """Read a status that is no success; ``now`` is in seconds since the epoch."""
    transient = status == 429 or status >= 500
    wait = seconds_of(retry_after, now=now) if transient else None
    if wait is not None and wait > LONGEST_WAIT_S:
        detail = f"{detail}, to be asked again in {wait:.0f} s"
    return Trouble(
        outcome="refused" if status >= 400 else "unreadable",
        what=f"HTTP {status}",
        detail=detail,
        status=status,
        transient=transient,
        wait_s=wait,
        advice=_ADVICE.get(status, "Redirects are not followed: check base_url." if status < 400 else ""),
    )


def of_timeout(*, limit_s: float, elapsed_s: float, connecting: bool, load: float | None = None) -> Trouble:
    """
    Tell a time-out from a machine that slept: a timer that fires far beyond its limit measured nothing.

    Only a time-out while connecting may be repeated: nothing had been sent. ``load`` is that of this
    machine, per processor.
    """
    if elapsed_s > _STALL * limit_s:
        return Trouble(
            outcome="host_stalled",
            what="no answer",
            detail=f"this machine stalled, a limit of {limit_s:g} s ended after {elapsed_s:.0f} s"
            + (f" (load {load:g} a processor)" if load is not None else ""),
            advice="Ask again with --judge-live.",
        )
    if connecting:
        return Trouble(outcome="failed", what="no connection", detail="timed out", transient=True)
    return Trouble(
        outcome="timeout",
        what="no answer",
        detail=f"timed out after {limit_s:g} s",
        advice="Raise limits.timeout, or ask again with --judge-live.",
    )


def pause_after(trouble: Trouble, *, tries: int, attempts: int, chance: float) -> float | None:
    """
    Return the seconds to wait before the next try, or None when there must be none.

    Doubling from half a second to half a minute, of which up to a half is left to ``chance`` (in [0, 1));
    what the service asks for is waited in full, with a little more so that not all come back at once.
    """
    if not trouble.transient or tries >= attempts:
        return None
    if trouble.wait_s is not None:
        return trouble.wait_s + 0.25 * chance if trouble.wait_s <= LONGEST_WAIT_S else None
    # The exponent is bounded so that many attempts do not overflow a float.
    return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(tries - 1, 16)) * (0.5 + 0.5 * chance)


def seconds_of(retry_after: str | None, *, now: float) -> float | None:
    """
    Read a Retry-After header: seconds, or an HTTP date; None where it is absent or neither.

    >>> [seconds_of(text, now=10.0) for text in ("2", "Thu, 01 Jan 1970 00:01:00 GMT", "soon")]
    [2.0, 50.0, None]
    """
    if retry_after is None:
        return None
    text = retry_after.strip()
    if text.replace(".", "", 1).isdecimal() and text.isascii():
        return float(text[:12])
    try:
        date = parsedate_to_datetime(text)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def said(body: bytes) -> str:
    """
    Return what the body of a refusal says: its error message, else the text itself.

    >>> said(b'{"error": {"message": "no such model"}}'), said(b"Bad Gateway")
    ('no such model', 'Bad Gateway')
    """
    text = body.decode("utf-8", "replace")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return text
    message = failure(content) if isinstance(content, dict) else None
    return text if message is None else message
