"""
Where the lines of snapshot files are: their names in memory, their texts on the disk.

A replay looks each of them up once, and there are as many as calls: held as texts they would be a third of
what it holds.
"""

from __future__ import annotations

import os
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.files import shown
from pytest_judgeaudit.store.lines import decode

_BINARY = getattr(os, "O_BINARY", 0)  # of Windows


class Moved(Exception):  # noqa: N818 - never shown: its reader looks again
    """A line is no longer where it was: somebody has written the file anew."""


class Line(NamedTuple):
    """One line of a snapshot file, not yet decoded; ``start`` counts the bytes before it."""

    path: Path
    number: int
    name: str
    text: str
    start: int

    @property
    def place(self) -> str:
        """Return the address ``file:line``."""
        return f"{shown(self.path)}:{self.number}"

    def answer(self) -> StoredAnswer:
        """Decode the line; Refused with its address if it cannot be read."""
        try:
            return decode(self.text)
        except Refused as error:
            raise Refused(f"{self.place}: {error}") from None


class Places:
    """The first line of each name, by where it stands."""

    def __init__(self) -> None:
        self._paths: list[Path] = []
        self._known: dict[str, int] = {}
        # One entry a line, without an object for each.
        self._files, self._numbers, self._sums = array("L"), array("L"), array("L")
        self._starts, self._sizes = array("Q"), array("Q")

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def add(self, line: Line) -> bool:
        """Note where a line is; False where its name is known already."""
        if self._known.setdefault(line.name, len(self._known)) < len(self._starts):
            return False
        if not self._paths or self._paths[-1] != line.path:
            self._paths.append(line.path)
        written = line.text.encode("utf-8")
        self._files.append(len(self._paths) - 1)
        self._numbers.append(line.number)
        self._sums.append(zlib.crc32(written))
        self._starts.append(line.start)
        self._sizes.append(len(written))
        return True

    def line(self, name: str) -> Line:
        """Read the line of a known name; Moved where something else stands there now."""
        index = self._known[name]
        path, start = self._paths[self._files[index]], self._starts[index]
        written = _read(path, start, self._sizes[index])
        if zlib.crc32(written) != self._sums[index]:
            raise Moved(name)
        return Line(path, self._numbers[index], name, written.decode("utf-8"), start)


def _read(path: Path, start: int, size: int) -> bytes:
    # Opened anew each time: Windows replaces no file that somebody holds open, and others may write it.
    try:
        file = os.open(path, os.O_RDONLY | _BINARY)
    except OSError as error:
        raise Moved(str(path)) from error
    try:
        os.lseek(file, start, os.SEEK_SET)
        return os.read(file, size)
    finally:
        os.close(file)
