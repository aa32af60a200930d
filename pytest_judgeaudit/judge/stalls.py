"""A machine that stands still measures nobody: after three stalled calls in a row nothing is asked."""

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
