"""
Regular expressions that come from files: they may be wrong, slow or hostile, and cannot hang a run.

The engine is the ``regex`` package, which stops a search after a time limit (of processor time, so that
a busy machine decides nothing). What its limit does not cover is refused before it is compiled: counted
repetitions that are unrolled, recursion, very long patterns.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from pytest_judgeaudit.records.errors import Refused, Void

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_S = 2.0
"""Processor seconds that one search may take. Ordinary patterns need a millionth of it."""

LONGEST = 2000
MOST_COPIES = 10_000

_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE}
_OF_JAVASCRIPT = frozenset("gu")  # what they say holds here in any case
_COUNTED = re.compile(r"\{(\d+)(?:,\d*)?\}")
_RECURSION = re.compile(r"\(\?(?:R|[+-]?\d|&|P>|\()")
_REFERENCE = re.compile(r"\\[1-9]")


class SlowPattern(Void):
    """A pattern did not finish on an answer: nothing was measured, neither a hit nor a miss."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern from a file, compiled and bounded in time."""

    source: str
    engine: regex.Pattern[str]

    def find(self, text: str) -> tuple[int, int] | None:
        """Return the span of the first match, None without one. Raises :class:`SlowPattern`."""
        found = self._search(text)
        return None if found is None else found.span()

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of all matches, left to right. Raises :class:`SlowPattern`."""
        try:
            for found in self.engine.finditer(text, timeout=LIMIT_S):
                yield found.span()
        except TimeoutError:
            raise self._slow(text) from None

    def _search(self, text: str) -> regex.Match[str] | None:
        try:
            return self.engine.search(text, timeout=LIMIT_S)
        except TimeoutError:
            raise self._slow(text) from None

    def _slow(self, text: str) -> SlowPattern:
        return SlowPattern(
            f"the pattern {self.source[:60]!a} did not finish within {LIMIT_S:g} s on an answer of "
            f"{len(text)} characters; write it without nested repetition"
        )


def compiled(source: str, *, flags: str | None = None) -> Pattern:
    """
    Compile a pattern; ``flags`` of None is the default, ``i``, and an empty text means none.

    Refused: what does not compile, unknown flags, and what could exhaust memory.
    """
    _check_size(source)
    return _engine(source, "i" if flags is None else flags)


def _engine(source: str, flags: str) -> Pattern:
    wanted: int = regex.VERSION0
    for flag in flags:
        if flag not in _FLAGS and flag not in _OF_JAVASCRIPT:
            raise Refused(f"unknown flag {flag!a}; expected letters of i, m, s, x")
        wanted |= _FLAGS.get(flag, 0)
    try:
        return Pattern(source, regex.compile(source, wanted))
    except regex.error as error:
        raise Refused(f"the pattern {source[:60]!a} is broken: {error}") from None
    except (RecursionError, MemoryError, OverflowError, ValueError):
        raise Refused(f"the pattern {source[:60]!a} is nested too deeply or too large") from None


def _check_size(source: str) -> None:
    if len(source) > LONGEST:
        raise Refused(f"the pattern has {len(source)} characters; expected at most {LONGEST}")
    if _RECURSION.search(source):
        raise Refused(f"the pattern {source[:60]!a} calls itself or asks for a group; write it out")
    # The engine unrolls required copies, those of a repetition inside of another by their product.
    copies = math.prod(max(1, int(found[1][:9])) for found in _COUNTED.finditer(source))
    if copies > MOST_COPIES:
        raise Refused(
            f"the pattern {source[:60]!a} repeats too much; expected at most {MOST_COPIES} copies"
        )


def near(first: str, second: str, *, within: int, flags: str | None = None) -> Pattern:
    """
    Compile "both patterns, at most ``within`` characters apart, in either order, across lines".

    Refused as by :func:`compiled`; also numbered references to groups, which have other numbers here.
    """
    for source in (first, second):
        compiled(source, flags=flags)
        if _REFERENCE.search(source):
            raise Refused(f"the pattern {source[:60]!a} refers to a group by number; give the group a name")
    gap = rf"[\s\S]{{0,{within}}}?"
    # The line feeds end comments of verbose patterns, and are nothing to the others.
    end = "\n" if flags and "x" in flags else ""
    one, other = f"(?:{first}{end})", f"(?:{second}{end})"
    return _engine(f"{one}{gap}{other}|{other}{gap}{one}", "i" if flags is None else flags)
