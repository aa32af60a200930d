"""What planted projects are made of, and how their reports are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Report = Mapping[str, Any]


class Missed(Exception):  # noqa: N818 - reads as what it is: the audit missed a fault
    """What was found where something else had to be."""


class Check(NamedTuple):
    """A planted fault by name, and the function that looks for it in the report of its project."""

    fault: str
    look: Callable[[Report], str]


class Planted(NamedTuple):
    """A project: its files, the options of each run of it, and the checks of the last run's report."""

    files: Mapping[str, str]
    runs: Sequence[Sequence[str]]
    checks: Sequence[Check]


def judge_table(name: str, **keys: Any) -> str:
    """Write a judge's table."""
    values = {"name": name, "family": name, **keys}
    return "[[judge]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + " }"
    return json.dumps(value)


def expect(value: object, expected: object, *, found: object = None) -> None:
    """Raise Missed unless a value is the expected one."""
    if value != expected:
        raise Missed(f"expected {expected}, found {found or value}")


def one(entries: Iterable[Mapping[str, Any]], **keys: str) -> Mapping[str, Any]:
    """Return the entry that has these values; raise Missed where there is none."""
    for entry in entries:
        if all(entry[key] == value for key, value in keys.items()):
            return entry
    raise Missed(f"no entry of {', '.join(keys.values())} in the report")
