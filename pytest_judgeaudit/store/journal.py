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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.files import (
    JOURNAL_FOLDER,
    DiskFailed,
    make_journal_folder,
    safe_name,
    sync_folder,
)
from pytest_judgeaudit.store.lines import Journaled, encode
from pytest_judgeaudit.store.redact import Redactor

if TYPE_CHECKING:
    from filelock import BaseFileLock

_sync = getattr(os, "fdatasync", os.fsync)

Call: TypeAlias = tuple[str, str, str]
"""Module, judge and name."""


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


@dataclass(slots=True)
class Contents:
    """
    What a journal's lines say: its answers, and the last intent of each call that has no end yet.

    ``size`` is how many bytes of its file say it.
    """

    answers: list[Journaled] = field(default_factory=list)
    intents: dict[Call, Intent] = field(default_factory=dict)
    size: int = 0

    def begin(self, intent: Intent) -> None:
        """Take an intent."""
        self.intents[intent.module, intent.judge, intent.name] = intent

    def end(self, call: Call, answer: Journaled | None = None) -> None:
        """Take the end of a call's intent, with its answer where there is one."""
        if answer is not None:
            self.answers.append(answer)
        self.intents.pop(call, None)


class Journal:
    """
    The journal of one asking process; safe to use from its threads.

    Nothing is created before the first write. Every call returns when its line is on the disk, or raises
    DiskFailed. Answers that threads write at the same time share one synchronisation; each intent has one
    of its own, for which a slot waits. ``shard`` (I/N) is where the answers go when they are absorbed.
    ``told`` is given each line that was written, the first one too. Call :meth:`close` when nothing writes
    any more, and before absorbing: an open journal is taken for one whose owner is alive.

    ``head`` is the first line, ``contents`` what was written and is not absorbed yet.
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
        self._folder, self._run, self._worker = folder, run, worker
        self._told = told
        self.head = {"kind": "journal", "format": 1, "run": run, "worker": worker, "shard": shard}
        self._redactor = redactor
        self._clock = clock
        self._writing, self._syncing = threading.Lock(), threading.Lock()
        self._file: int | None = None
        self._alone: int | None = None
        self._lock: BaseFileLock | None = None
        self._written = self._synced = 0
        self._torn = self.headed = False
        self._broken: DiskFailed | None = None
        self.contents = Contents()
        self._identity: tuple[int, ...] | None = None
        self.path = folder / JOURNAL_FOLDER / f"{safe_name(f'{run}-{worker}')}.jsonl"

    def intent(self, module: str, judge: str, name: str, fingerprint: str) -> None:
        """Write down that a request is about to leave; it must not leave if this raises."""
        intent = Intent(
            module=module,
            judge=judge,
            name=name,
            fingerprint=fingerprint,
            at=self._clock(),
            run=self._run,
            worker=self._worker,
        )
        line = _event("intent", module, judge, intent.at, name=name, asks=fingerprint)
        self._write_all(line, take=lambda: self.contents.begin(intent))
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
        answer = Journaled(module=module, judge=judge, name=stored.name, line=line, at=self._clock())
        mine = self._write_all(
            f'{_start("answer", module, judge, answer.at)[:-1]}, "answer": {line}}}',
            take=lambda: self.contents.end((module, judge, stored.name), answer),
        )
        self._bring_all_to_disk(mine)

    def failed(self, module: str, judge: str, name: str, fingerprint: str, reason: str) -> None:
        """Write down that an intent ended without an answer: refused by the server, or given up."""
        told = reason if self._redactor is None else self._redactor.scrub(reason)
        more = {"name": name, "asks": fingerprint, "reason": told[:500]}
        mine = self._write_all(
            _event("failed", module, judge, self._clock(), **more),
            take=lambda: self.contents.end((module, judge, name)),
        )
        self._bring_all_to_disk(mine)

    def copy(self, lines: Iterable[str]) -> None:
        """Write down lines of another process' journal as they are, its first line instead of ours."""
        self.headed = True
        mine = self._write_all(*lines)
        self._bring_all_to_disk(mine)

    @property
    def is_known(self) -> bool:
        """
        Whether ``contents`` is all that the file says, which was closed.

        Not where another process has a hand in it (one forked from this one, say), where a signal came
        between a write and what it means, or where the disk took part of a line.
        """
        try:
            found = self.path.stat(follow_symlinks=False)
        except OSError:
            return False
        return _identity(found) == self._identity and found.st_size == self.contents.size

    def forget(self) -> None:
        """Keep nothing of what was written: it is in the snapshot files."""
        self.contents = Contents()

    def close(self) -> None:
        """Give the journal up for absorption; a further write opens it again."""
        with self._writing, self._syncing:
            if self._file is not None:
                self._identity = _identity(os.fstat(self._file))
            for file in (self._file, self._alone):
                if file is not None:
                    os.close(file)
                    self.headed = False
            self._file = self._alone = None
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def _bring_all_to_disk(self, mine: int) -> None:
        """Bring to the disk what was written by the writing of this number, and all that was by now."""
        with self._syncing:
            if self._synced < mine:
                latest = self._written
                self._bring_to_disk(self._file)
                self._synced = latest

    def _write_all(self, *lines: str, take: Callable[[], None] | None = None) -> int:
        """Write lines, take in what they mean, and return the number of this writing."""
        with self._writing:
            for line in lines:
                self._write(line)
            if take is not None:
                take()
                self.contents.size += sum(map(_bytes, lines))
            self._written += 1
            return self._written

    def _write(self, line: str) -> None:
        if self._broken is not None:
            raise self._broken
        try:
            if self._file is None:
                self._file, self._alone = self._open()
            if not self.headed:
                head = json.dumps(self.head)
                self._put(head)
                self.headed = True
                self.contents.size += _bytes(head)
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


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_mtime_ns  # the number of a removed file is given anew


def _bytes(line: str) -> int:
    return len(line) + 1  # all are ASCII


def _event(kind: str, module: str, judge: str, at: float, **more: str) -> str:
    return f"{_start(kind, module, judge, at)[:-1]}, {json.dumps(more)[1:]}"


def _start(kind: str, module: str, judge: str, at: float) -> str:
    return json.dumps({"kind": kind, "module": module, "judge": judge, "at": at})


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
