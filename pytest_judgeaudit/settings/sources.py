"""The file that a configuration comes from, and how a fault in it is addressed: file, line, table, key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.faults import Fault, dotted
from pytest_judgeaudit.settings.locating import lines_of
from pytest_judgeaudit.settings.showing import key, shown

FILE = "judgeaudit.toml"
PROJECT = "pyproject.toml"
SECTION = ("tool", "judgeaudit")
_MOST_FAULTS = 30

Key = tuple[str | int, ...]


class Source(NamedTuple):
    """A file that was read: how errors call it, its text, and the table that is ours with its address."""

    file: Path
    label: str
    text: str
    table: Mapping[str, Any]
    prefix: Key


def find_source(file: Path | None, root: Path) -> Source | None:
    """
    Find and parse the file that holds the configuration; None where there is none.

    ``file`` where one is named, else ``judgeaudit.toml`` in ``root``, else ``[tool.judgeaudit]`` in its
    ``pyproject.toml``. Refused: a file that is missing, unreadable, or no TOML.
    """
    if file is not None:
        source = _parsed(file, _label(file, root))
        if file.name == PROJECT and not source.prefix:
            raise Refused(
                f"{source.label}: has no table [tool.judgeaudit]. Write one, or name another file."
            )
        return source
    if (root / FILE).exists():
        return _parsed(root / FILE, FILE)
    project = root / PROJECT
    if not project.exists():
        return None
    source = _parsed(project, project.name)
    return source if source.prefix else None


def _parsed(file: Path, label: str) -> Source:
    try:
        text = file.read_bytes().decode("utf-8-sig")
        table: Any = tomli.loads(text)
    except OSError as error:
        raise Refused(f"{label}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{label}: is not UTF-8 (byte {error.start})") from None
    except tomli.TOMLDecodeError as error:
        raise Refused(f"{label}:{error.lineno}: {_sentence(error.msg)} (column {error.colno})") from None
    except (ValueError, RecursionError):
        raise Refused(f"{label}: holds a number or a nesting that is too large to be read") from None
    if file.name != PROJECT:
        return Source(file, label, text, table, ())
    tool = table.get("tool")
    ours = tool.get("judgeaudit") if isinstance(tool, dict) else None
    if ours is None:
        return Source(file, label, text, {}, ())
    if not isinstance(ours, dict):
        raise Refused(f"{label}: tool.judgeaudit: found {shown(ours)}, expected a table.")
    return Source(file, label, text, ours, SECTION)


def _sentence(message: str) -> str:
    return "broken TOML: " + message[:1].lower() + message[1:]


def _label(file: Path, root: Path) -> str:
    try:
        return file.resolve().relative_to(root.resolve()).as_posix()
    except (ValueError, OSError):
        return str(file)


def addressed_lines(source: Source, faults: Sequence[Fault]) -> Iterator[str]:
    """Write one line a fault: file and line, table with its name, key, and what is wrong."""
    lines = lines_of(source.text)
    numbered = [(_line(lines, (*source.prefix, *path)), path, message) for path, message in faults]
    for line, path, message in sorted(numbered, key=lambda fault: fault[0])[:_MOST_FAULTS]:
        where = f"{source.label}:{line}" if line else source.label
        yield f"{where}: {_spoken(source, path)}: {message}"
    if len(faults) > _MOST_FAULTS:
        yield f"{source.label}: and {len(faults) - _MOST_FAULTS} more"


def _line(lines: Mapping[Key, int], path: Key) -> int:
    """Give the line of a key, else of the table that it is missing from; 0 where it is not known."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 0)


def _spoken(source: Source, path: Key) -> str:
    """Write a path as a person would say it: ``judge[2] "qwen": limits.timeout``."""
    head = ".".join(map(key, map(str, source.prefix)))
    head = f"{head}." if head else ""
    if len(path) < 2 or not isinstance(path[1], int):
        return head + dotted(path)
    entry = source.table[str(path[0])][path[1]]
    name = entry.get("name", entry.get("id")) if isinstance(entry, dict) else None
    table = head + dotted(path[:2]) + (f" {shown(name)}" if isinstance(name, str) else "")
    return f"{table}: {dotted(path[2:])}" if len(path) > 2 else table
