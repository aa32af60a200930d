"""When nothing further is asked: a machine that stands still, a service out of reach, a key it refuses."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from pytest_judgeaudit.records.answers import Attempt

MOST = 3
"""Stalled calls in a row that end the asking."""

ADVICE = (
    f"the machine stood still in {MOST} calls in a row: nothing further is asked. Find what loads it or "
    "puts it to sleep, ask fewer at a time, and go on with --judge-live."
)


class Stalls:
    """Counts the stalled calls of this process in a row. Safe to use from several threads."""

    def __init__(self) -> None:
        self._row = 0
        self._lock = threading.Lock()

    def ended(self, attempts: Sequence[object]) -> str | None:
        """Take the attempts of a call that has ended; return why nothing may be asked, once it is so."""
        last = attempts[-1] if attempts else None
        stalled = isinstance(last, Attempt) and last.outcome == "host_stalled"
        with self._lock:
            self._row = self._row + 1 if stalled else 0
            return ADVICE if self._row >= MOST else None


SILENT = 5
"""Calls in a row without a connection that end the asking, if they took :data:`SILENCE_S` together."""

SILENCE_S = 20.0
"""Seconds for which a service must be out of reach: a restart of it may take as long."""


class Silence:
    """Counts the calls of each judge or agent in a row that found no service. Safe to use from threads."""

    def __init__(self) -> None:
        self._since: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    def ended(self, owner: str, attempts: Sequence[object]) -> str | None:
        """Take the attempts of a call that has ended; return why nothing may be asked, once it is so."""
        tries = [one for one in attempts if isinstance(one, Attempt)]
        silent = bool(tries) and all(one.outcome == "failed" and one.status is None for one in tries)
        with self._lock:
            if not silent:
                self._since.pop(owner, None)
                return None
            count, first = self._since.get(owner, (0, tries[0].started))
            self._since[owner] = count + 1, first
        if count + 1 < SILENT or tries[-1].ended - first < SILENCE_S:
            return None
        return (
            f"{owner}: no connection in {count + 1} calls in a row: nothing further is asked. Check that "
            "the service runs, and its address; --judge-probe tries it, --judge-live goes on from here."
        )


DENIED = 10
"""Calls in a row whose key a service refuses that end the asking, where it has answered none."""

_STATUSES = (401, 403)


class Denial:
    """
    Counts the calls of each judge or agent in a row whose key was refused. Safe to use from threads.

    One that was ever answered is asked on: its key is good, and 403 may be about a single request.
    """

    def __init__(self) -> None:
        self._row: dict[str, int] = {}
        self._admitted: set[str] = set()
        self._lock = threading.Lock()

    def ended(self, owner: str, attempts: Sequence[object]) -> str | None:
        """Take the attempts of a call that has ended; return why nothing may be asked, once it is so."""
        last = attempts[-1] if attempts else None
        if not isinstance(last, Attempt):
            return None
        denied = last.outcome != "answered" and last.status in _STATUSES
        with self._lock:
            if last.outcome == "answered":
                self._admitted.add(owner)
            count = self._row[owner] = self._row.get(owner, 0) + 1 if denied else 0
            if count < DENIED or owner in self._admitted:
                return None
        return (
            f"{owner}: HTTP {last.status} in {count} calls in a row: nothing further is asked. Check "
            "api_key_env and the key it names; --judge-probe tries it, --judge-live goes on from here."
        )
