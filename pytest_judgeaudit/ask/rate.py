"""How many calls may begin within a minute, counted for all local processes of a run in one small file."""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock

from pytest_judgeaudit.records.errors import Refused

WINDOW_S = 61.0
"""
A minute, and a second for the way: a call that leaves late arrives closer to the one that leaves a window
later, and it is arrivals that a service counts.
"""

_POLL_S = 0.01
_NUMBER = struct.Struct("<d")


class Rate:
    """
    At most ``per_minute`` calls begin within any window of :data:`WINDOW_S` seconds.

    ``file`` holds the number of calls so far and, for each of the last ``per_minute`` of them, until when
    it counts, on a clock that all processes share. Each call reads and writes two numbers, whatever the
    limit. The first ``per_minute`` calls pass at once; each further one when the call that many before it
    is a window old.
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
        """Take the next place, perhaps one of the future, and return the seconds until it is there."""
        with self._guard:
            try:
                with self._lock.acquire(poll_interval=_POLL_S), _opened(self._file) as file:
                    return self._take(file)
            except OSError as error:
                raise Refused(f"{self._file}: cannot be written: {error.strerror or error}") from None

    def _take(self, file: BinaryIO) -> float:
        taken = int(_read(file, 0))
        place = 1 + taken % self._per_minute
        now = self._monotonic()
        begin = max(now, _read(file, place))
        # In this order: of a process that dies in between, the call counts and its place is taken again.
        _write(file, place, begin + WINDOW_S)
        _write(file, 0, taken + 1)
        return begin - now


def _opened(file: Path) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(file, flags, 0o600), "r+b", buffering=0)


def _read(file: BinaryIO, place: int) -> float:
    """Return the number at a place; 0 where none was written yet."""
    file.seek(place * _NUMBER.size)
    found = file.read(_NUMBER.size)
    return _NUMBER.unpack(found)[0] if len(found) == _NUMBER.size else 0.0


def _write(file: BinaryIO, place: int, number: float) -> None:
    file.seek(place * _NUMBER.size)
    file.write(_NUMBER.pack(number))
