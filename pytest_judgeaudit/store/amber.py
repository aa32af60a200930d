"""
Accepted grades as text: named tables of lines in syrupy's amber format, written and read without syrupy.

A file holds one snapshot a cell; a snapshot is a dictionary from a task's presentation to the accepted
answer digest, verdict and grade. The bytes are those that syrupy writes for the same dictionary.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.files import read_file, shown, write_atomically

VERSION = "1"
"""Version of the amber format."""

_OPEN, _CLOSE = "dict({\n", "})"
_ROW = re.compile(r"  '([^'\\\n]*)': '([^'\\\n]*)',\n")
_CONFLICT = ("<<<<<<< ", "=======", ">>>>>>> ")


def table_text(rows: Mapping[str, str]) -> str:
    """
    Return the text of one snapshot, sorted by key, ASCII whatever the rows hold.

    >>> print(table_text({"c2-AB": "9f tie success", "c1-AB": "07 A adverse"}))
    dict({
      'c1-AB': '07 A adverse',
      'c2-AB': '9f tie success',
    })
    """
    return _OPEN + "".join(f"  {key!a}: {rows[key]!a},\n" for key in sorted(rows)) + _CLOSE


def read_table(text: str) -> dict[str, str]:
    """Read what :func:`table_text` wrote; Refused (without the place) for anything else."""
    body = text.removeprefix(_OPEN).removesuffix(_CLOSE)
    if len(body) == len(text) - len(_OPEN) - len(_CLOSE):
        rows = _ROW.findall(body)
        if sum(len(key) + len(value) for key, value in rows) + 10 * len(rows) == len(body):
            return dict(rows)
        try:
            found = ast.literal_eval("{" + body + "}")
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            found = None
        if isinstance(found, dict) and all(isinstance(one, str) for row in found.items() for one in row):
            return found
    raise Refused("is no table of accepted grades")


def read_amber(path: Path) -> dict[str, str]:
    """
    Return name -> text of all snapshots of a file, empty where there is none.

    Refused: another version of the format, or marks of a merge that was not finished.
    """
    content = read_file(path)
    if content is None:
        return {}
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    if lines[0] != f"# serializer version: {VERSION}":
        raise Refused(
            f"{shown(path)}:1: expected '# serializer version: {VERSION}', found {lines[0]!r:.60}. "
            "Restore the file, or remove it and accept the grades anew."
        )
    snapshots: dict[str, str] = {}
    name: str | None = None
    rows: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        if line.startswith(_CONFLICT):
            raise Refused(f"{shown(path)}:{number}: holds a merge that was not finished. Finish it.")
        if line.startswith("# name: ") and name is None:
            name, rows = line.removeprefix("# name: "), []
        elif line == "# ---" and name is not None and name not in snapshots:
            snapshots[name], name = "\n".join(rows), None
        elif line.startswith("  ") and name is not None:
            rows.append(line[2:])
        elif line or name is not None:
            raise _torn(path, number, line)
    if name is not None:
        raise _torn(path, len(lines), "the end of the file")
    return snapshots


def _torn(path: Path, number: int, found: str) -> Refused:
    """Refuse what was cut or edited: half a file would switch the comparison off in silence."""
    return Refused(
        f"{shown(path)}:{number}: found {found!r:.60} where no accepted grade can stand. Restore the file, "
        "or remove it and accept the grades anew."
    )


def write_amber(folder: Path, path: Path, snapshots: Mapping[str, str]) -> bool:
    """Write a file below ``folder`` as a whole, sorted by name; False if it was the same already."""
    parts = [f"# serializer version: {VERSION}\n"]
    for name in sorted(snapshots):
        indented = "".join(f"  {line}\n" for line in snapshots[name].split("\n"))
        parts.append(f"# name: {name}\n{indented}# ---\n")
    return write_atomically(folder, path, "".join(parts).encode("utf-8"))
