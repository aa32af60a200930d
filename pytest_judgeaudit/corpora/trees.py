"""Reading a tree of files: what is text, in which encoding, to be given back exactly."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pytest_judgeaudit.corpora.found import printable, quoted
from pytest_judgeaudit.records.errors import Refused

MOST_BYTES = 2**29
"""Bytes of a tree that is renamed: it is held in memory."""

LEFT_OUT = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "__pycache__", ".pytest_cache"})
"""Names, in lower case, of what is no part of a corpus: a repository's history, and what a run leaves."""

_SNIFFED = 8192
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """
    One file: ``name`` relative to the tree, with forward slashes; ``text`` is None for a binary file.

    ``encoding`` gives back the same bytes: what is no UTF-8 is read as Latin-1, in which every byte is a
    character.
    """

    name: str
    data: bytes
    text: str | None
    encoding: str

    @property
    def suffix(self) -> str:
        """The suffix, in lower case."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def lines(self) -> int:
        """The number of lines: of line feeds, as the file's bytes have them."""
        return self.data.count(b"\n")

    def encoded(self, text: str) -> bytes:
        """Return a text in this file's encoding."""
        return text.encode(self.encoding, "surrogatepass" if self.encoding.startswith("utf") else "strict")


def source_of(name: str, data: bytes) -> Source:
    r"""
    Decode a file.

    >>> source_of("a.txt", b"caf\xe9").encoding, source_of("a.bin", b"a\0b").text
    ('latin-1', None)
    """
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    if marked is None and b"\0" in data[:_SNIFFED]:
        return Source(name=name, data=data, text=None, encoding="")
    for encoding in (marked,) if marked else ("utf-8", "latin-1"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return Source(name=name, data=data, text=text, encoding=encoding)
    return Source(name=name, data=data, text=None, encoding="")


def read_tree(root: Path) -> list[Source]:
    """
    Read all regular files of a tree, in the order of their names; links are not followed.

    Refused: what is no folder, a tree above :data:`MOST_BYTES`, a file that cannot be read.
    """
    if not root.is_dir():
        raise Refused(f"rename: {quoted(str(root))} is no folder. Correct the path of the corpus.")
    sources, left = [], MOST_BYTES
    for path in regular_files(root):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise Refused(
                f"rename: {printable(str(path), clip=200)} cannot be read ({error.strerror}). "
                "Make it readable, or remove it from the corpus."
            ) from None
        left -= len(data)
        if left < 0:
            raise Refused(
                f"rename: {quoted(str(root))} holds more than {MOST_BYTES} bytes. Choose a part of it."
            )
        sources.append(source_of(path.relative_to(root).as_posix(), data))
    return sources


def regular_files(root: Path) -> Iterator[Path]:
    """Yield the regular files of a tree, in the order of their names; links are not followed."""
    for place, folders, names in os.walk(root):
        folders[:] = sorted(folder for folder in folders if folder.lower() not in LEFT_OUT)
        for name in sorted(names):
            path = Path(place, name)
            if name.lower() not in LEFT_OUT and stat.S_ISREG(path.lstat().st_mode):
                yield path
