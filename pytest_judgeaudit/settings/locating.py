"""On which line of a TOML file a key stands. Only asked for when there is an error to report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import tomli

Path = tuple[str | int, ...]

_LONGEST_STATEMENT = 400


def lines_of(text: str) -> dict[Path, int]:
    r"""
    Return the line, from 1, on which each table and key of a valid TOML text begins.

    Keys inside an inline table or array have the line on which the whole statement begins. Entries of
    arrays of tables are numbered from 0. After a statement of very many lines nothing more is found.

    >>> lines_of('[[judge]]\nname = "a"\n\n[[judge]]\nlimits = { timeout = 1 }')[("judge", 1, "limits")]
    5
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    for number, source, statement in _statements(text):
        if source.startswith("["):
            table = _header(statement, counts, is_array=source.startswith("[["))
            found.setdefault(table, number)
        else:
            for path in _paths(statement):
                found.setdefault((*table, *path), number)
    return found


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Each header and key-value pair: the number of its first line, its text, and what it says alone."""
    begun, pending = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        begun = begun if pending else number
        pending += line + "\n"
        if number - begun > _LONGEST_STATEMENT:
            return
        try:
            statement = tomli.loads(pending)
        except (ValueError, RecursionError):
            continue  # the statement goes on: a valid text has no invalid statement
        if statement:
            yield begun, pending.strip(), statement
        pending = ""


def _header(statement: Mapping[str, Any], counts: dict[Path, int], *, is_array: bool) -> Path:
    """Give the path of a table's header; names on the way that are arrays stand for their last entry."""
    names: list[str] = []
    inner: Any = statement
    while isinstance(inner, dict) and inner:
        name, inner = next(iter(inner.items()))
        names.append(name)
    path: Path = ()
    for name in names[:-1]:
        path = (*path, name)
        path = (*path, counts[path]) if path in counts else path
    path = (*path, names[-1])
    if is_array:
        counts[path] = counts.get(path, -1) + 1
        path = (*path, counts[path])
    return path


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    entries = (
        enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    )
    for part, inner in entries:
        yield from _paths(inner, (*path, part))
