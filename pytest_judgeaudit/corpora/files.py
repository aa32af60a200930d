"""Opening a data file that somebody wrote: plain or compressed, with every failure as one line."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from pytest_judgeaudit.corpora.found import printable, quoted
from pytest_judgeaudit.records.errors import Refused, nearest

MOST_LINE = 32 * 2**20
"""Bytes of the longest line that is read: far above what any judge can be shown."""

MOST_WHOLE = 256 * 2**20
"""Bytes of the longest file that is read as a whole (JSON, TOML), after decompression."""

MOST_SIBLINGS = 1000
"""Files of a folder among which a near name is looked for."""

BOM = b"\xef\xbb\xbf"
GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
UNREADABLE = (OSError, EOFError, zlib.error)
"""What reading an open file can raise; the last two come from broken gzip."""


@contextmanager
def opened(path: Path, *, shown: str) -> Iterator[BinaryIO]:
    """Open a regular file for reading, decompressed if its name ends in ``.gz``; refuse what is none."""
    _check_regular(path, shown)
    opener = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        stream = cast("BinaryIO", opener(path, "rb"))
    except OSError as error:
        raise Refused(f"{shown}: cannot be opened: {_reason(error)}") from None
    with stream:
        yield stream


def _check_regular(path: Path, shown: str) -> None:
    try:
        if path.is_file():
            return
        if path.is_dir():
            raise Refused(f"{shown}: is a folder; expected a file")
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise Refused(f"{shown}: cannot be opened: {_reason(error)}") from None
    if exists:
        # A pipe or a device may block for ever or never end.
        raise Refused(f"{shown}: is neither a file nor a folder; expected a regular file")
    raise Refused(f"{shown}: there is no such file.{_nearest_file(path)}")


def _nearest_file(path: Path) -> str:
    try:
        siblings = sorted(os.listdir(path.parent))  # noqa: PTH208 - names only
    except (OSError, ValueError):
        return f" There is no folder {quoted(path.parent.name)} either."
    return nearest(printable(path.name), [printable(name) for name in siblings[:MOST_SIBLINGS]])


def _reason(error: Exception) -> str:
    return printable(getattr(error, "strerror", None) or str(error), clip=120)


def numbered_lines(stream: BinaryIO, *, shown: str) -> Iterator[tuple[int, bytes]]:
    """
    Yield the lines of a file with their numbers from 1, without a byte order mark.

    Only a line feed ends a line, as in every editor: JSON strings may hold U+2028 and the like.
    """
    number = 0
    try:
        for number, line in enumerate(iter(lambda: stream.readline(MOST_LINE + 1), b""), start=1):
            if len(line) > MOST_LINE:
                raise Refused(
                    f"{shown}:{number}: the line is longer than {MOST_LINE >> 20} MiB; "
                    "expected one row a line"
                )
            yield number, line.removeprefix(BOM) if number == 1 else line
    except UNREADABLE as error:
        raise broken(error, f"{shown}:{number + 1}") from None


def whole_text(stream: BinaryIO, *, shown: str) -> str:
    """Read a whole file as text, without a byte order mark."""
    try:
        data = stream.read(MOST_WHOLE + 1)
    except UNREADABLE as error:
        raise broken(error, shown) from None
    if len(data) > MOST_WHOLE:
        raise Refused(
            f"{shown}: is longer than {MOST_WHOLE >> 20} MiB; write it as JSON Lines, one row a line"
        )
    data = data.removeprefix(BOM)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start)
        start = data.rfind(b"\n", 0, error.start) + 1
        raise Refused(f"{shown}:{line + 1}: {undecodable(data, error.start, column_from=start)}") from None


def decoded(line: bytes) -> str:
    """Decode one line; refuse a byte that is not UTF-8, with its column."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(undecodable(line, error.start)) from None


def undecodable(data: bytes, position: int, *, column_from: int = 0) -> str:
    """Say which byte is not UTF-8 and what the file probably is."""
    if data.startswith(GZIP):
        return "is compressed with gzip; name the file so: NAME.jsonl.gz"
    if data.startswith(UTF_16):
        return "is UTF-16; save the file as UTF-8"
    column = position - column_from + 1
    return f"byte 0x{data[position]:02x} in column {column} is not UTF-8; save the file as UTF-8"


def broken(error: Exception, place: str) -> Refused:
    """Return the refusal of a file that breaks while it is read."""
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return Refused(f"{place}: cannot be read: {_reason(error)}")
    if str(error).startswith("Not a gzipped file"):
        return Refused(f"{place}: is not compressed with gzip; name the file without .gz")
    return Refused(f"{place}: broken gzip: {_reason(error)}; compress or fetch the file again")
