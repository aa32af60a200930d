"""
Journals read and absorbed: what processes that have ended left behind.

A replay reads journals and moves nothing. At the start and the end of a live run the controller absorbs
them: answers move into the snapshot files, journals whose intents are all closed are removed. The journal
of a process that lives, of whatever run, is left alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.files import (
    JOURNAL_FOLDER,
    read_file,
    remove_file,
    write_atomically,
    writing,
)
from pytest_judgeaudit.store.journal import Call, Contents, Intent, Journal, hold
from pytest_judgeaudit.store.lines import Journaled, answer_of, encode, load, recorded_at
from pytest_judgeaudit.store.redact import Redactor
from pytest_judgeaudit.store.snapshots import Snapshots, merge_lines

_MOMENT_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Journals:
    """
    All journals below a folder.

    ``answers`` are those of all journals, of processes that live too. ``open_intents`` are requests of
    processes that ended, without an end and without an answer recorded later: whether the request was
    served is not known. ``files`` are the journals that were read, ``torn`` counts lines that were cut
    while they were written.
    """

    answers: tuple[Journaled, ...] = ()
    open_intents: tuple[Intent, ...] = ()
    files: tuple[Path, ...] = ()
    torn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Absorbed:
    """
    What moved into the snapshot files, what is still ambiguous, and the journals that stay.

    ``open_intents`` as in :class:`Journals`; ``live`` are journals whose owner lives.
    """

    answers: tuple[Journaled, ...] = ()
    open_intents: tuple[Intent, ...] = ()
    live: tuple[Path, ...] = ()


@dataclass(slots=True)
class _Journal:
    """One journal while it is read: the last event of a call says whether its intent is open."""

    path: Path
    head: Mapping[str, Any] = field(default_factory=dict)
    contents: Contents = field(default_factory=Contents)
    torn: int = 0

    def begin(self, found: Mapping[str, Any]) -> None:
        self.head = found

    def intent(self, found: Mapping[str, Any]) -> None:
        module, judge, name = _call(found)
        self.contents.begin(
            Intent(
                module=module,
                judge=judge,
                name=name,
                fingerprint=str(found["asks"]),
                at=float(found["at"]),
                run=str(self.head.get("run", "")),
                worker=str(self.head.get("worker", "")),
            )
        )

    def answer(self, found: Mapping[str, Any]) -> None:
        answer = answer_of(found["answer"])
        one = Journaled(
            module=str(found["module"]),
            judge=str(found["judge"]),
            name=answer.name,
            line=encode(answer),
            at=float(found["at"]),
        )
        self.contents.end((one.module, one.judge, one.name), one)

    def failed(self, found: Mapping[str, Any]) -> None:
        self.contents.end(_call(found))

    KINDS: ClassVar[Mapping[str, Callable[[_Journal, Mapping[str, Any]], None]]] = {
        "journal": begin,
        "intent": intent,
        "answer": answer,
        "failed": failed,
    }

    @property
    def shard(self) -> str | None:
        return self.head.get("shard")


def _call(found: Mapping[str, Any]) -> Call:
    return str(found["module"]), str(found["judge"]), str(found["name"])


def _paths(folder: Path, own: Journal | None = None) -> list[Path]:
    """Return the journals that are there, and our own if it should be."""
    found = set((folder / JOURNAL_FOLDER).glob("*.jsonl"))
    return sorted({*found, own.path} if own is not None and own.contents.answers else found)


def _read(path: Path) -> _Journal:
    """Read a journal; lines that were cut are counted, kinds that are not known are left aside."""
    journal = _Journal(path)
    for row in (read_file(path) or b"").split(b"\n"):
        if not row.strip():
            continue
        try:
            found = load(row)
            read = journal.KINDS.get(found["kind"])
            if read is not None:
                read(journal, found)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, Refused):
            journal.torn += 1
    return journal


def _run_of(path: Path) -> str | None:
    """Return the run that a journal's header names; None where no line is one."""
    for row in (read_file(path) or b"").split(b"\n"):
        try:
            found = load(row)
            if found["kind"] == "journal":
                return str(found["run"])
        except (ValueError, KeyError, TypeError, RecursionError, Refused):
            continue
    return None


def read_journals(folder: Path, *, snapshots: Snapshots | None = None) -> Journals:
    """
    Read all journals below a snapshots folder, and move nothing.

    With ``snapshots`` an intent counts as open only if none of them was recorded after it.
    """
    journals = [_read(path) for path in _paths(folder)]
    if not journals:
        return Journals()
    left = [journal for journal in journals if not _owner_lives(journal.path)]
    answers = _in_order(journals)
    return Journals(
        answers=tuple(answers),
        open_intents=tuple(_still_open(left, answers, snapshots)),
        files=tuple(journal.path for journal in journals),
        torn=sum(journal.torn for journal in journals),
    )


def _owner_lives(path: Path) -> bool:
    if not path.with_suffix(".lock").exists():
        return False
    lock = hold(path)
    if lock is None:
        return True
    lock.release()
    return False


def _in_order(journals: Iterable[_Journal]) -> list[Journaled]:
    return sorted((one for journal in journals for one in journal.contents.answers), key=lambda one: one.at)


def _still_open(
    journals: Iterable[_Journal], answers: Iterable[Journaled], snapshots: Snapshots | None
) -> list[Intent]:
    """Return the open intents whose call has no answer recorded later, in the order of their time."""
    latest: dict[Call, float] = {}
    for one in answers:
        latest[one.module, one.judge, one.name] = one.at
    still = [
        intent
        for journal in journals
        for call, intent in journal.contents.intents.items()
        if max(latest.get(call, 0.0), _recorded(snapshots, call)) <= intent.at
    ]
    return sorted(still, key=lambda intent: (intent.at, intent.name))


def _recorded(snapshots: Snapshots | None, call: Call) -> float:
    if snapshots is None:
        return 0.0
    try:
        answer: StoredAnswer | None = snapshots.find(*call)
    except Refused:  # said where the file is read for its answers
        return 0.0
    return 0.0 if answer is None else recorded_at(answer)


def absorb(
    folder: Path,
    *,
    redactor: Redactor | None = None,
    run: str | None = None,
    own: Journal | None = None,
    patience_s: float = 10.0,
) -> Absorbed:
    """
    Move journalled answers into the snapshot files; for the controller, with its ``own`` journal closed,
    whose answers are moved whatever has happened to its file.

    At the end of a run, ``run`` is its name: its workers are ending, and are waited for, ``patience_s``
    seconds in all. Journals of other runs whose owner lives are left alone.

    A journal with an open intent stays, with that intent only. Everything that can be absorbed is, then
    Refused is raised for a snapshot file that cannot be read or an answer with a key in it: that journal
    stays as it is. DiskFailed: journals stay, nothing is lost, absorbing again does the rest.
    """
    if not _paths(folder, own):
        return Absorbed()
    with ExitStack() as held:
        held.enter_context(writing(folder))
        journals, live = _left_behind(folder, held, run=run, own=own, until=time.monotonic() + patience_s)
        answers = _in_order(journals)
        refused = {
            journal.path: error
            for shard in sorted({journal.shard for journal in journals}, key=str)
            for journal, error in _merge(folder, journals, shard=shard, redactor=redactor)
        }
        still_open = _still_open(journals, answers, Snapshots(folder))
        kept = set(still_open)
        for journal in journals:
            if journal.path not in refused:
                _retire(folder, journal, kept)
                if own is not None and own.path == journal.path:
                    own.forget()
    for error in refused.values():
        raise error
    return Absorbed(answers=tuple(answers), open_intents=tuple(still_open), live=tuple(live))


def _left_behind(
    folder: Path, held: ExitStack, *, run: str | None, own: Journal | None, until: float
) -> tuple[list[_Journal], list[Path]]:
    """Read and hold the journals whose owner has ended; return also those whose owner lives."""
    journals, live = [], []
    for path in _paths(folder, own):
        ours = own is not None and own.path == path
        ending = run is not None and (ours or _run_of(path) == run)
        # Another process may be looking whether the owner lives, which takes a moment.
        lock = hold(path, timeout_s=max(_MOMENT_S, until - time.monotonic() if ending else 0.0))
        if lock is None:
            live.append(path)
        else:
            held.callback(lock.release)
            journals.append(_read(path) if own is None or own.path != path else _own(own))
    return journals, live


def _own(own: Journal) -> _Journal:
    """Take a process' own journal as it knows it, and read it only where its file says something else."""
    known = _Journal(own.path, own.head, own.contents)
    if own.is_known:
        return known
    journal = _read(own.path)
    if not journal.head:  # removed or emptied meanwhile
        return known
    found = {(one.module, one.judge, one.name, one.at) for one in journal.contents.answers}
    for one in own.contents.answers:
        call = (one.module, one.judge, one.name)
        if (*call, one.at) not in found:
            journal.contents.end(call, one)
    return journal


def _merge(
    folder: Path, journals: Iterable[_Journal], *, shard: str | None, redactor: Redactor | None
) -> list[tuple[_Journal, Refused]]:
    """Merge the answers of one shard's journals; return the journals whose answers were refused."""
    of_shard = [journal for journal in journals if journal.shard == shard]
    by_file: dict[tuple[str, str], list[Journaled]] = {}
    for one in _in_order(of_shard):
        by_file.setdefault((one.module, one.judge), []).append(one)
    refused: dict[tuple[str, str], Refused] = {}
    for (module, judge), answers in by_file.items():
        try:
            merge_lines(
                folder,
                module,
                judge,
                [(one.name, one.line) for one in answers],
                shard=shard,
                redactor=redactor,
            )
        except Refused as error:
            refused[module, judge] = error
    if not refused:
        return []
    return [
        (journal, refused[file])
        for journal in of_shard
        for file in sorted({(one.module, one.judge) for one in journal.contents.answers} & refused.keys())
    ]


def _retire(folder: Path, journal: _Journal, still_open: set[Intent]) -> None:
    """Remove an absorbed journal, or leave of it what is still open."""
    rest = [intent for intent in journal.contents.intents.values() if intent in still_open]
    if not rest:
        remove_file(folder, journal.path)
        journal.path.with_suffix(".lock").unlink(missing_ok=True)
        return
    lines = [
        {
            "kind": "intent",
            "module": intent.module,
            "judge": intent.judge,
            "at": intent.at,
            "name": intent.name,
            "asks": intent.fingerprint,
        }
        for intent in rest
    ]
    text = "".join(json.dumps(line) + "\n" for line in [dict(journal.head), *lines])
    write_atomically(folder, journal.path, text.encode("ascii"))
