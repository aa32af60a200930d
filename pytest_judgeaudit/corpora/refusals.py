"""Refusals as values: all that is wrong with a file is said at once, in one error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from pytest_judgeaudit.records.errors import Refused

T = TypeVar("T")

SHOWN = 10
"""The most refusals that are worded; the rest is counted."""


def unless_refused(items: Iterable[T | Refused]) -> Iterator[T]:
    """
    Yield the items, and once all have been read refuse them together if any is a refusal.

    The error has one line per refusal, ten at most, and ``... and N more``. A consumer that streams has
    seen the good items by then and must not use them.
    """
    lines: list[str] = []
    more = 0
    for item in items:
        if not isinstance(item, Refused):
            yield item
        elif len(lines) < SHOWN:
            lines.append(str(item))
        else:
            more += 1
    if lines:
        raise Refused("\n".join([*lines, f"... and {more} more"] if more else lines))
