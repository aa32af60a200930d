"""
One limit for all local processes and threads of a run, by locks that the system drops when a process dies.

Every slot is a lock file. A slot that a thread leaves stays locked for a moment: another thread of the same
process may take it at the cost of no system call, until other processes have waited for long enough.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from pytest_judgeaudit.ask.rate import Rate
from pytest_judgeaudit.records.errors import Refused, Unanswered

_TURN_S, _STAND_BACK_S = 1.0, 0.1
"""For how long a process may keep its slots to itself while others wait, and then leaves them alone."""

_SPARE_S = 0.1
"""A slot that nobody has used for so long is free for other processes, and before twice as long."""

_FIRST_POLL_S, _LONGEST_POLL_S, _SLOWER = 0.002, 0.05, 1.3


class Limiter:
    """
    A context manager that holds one of ``in_flight`` slots, and lets ``per_minute`` calls begin a minute.

    All limiters of one ``name`` in one ``folder``, which belongs to one run, share them. At most
    ``per_minute`` calls begin within any minute; so many may pass at once. Safe to use from several
    threads. Refused: a folder in which nothing can be locked. After :meth:`stop`, whoever waits or comes is
    Unanswered.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        in_flight: int,
        per_minute: int | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._name, self._monotonic = folder, name, monotonic
        self._slots = [_lock(folder / f"{name}.slot-{number}.lock") for number in range(in_flight)]
        self._rate = (
            None if per_minute is None else Rate(folder / f"{name}.rate", per_minute, monotonic=monotonic)
        )
        self._marker = _lock(folder / f"{name}.waiting-{uuid.uuid4().hex}.lock")
        self._stopping = threading.Event()
        self._changed = threading.Condition()
        self._mine = threading.local()
        # All that follows is guarded by the condition.
        self._used: set[int] = set()
        self._recent = list(range(in_flight))
        self._spare: list[int] = []
        self._unneeded = self._waiting = 0
        self._polling = self._sweeping = False
        self._turn_began = self._not_before = monotonic()

    def __enter__(self) -> None:
        with self._changed:
            self._waiting += 1
            try:
                slot = self._next_slot()
            finally:
                self._waiting -= 1
        try:
            if self._rate is not None and self._stopping.wait(self._rate.reserve()):
                raise self._stopped()
        except BaseException:  # a signal's handler may raise here, and the run go on
            with self._changed:
                self._put_back(slot)
            raise
        vars(self._mine).setdefault("slots", []).append(slot)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        slot = self._mine.slots.pop()
        with self._changed:
            # Of a single slot processes take turns, so that the calls of all keep to their schedule.
            wanted = self._waiting or len(self._slots) > 1
            if wanted and self._keeps_turn() and not self._stopping.is_set():
                self._spare.append(slot)
                self._changed.notify()
                self._sweep_later()
            else:
                self._put_back(slot, *self._spare)

    def stop(self) -> None:
        """Let nobody in any more."""
        self._stopping.set()
        with self._changed:
            self._put_back(*self._spare)
            self._changed.notify_all()

    def _stopped(self) -> Unanswered:
        return Unanswered(f"{self._name}: the run was stopped before an answer came")

    def _next_slot(self) -> int:
        """Wait for a slot: one thread of the process polls the lock files, the others wait for a hand."""
        while True:
            if self._stopping.is_set():
                raise self._stopped()
            if self._spare:
                return self._take_spare()
            if not self._polling:
                return self._poll()
            self._changed.wait()

    def _poll(self) -> int:
        self._polling, marked = True, False
        try:
            for pause in _pauses():
                if self._stopping.is_set():
                    raise self._stopped()
                slot = self._take_spare() if self._spare else self._free_slot()
                if slot is not None:
                    return slot
                if len(self._used) == len(self._slots):  # all are ours: whoever leaves one tells
                    self._changed.wait(_TURN_S)
                else:
                    marked = marked or self._try(self._marker)
                    self._changed.wait(pause)
            raise self._stopped()
        finally:
            if marked:
                self._marker.release()
            self._polling = False
            self._changed.notify()

    def _take_spare(self) -> int:
        # The one that was left last: those at the front are the ones that nobody needs.
        slot = self._spare.pop()
        self._unneeded = min(self._unneeded, len(self._spare))
        return slot

    def _free_slot(self) -> int | None:
        """Lock a slot that no process holds; None while this process stands back, or all are taken."""
        if self._monotonic() < self._not_before:
            return None
        for place, number in enumerate(self._recent):
            if number not in self._used and self._try(self._slots[number]):
                # To the front: what was ours is likely to be free, what is another process' is likely not.
                self._recent.insert(0, self._recent.pop(place))
                self._used.add(number)
                return number
        return None

    def _put_back(self, *slots: int) -> None:
        for slot in slots:
            self._slots[slot].release()
            self._used.discard(slot)
        if slots and self._waiting:
            self._changed.notify_all()
        self._spare = [slot for slot in self._spare if slot not in slots]
        self._unneeded = min(self._unneeded, len(self._spare))

    def _sweep_later(self) -> None:
        if not self._sweeping:
            self._sweeping = True
            threading.Thread(target=self._sweep, name=f"judgeaudit-{self._name}-slots", daemon=True).start()

    def _sweep(self) -> None:
        """Put back what nobody has needed since the last look, for as long as anything is locked."""
        while self._sweeping:
            self._stopping.wait(_SPARE_S)
            with self._changed:
                self._put_back(*self._spare[: self._unneeded])
                self._unneeded = len(self._spare)
                self._sweeping = bool(self._used) and not self._stopping.is_set()

    def _keeps_turn(self) -> bool:
        """Whether a slot may stay in this process; when its turn is over and others wait, it may not."""
        now = self._monotonic()
        if now < self._not_before:
            return False
        if now - self._turn_began < _TURN_S:
            return True
        self._turn_began = now
        if not self._others_wait():
            return True
        self._not_before = now + _STAND_BACK_S
        return False

    def _others_wait(self) -> bool:
        markers = self._folder.glob(f"{self._name}.waiting-*.lock")
        others = [_lock(file) for file in markers if file != Path(self._marker.lock_file)]
        return any(not self._try(other, keep=False) for other in others)

    def _try(self, lock: FileLock, *, keep: bool = True) -> bool:
        """Lock a file if nobody else has, and keep it locked or not."""
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        except OSError as error:
            raise Refused(
                f"{self._folder}: nothing can be locked there: {error.strerror or error}"
            ) from None
        if not keep:
            lock.release()
        return True


def _lock(file: Path) -> FileLock:
    # Any thread may put back what another one took.
    return FileLock(file, thread_local=False)


def _pauses() -> Iterator[float]:
    """Seconds between two looks: short at first, then longer, so that waiting for long costs little."""
    pause = _FIRST_POLL_S
    while True:
        yield pause
        pause = min(_LONGEST_POLL_S, pause * _SLOWER)
