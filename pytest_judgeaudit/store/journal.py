"""
Journals: what a process that asks writes down at once.

Each asking process has a journal of its own, ``SNAPSHOTS/.journal/<run>-<worker>.jsonl``: an intent before
a request leaves, the answer when it arrives, each on the disk before the call returns. A lock file beside
it is held for as long as its owner lives, so that another run leaves the journal alone until then. How
journals come into the snapshot files is in ``recovery.py``.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.files import (
    JOURNAL_FOLDER,
    DiskFailed,
    make_journal_folder,
    safe_name,
    sync_folder,
)
from pytest_judgeaudit.store.lines import encode
from pytest_judgeaudit.store.redact import Redactor

if TYPE_CHECKING:
    from filelock import BaseFileLock

_sync = getattr(os, "fdatasync", os.fsync)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A request that was about to leave, at ``at`` seconds since the epoch."""

    module: str
    judge: str
    name: str
    fingerprint: str
    at: float
    run: str
    worker: str


class Journal:
    """
    The journal of one asking process; safe to use from its threads.

    Nothing is created before the first write. Every call returns when its line is on the disk, or raises
    DiskFailed. Answers that threads write at the same time share one synchronisation; each intent has one
    of its own, for which a slot waits. ``shard`` (I/N) is where the answers go when they are absorbed.
    ``told`` is given each line that was written, the first one too. Call :meth:`close` when nothing writes
    any more, and before absorbing: an open journal is taken for one whose owner is alive.
    """

    def __init__(
        self,
        folder: Path,
        run: str,
        worker: str,
        *,
        shard: str | None = None,
        redactor: Redactor | None = None,
        clock: Callable[[], float] = time.time,
        told: Callable[[str], None] | None = None,
    ) -> None:
        self._folder = folder
        self._told = told
        self._head = {"kind": "journal", "format": 1, "run": run, "worker": worker, "shard": shard}
        self._redactor = redactor
        self._clock = clock
        self._writing, self._syncing = threading.Lock(), threading.Lock()
        self._file: int | None = None
        self._alone: int | None = None
        self._lock: BaseFileLock | None = None
        self._written = self._synced = 0
        self._torn = self._headed = False
        self._broken: DiskFailed | None = None
        self.path = folder / JOURNAL_FOLDER / f"{safe_name(f'{run}-{worker}')}.jsonl"

    def intent(self, module: str, judge: str, name: str, fingerprint: str) -> None:
        """Write down that a request is about to leave; it must not leave if this raises."""
        self._write_all(self._event("intent", module, judge, name=name, asks=fingerprint))
        self._bring_to_disk(self._alone)

    def answer(self, module: str, judge: str, stored: StoredAnswer) -> None:
        """
        Write down an answer, which ends its intent.

        Refused: the line still contains a configured key's value. DiskFailed: the answer is in memory
        only, and still good for this run.
        """
        line = encode(stored)
        if self._redactor is not None and self._redactor.contains_secret(line):
            self.failed(module, judge, stored.name, stored.fingerprint, "the answer held a key's value")
            raise Refused(
                f"{stored.name}: the answer contains the value of a configured key, even after redaction, "
                "and is not kept. Ask with another key."
            )
        start = self._start("answer", module, judge)
        self._append(f'{start[:-1]}, "answer": {line}}}')

    def failed(self, module: str, judge: str, name: str, fingerprint: str, reason: str) -> None:
        """Write down that an intent ended without an answer: refused by the server, or given up."""
        told = reason if self._redactor is None else self._redactor.scrub(reason)
        self._append(self._event("failed", module, judge, name=name, asks=fingerprint, reason=told[:500]))

    def copy(self, lines: Iterable[str]) -> None:
        """Write down lines of another process' journal as they are, its first line instead of ours."""
        self._headed = True
        self._append(*lines)

    def close(self) -> None:
        """Give the journal up for absorption; a further write opens it again."""
        with self._writing, self._syncing:
            for file in (self._file, self._alone):
                if file is not None:
                    os.close(file)
                    self._headed = False
            self._file = self._alone = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def _event(self, kind: str, module: str, judge: str, **more: str) -> str:
        return f"{self._start(kind, module, judge)[:-1]}, {json.dumps(more)[1:]}"

    def _start(self, kind: str, module: str, judge: str) -> str:
        return json.dumps({"kind": kind, "module": module, "judge": judge, "at": self._clock()})

    def _append(self, *lines: str) -> None:
        mine = self._write_all(*lines)
        with self._syncing:
            if self._synced < mine:
                latest = self._written
                self._bring_to_disk(self._file)
                self._synced = latest

    def _write_all(self, *lines: str) -> int:
        """Write lines, and return the number of this writing."""
        with self._writing:
            for line in lines:
                self._write(line)
            self._written += 1
            return self._written

    def _write(self, line: str) -> None:
        if self._broken is not None:
            raise self._broken
        try:
            if self._file is None:
                self._file, self._alone = self._open()
            if not self._headed:
                self._put(json.dumps(self._head))
                self._headed = True
            self._put(line)
        except OSError as error:
            raise DiskFailed.of(self.path, error) from None

    def _put(self, line: str) -> None:
        """Append a line as a whole, on a line of its own whatever the disk took of the one before."""
        data = (("\n" if self._torn else "") + line + "\n").encode("ascii")
        self._torn = True
        while data and self._file is not None:
            data = data[os.write(self._file, data) :]
        self._torn = False
        if self._told is not None:
            self._told(line)

    def _bring_to_disk(self, file: int | None) -> None:
        if self._broken is not None:
            raise self._broken
        try:
            if file is not None:
                _sync(file)
        except OSError as error:
            # What the system could not write once, it may forget and then call written: no second try.
            self._broken = DiskFailed.of(self.path, error)
            raise self._broken from None

    def _open(self) -> tuple[int, int]:
        """Open the file to write to, and a second time for intents, which synchronise it side by side."""
        make_journal_folder(self._folder)
        if self._lock is None:
            self._lock = hold(self.path, timeout_s=5.0)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        file = os.open(self.path, flags, 0o666)
        try:
            # Of those who synchronise one descriptor at once the system tells only one that it failed. So
            # answers have one for themselves; of intents a power loss at that moment might take another.
            alone = os.open(self.path, flags)
        except OSError:
            os.close(file)
            raise
        self._torn = os.fstat(file).st_size > 0  # perhaps: an empty line does no harm
        sync_folder(self.path.parent)
        sync_folder(self._folder)
        return file, alone


def hold(path: Path, *, timeout_s: float = 0.0) -> BaseFileLock | None:
    """
    Hold a journal's lock; None if its owner lives, for ``timeout_s`` seconds at least.

    Where locks do not work at all, a journal counts as left behind.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - a replay holds no lock

    lock = FileLock(path.with_suffix(".lock"), timeout=timeout_s, poll_interval=0.02, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    except (OSError, NotImplementedError):
        return lock
    return lock
