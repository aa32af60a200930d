"""How many calls may begin a minute, counted for all local processes of a run in one small file."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from pytest_judgeaudit.records.errors import Refused

_POLL_S = 0.01


class Rate:
    """
    A token bucket of ``per_minute`` tokens, kept in ``file``; a token comes back every 60 / per_minute s.

    The file holds one number: when the bucket will be full again, on a clock that all processes share.
    """

    def __init__(
        self, file: Path, per_minute: int, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._file = file
        self._lock = FileLock(f"{file}.lock", thread_local=False)
        self._per_minute = per_minute
        self._monotonic = monotonic
        self._guard = threading.Lock()

    def reserve(self) -> float:
        """Take a token, perhaps one of the future, and return the seconds until it is there."""
        with self._guard:
            try:
                with self._lock.acquire(poll_interval=_POLL_S):
                    now = self._monotonic()
                    wait, full = take(self._read(now), now=now, per_minute=self._per_minute)
                    self._file.write_text(repr(full), encoding="ascii")
            except OSError as error:
                raise Refused(f"{self._file}: cannot be written: {error.strerror or error}") from None
        return wait

    def _read(self, now: float) -> float:
        try:
            return float(self._file.read_text(encoding="ascii"))
        except FileNotFoundError:
            return now
        except ValueError:
            # Torn by a process that died while it wrote: as if the bucket were empty.
            return now + 60.0


def take(full: float, *, now: float, per_minute: int) -> tuple[float, float]:
    """
    Take one token of a bucket that is full again at ``full``: the wait, and when it is full afterwards.

    The generic cell rate algorithm, ITU-T I.371 (2004), annex A, with a tolerance of the whole bucket.

    >>> [take(full, now=0.0, per_minute=2) for full in (0.0, 30.0, 60.0)]
    [(0.0, 30.0), (0.0, 60.0), (30.0, 90.0)]
    """
    interval = 60.0 / per_minute
    begin = max(full, now)
    return max(0.0, begin - now - (60.0 - interval)), begin + interval
