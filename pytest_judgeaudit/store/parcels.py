"""
Journals that travel: those of a process that asks, but whose snapshots are elsewhere.

Such a process (a worker of xdist on another host, or in another folder) writes a journal on its own disk as
every process does, and sends each line on: the controller copies them into a journal of its own, from where
they are absorbed like any other's. What a worker that died left behind is sent by the next one that starts
in its place.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_judgeaudit.store.files import JOURNAL_FOLDER, DiskFailed, read_file
from pytest_judgeaudit.store.journal import Journal, hold

if TYPE_CHECKING:
    from filelock import BaseFileLock

_ANSWER = '{"kind": "answer"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """Lines of journals, by the journal's name, and where they come from: ``place`` is for a person."""

    place: str
    journals: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def to_json(self) -> str:
        """One ASCII string, the only thing that execnet carries whatever is in it."""
        return json.dumps({"place": self.place, "journals": dict(self.journals)})

    @classmethod
    def from_json(cls, text: str) -> Parcel:
        """Read what :meth:`to_json` wrote."""
        return cls(**json.loads(text))


class Outbox:
    """
    What a process has to send: every line of its journal once, first what ended processes left behind.

    ``folder`` holds the journals, ``place`` is told to the receiver. Safe to use from several threads.
    """

    def __init__(self, folder: Path, *, place: str) -> None:
        self._folder, self._place = folder, place
        self._guard = threading.Lock()
        self._waiting: dict[str, list[str]] = {}
        self._claimed: dict[Path, BaseFileLock] = {}
        self._posted: Counter[str] = Counter()
        self._introduced = False

    def claim(self) -> None:
        """Take over the journals of processes that have ended; those of living ones are left alone."""
        for path in sorted((self._folder / JOURNAL_FOLDER).glob("*.jsonl")):
            lock = hold(path)
            if lock is not None:
                self._claimed[path] = lock
                rows = (read_file(path) or b"").decode("ascii", "ignore").split("\n")
                self._waiting[path.stem] = [row for row in rows if row.strip()]
                self._posted[path.stem] = len(self._waiting[path.stem])

    def post(self, name: str, line: str) -> None:
        """Add a line of the journal of this name."""
        with self._guard:
            self._waiting.setdefault(name, []).append(line)
            self._posted[name] += 1

    @property
    def has_posted(self) -> bool:
        """Whether there was anything to send."""
        return bool(self._posted)

    def parcel(self) -> str | None:
        """Return what has not been sent yet; None if that is nothing, but for the first time."""
        with self._guard:
            waiting, self._waiting = self._waiting, {}
            if not waiting and self._introduced:
                return None
            self._introduced = True
        return Parcel(place=self._place, journals=waiting).to_json()

    def delivered(self, own: Path, kept: Mapping[str, int]) -> None:
        """
        Remove the journals of which the receiver has every line on its disk; ``own`` must be closed.

        ``kept`` counts those lines by journal. All others stay: the next process in this place sends them
        again, which changes nothing where they had arrived.
        """
        done = [path for path in (own, *self._claimed) if self._posted[path.stem] == kept.get(path.stem, 0)]
        for path in done:
            path.unlink(missing_ok=True)
        for lock in self._claimed.values():
            lock.release()
        for path in done:
            path.with_suffix(".lock").unlink(missing_ok=True)
        journals = self._folder / JOURNAL_FOLDER
        if not any(journals.glob("*.jsonl")) and not any(journals.glob("*.lock")):
            (journals / ".gitignore").unlink(missing_ok=True)
            with suppress(OSError):  # somebody else's, or gone
                for empty in (journals, self._folder, self._folder.parent):
                    empty.rmdir()


class Inbox:
    """
    What a controller was sent: copied into journals below ``folder`` when it arrives.

    ``run`` is the name of this run. ``recovered`` counts the answers that other runs had left behind,
    ``kept`` the lines of each journal that are on the disk, by who sent them: what a worker had sent before
    it died, the one in its place sends again.
    """

    def __init__(self, folder: Path, *, run: str, journal: Callable[[Path, str], Journal]) -> None:
        self._folder, self._run = folder, run
        self._make = journal
        self._copies: dict[str, Journal] = {}
        self._unwritten: list[tuple[str, Sequence[str]]] = []
        self.recovered = 0
        self.kept: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def take(self, parcel: Parcel, *, sender: str = "") -> None:
        """Copy a parcel's lines; what the disk does not take is kept in memory for :meth:`close`."""
        for name, lines in parcel.journals.items():
            try:
                self._copy(name, lines)
                self.kept[sender][name] += len(lines)
            except DiskFailed:
                self._unwritten.append((name, lines))
            if not name.startswith(self._run):
                self.recovered += sum(line.startswith(_ANSWER) for line in lines)

    def close(self) -> None:
        """Give the copies up for absorption. DiskFailed: something could still not be written."""
        try:
            while self._unwritten:
                self._copy(*self._unwritten[0])
                del self._unwritten[0]
        finally:
            for copy in self._copies.values():
                copy.close()

    def _copy(self, name: str, lines: Sequence[str]) -> None:
        if name not in self._copies:
            self._copies[name] = self._make(self._folder, name)
        self._copies[name].copy(lines)
