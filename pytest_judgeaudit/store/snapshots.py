"""
Stored answers: one JSON Lines file for each test module and judge, and its shards.

The first line is a header with the format's version; each further line is one call, sorted by name. Shard
files (``qwen.1of2.jsonl``) are read as a union with ``qwen.jsonl``. Answers that were replaced lie in
``….superseded.jsonl`` beside it, which readers ignore.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from pathlib import Path

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import Refused, addressed
from pytest_judgeaudit.store.files import (
    read_file,
    remove_file,
    safe_module,
    safe_name,
    shard_suffix,
    shown,
    write_atomically,
    writing,
)
from pytest_judgeaudit.store.lines import Journaled, decode, encode, recorded_at, same_answer
from pytest_judgeaudit.store.places import Line, Moved, Places
from pytest_judgeaudit.store.redact import Redactor

FORMAT = 1
"""Version of the snapshot files that this module writes; it reads none that is newer."""

_HOLDS = "answers recorded by pytest-judgeaudit"
_HEAD = re.compile(r'\{"name":\s*"([^"\\]+)",\s*"fingerprint":\s*"([^"\\]*)",')
_FILE = re.compile(r"(?P<judge>.+?)(?P<shard>\.\d+of\d+)?\.jsonl")
_SUPERSEDED = ".superseded.jsonl"
_WRITTEN = "{}: somebody is writing it. Run again when that has ended."


@dataclass(slots=True)
class _Union:
    """
    All lines of a test module and judge: where the first one of each name is and, in ``several``, all.

    ``refused`` is kept: a file that cannot be read is read once, however many calls it holds.
    """

    lines: Places = field(default_factory=Places)
    several: dict[str, list[Line]] = field(default_factory=dict)
    journaled: dict[str, list[Journaled]] = field(default_factory=dict)
    refused: str | None = None

    def answers(self, name: str) -> list[StoredAnswer]:
        """Return all answers of a name; Moved where the file has been written since it was read."""
        lines = self.several.get(name) or ([self.lines.line(name)] if name in self.lines else ())
        return [line.answer() for line in lines] + [one.answer for one in self.journaled.get(name, ())]


class Snapshots:
    """
    The stored answers below a folder, for reading; each test module and judge is read once.

    ``journaled`` are answers that are not yet absorbed (:func:`journal.read_journals`): a replay sees
    them too. Create another one, or call :meth:`refresh`, after files have been written.
    """

    def __init__(self, folder: Path, *, journaled: Iterable[Journaled] = ()) -> None:
        self._folder = folder
        self._unions: dict[tuple[str, str], _Union] = {}
        self.refresh(journaled=journaled)

    def find(
        self, module: str, judge: str, name: str, *, fingerprint: str | None = None
    ) -> StoredAnswer | None:
        """
        Return the stored answer of a call; None where there is none.

        Several files may hold the name under different fingerprints (answers recorded before and after a
        change, in different shards): the one with the given ``fingerprint`` is returned, else the one that
        was recorded last, which the caller then finds stale. Refused: an unreadable line, or two different
        answers under one name and fingerprint.
        """
        try:
            found = self._union(module, judge).answers(name)
        except Moved:  # another run has written the file since
            del self._unions[module, judge]
            found = self._again(module, judge, name)
        if len(found) < 2:
            return found[0] if found else None
        return max(found, key=lambda answer: (answer.fingerprint == fingerprint, recorded_at(answer)))

    def _again(self, module: str, judge: str, name: str) -> list[StoredAnswer]:
        try:
            return self._union(module, judge).answers(name)
        except Moved:
            raise Refused(_WRITTEN.format(shown(answer_file(self._folder, module, judge)))) from None

    def names(self, module: str, judge: str) -> frozenset[str]:
        """Return the names of all stored answers of a test module and judge."""
        union = self._union(module, judge)
        return frozenset(chain(union.lines, union.journaled))

    def files(self) -> list[tuple[str, str]]:
        """Return (module, judge) of all files on disk, sorted; see :func:`safe_module` and the headers."""
        return sorted({(module, judge) for module, judge, _ in answer_files(self._folder)})

    def refresh(self, *, journaled: Iterable[Journaled] = ()) -> None:
        """Forget what was read: files have been written, and journals absorbed."""
        self._journaled: dict[tuple[str, str], list[Journaled]] = {}
        for one in journaled:
            self._journaled.setdefault((one.module, one.judge), []).append(one)
        self._unions.clear()

    def _union(self, module: str, judge: str) -> _Union:
        union = self._unions.get((module, judge))
        if union is None:
            union = self._unions[module, judge] = self._read(module, judge)
        if union.refused is not None:
            raise Refused(union.refused)
        return union

    def _read(self, module: str, judge: str) -> _Union:
        try:
            union = _read_union(self._folder, module, judge)
        except Refused as error:
            return _Union(refused=str(error))
        except Moved:
            return _Union(refused=_WRITTEN.format(shown(answer_file(self._folder, module, judge))))
        for one in self._journaled.get((module, judge), ()):
            union.journaled.setdefault(one.name, []).append(one)
        return union


def answer_file(folder: Path, module: str, judge: str, *, shard: str | None = None) -> Path:
    """Return the path of the file of a test module and judge, always below ``folder``."""
    return folder / safe_module(module) / f"{safe_name(judge)}{shard_suffix(shard)}.jsonl"


def answer_files(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield (module, judge, path) of every answer file below a folder; links are not followed."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            found = _FILE.fullmatch(name)
            path = Path(place, name)
            if found is None or name.endswith(_SUPERSEDED) or path.parent == folder or not path.is_file():
                continue
            judge = _declared_judge(path)
            if judge is not None:
                plain = judge if safe_name(judge) == found["judge"] else found["judge"]
                yield path.parent.relative_to(folder).as_posix(), plain, path


def _declared_judge(path: Path) -> str | None:
    """Return the judge that a file's header names; None if it is no file of answers."""
    with path.open("rb") as file:
        first = file.readline(10_000)
    try:
        header = json.loads(first)
        return str(header["judge"]) if header["holds"] == _HOLDS else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _paths(folder: Path, module: str, judge: str) -> list[Path]:
    """Return the file of a test module and judge and those of its shards, that order."""
    plain = answer_file(folder, module, judge)
    if not plain.parent.is_dir():
        return []
    found = {path: _FILE.fullmatch(path.name) for path in sorted(plain.parent.iterdir())}
    shards = [p for p, m in found.items() if m and m["shard"] and m["judge"] == safe_name(judge)]
    return [*([plain] if plain in found else []), *shards]


def _read_union(folder: Path, module: str, judge: str) -> _Union:
    union = _Union()
    for line in chain.from_iterable(map(_read_lines, _paths(folder, module, judge))):
        if not union.lines.add(line):
            if line.name not in union.several:
                union.several[line.name] = [union.lines.line(line.name)]
            union.several[line.name].append(line)
    for lines in union.several.values():
        _refuse_conflicts(lines)
    return union


def _refuse_conflicts(lines: list[Line]) -> None:
    """Refuse two different answers under one name and fingerprint; different fingerprints may coexist."""
    seen: dict[str, tuple[Line, StoredAnswer]] = {}
    for line in lines:
        answer = line.answer()
        first, known = seen.setdefault(answer.fingerprint, (line, answer))
        if not same_answer(known, answer):
            raise Refused(
                f"{first.place} and {line.place}: two different answers under the name {line.name!r} and "
                "one fingerprint. Keep one of the two lines and remove the other."
            )


def _read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a snapshot file after its header; Refused with ``file:line``."""
    content = read_file(path)
    if content is None:
        return
    start = 0
    for number, raw in enumerate(BytesIO(content), start=1):
        try:
            row = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise Refused(f"{shown(path)}:{number}: is not UTF-8. Restore the file.") from None
        if number == 1:
            _check_header(row, place=f"{shown(path)}:1")
        elif text := row.rstrip("\r\n"):
            yield from _line(path, number, text, start)
        start += len(raw)
    if not content:
        _check_header("", place=f"{shown(path)}:1")


def _line(path: Path, number: int, text: str, start: int) -> Iterator[Line]:
    found = _HEAD.match(text)
    if found and text.endswith("}"):  # decoded when it is asked for
        yield Line(path, number, found[1], text, start)
    elif text.strip():
        with addressed(f"{shown(path)}:{number}"):
            answer = decode(text)
        yield Line(path, number, answer.name, text, start)


def _check_header(row: str, *, place: str) -> None:
    try:
        header = json.loads(row)
        version = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused(f"{place}: expected the header of a file of answers. Restore the file.") from None
    if version != FORMAT:
        raise Refused(
            f"{place}: format: found version {version!r:.40}, expected {FORMAT}. "
            "The file comes from another version of pytest-judgeaudit: install that one."
        )


def write_answers(
    folder: Path,
    module: str,
    judge: str,
    answers: Mapping[str, StoredAnswer],
    *,
    shard: str | None = None,
    redactor: Redactor | None = None,
) -> None:
    """
    Merge answers into their file: sorted, as a whole, and only if something changed.

    What they replace moves to ``….superseded.jsonl``. An answer that arrived before the stored one goes
    there itself. ``shard`` is ``I/N``. Refused, after all others are written: a line that still contains a
    configured key's value. DiskFailed: nothing was lost, and nothing written.
    """
    with writing(folder):
        lines = [(answer.name, encode(answer)) for answer in answers.values()]
        merge_lines(folder, module, judge, lines, shard=shard, redactor=redactor)


def merge_lines(
    folder: Path,
    module: str,
    judge: str,
    lines: Iterable[tuple[str, str]],
    *,
    shard: str | None = None,
    redactor: Redactor | None = None,
) -> None:
    """
    Do what :func:`write_answers` does, one answer after the other, for a caller with the write lock.

    ``lines`` are the names of answers with what :func:`encode` makes of them.
    """
    path = answer_file(folder, module, judge, shard=shard)
    kept: dict[str, str] = {}
    replaced: list[str] = []
    for line in _read_lines(path):
        _keep(line.text, line.name, kept, replaced)
    secret: list[str] = []
    for name, text in lines:
        if redactor is not None and redactor.contains_secret(text):
            secret.append(name)
        else:
            _keep(text, name, kept, replaced)
    _write(folder, path.with_name(path.stem + _SUPERSEDED), judge, _appended(path, replaced))
    _write(folder, path, judge, [kept[name] for name in sorted(kept)])
    if secret:
        raise Refused(
            f"{shown(path)}: {secret[0]} ({len(secret)} in all): the answer still contains the value of a "
            "configured key and was not written. Use another key, or remove the answer from its journal."
        )


def _keep(text: str, name: str, kept: dict[str, str], replaced: list[str]) -> None:
    """Keep the later of two lines under a name; the other one is replaced."""
    known = kept.get(name)
    if known == text:
        return
    if known is None:
        kept[name] = text
        return
    older = 0.0 < recorded_at(decode(text)) < recorded_at(decode(known))
    kept[name] = known if older else text
    replaced.append(text if older else known)


def _appended(path: Path, replaced: Iterable[str]) -> list[str]:
    """Return the lines of the superseded file with further ones, each once."""
    replaced = list(replaced)
    if not replaced:
        return []
    known = [line.text for line in _read_lines(path.with_name(path.stem + _SUPERSEDED))]
    return list(dict.fromkeys([*known, *replaced]))


def _write(folder: Path, path: Path, judge: str, lines: list[str]) -> None:
    if lines:
        header = json.dumps({"format": FORMAT, "holds": _HOLDS, "judge": judge})
        write_atomically(folder, path, "\n".join([header, *lines, ""]).encode("utf-8"))


def prune(folder: Path, module: str, judge: str, keep: Collection[str]) -> int:
    """
    Remove all stored answers of a test module and judge but those to keep; return how many went.

    All shards are pruned; a file without answers is removed. Superseded answers stay.
    """
    wanted, removed = frozenset(keep), 0
    with writing(folder):
        for path in _paths(folder, module, judge):
            lines = list(_read_lines(path))
            left = [line.text for line in lines if line.name in wanted]
            removed += len(lines) - len(left)
            if left and len(left) < len(lines):
                _write(folder, path, judge, left)
            elif not left:
                remove_file(folder, path)
    return removed
