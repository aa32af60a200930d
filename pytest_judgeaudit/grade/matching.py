"""
Matchers: whether an answer states a fact.

Text and needle pass the one normaliser. Literal needles (``literal``, ``any-of``, ``all-of``) compare
folded; ``path``, ``symbol``, ``regex`` and ``near`` see unfolded text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

from pytest_judgeaudit.grade import patterns
from pytest_judgeaudit.grade.denial import PLAIN, WIDE, masked, without_hedges, without_idioms
from pytest_judgeaudit.grade.normalise import folded, plain
from pytest_judgeaudit.grade.paths import asserting_clauses, asserts, mention, names, spelled
from pytest_judgeaudit.records.errors import PluginFault, Refused, nearest
from pytest_judgeaudit.records.questions import MATCHERS, FactMatcher, Match

_LISTS = ("any-of", "all-of")
_WITH_FLAGS = ("regex", "near", "symbol")
MATCH_KEYS = ("type", "value", "flags", "within", "asserted")
WIDEST = 100_000
"""The widest gap of ``near``, in characters."""


class Span(NamedTuple):
    """Where a matcher matched."""

    start: int
    end: int


Finder = Callable[[str], Span | None]
"""From a plain text to the first match in it."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A match, compiled. ``negative``: its own words deny, so that they are part of the claim."""

    match: Match
    find: Finder
    negative: bool


def match_of(spec: Mapping[str, Any], *, contributed: Mapping[str, FactMatcher] | None = None) -> Match:
    """
    Read a match object, strictly, and compile it once.

    ``contributed`` are the matchers of other plug-ins; the value of one is a text or a list of texts.
    Refused: an unknown type or key, a missing or empty value, a value of another kind, a broken pattern.

    >>> match_of({"type": "near", "value": ["mast", "down"], "within": 0}).within
    0
    """
    kind = spec.get("type")
    others = contributed or {}
    known = (*MATCHERS, *others)
    if not isinstance(kind, str) or kind not in known:
        hint = nearest(kind, known) if isinstance(kind, str) else ""
        raise Refused(f"unknown matcher {_shown(kind)}; there are {', '.join(known)}.{hint}")
    for key in spec:
        if key not in MATCH_KEYS:
            raise Refused(
                f"unknown key {_shown(key)} in match; there are {', '.join(MATCH_KEYS)}."
                f"{nearest(key, MATCH_KEYS)}"
            )
    match = Match(
        type=kind,
        values=_values(kind, spec.get("value"), many=_takes_many(kind, spec.get("value"), others)),
        flags=_flags(kind, spec.get("flags")),
        within=_within(kind, spec.get("within")),
        asserted=_boolean(spec.get("asserted")),
        version=others[kind].version if kind in others else "",
        contributed=others.get(kind),
    )
    matcher(match)
    return match


def _takes_many(kind: str, value: object, others: Container[str]) -> bool:
    return kind in _LISTS or kind == "near" or (kind in others and isinstance(value, list))


def _values(kind: str, value: object, *, many: bool) -> tuple[str, ...]:
    values = value if many else [value]
    if value is None:
        raise Refused(f"{kind} has no value")
    if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
        expected = "a list of texts" if many else "a text"
        raise Refused(f"the value of {kind} must be {expected}, found {_shown(value)}")
    if kind == "near" and len(values) != 2:
        raise Refused(f"the value of near must be two patterns, found {len(values)}")
    if not values:
        raise Refused(f"the value of {kind} is an empty list, which says nothing")
    for one in values:
        if not one.strip():
            raise Refused(f"a value of {kind} is empty, which every answer contains")
    return tuple(values)


def _flags(kind: str, flags: object) -> str | None:
    if flags is None:
        return None
    if not isinstance(flags, str) or kind not in _WITH_FLAGS:
        raise Refused(
            f"flags must be a text and belong to {', '.join(_WITH_FLAGS)}, found {_shown(flags)} in {kind}"
        )
    return flags


def _within(kind: str, within: object) -> int:
    if within is None:
        return 100
    whole = isinstance(within, int) and not isinstance(within, bool)
    if kind != "near" or not whole or not 0 <= cast("int", within) <= WIDEST:
        raise Refused(
            f"within must be a whole number from 0 to {WIDEST} and belongs to near, found {_shown(within)}"
        )
    return cast("int", within)


def _boolean(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise Refused(f"asserted must be true or false, found {_shown(value)}")


def _shown(value: object) -> str:
    return ascii(value)[:60] if value is not None else "nothing"


def matcher(match: Match) -> Matcher:
    """
    Compile a match; a broken pattern and a needle of which nothing is left are refused.

    Raises PluginFault where what matches is a plug-in's that stayed in another process.
    """
    if match.type not in MATCHERS and match.contributed is None:
        raise PluginFault(f"the matcher {_shown(match.type)} of a plug-in is not at hand here")
    return _compiled(match, match.contributed)


@lru_cache(maxsize=4096)
def _compiled(match: Match, own: FactMatcher | None) -> Matcher:
    deny = any(WIDE.search(without_idioms(plain(value).lower())) for value in match.values)
    if own is not None:
        return Matcher(match, _contributed(own, match), deny)
    return Matcher(match, _FINDERS[match.type](match), deny)


def _contributed(own: FactMatcher, match: Match) -> Finder:
    finder = own.compile(match.values)

    def find(text: str) -> Span | None:
        found = finder(text)
        return None if found is None else Span(*found)

    return find


def _literals(match: Match) -> Finder:
    needles = [folded(plain(value).strip()) for value in match.values]
    for value, needle in zip(match.values, needles, strict=True):
        if not needle.strip():
            raise Refused(
                f"nothing is left of the literal {value[:60]!a} without decoration and separators"
            )
    wanted = all if match.type == "all-of" else any

    def find(text: str) -> Span | None:
        haystack = folded(text)
        return Span(0, len(text)) if wanted(needle in haystack for needle in needles) else None

    return find


def _path(match: Match) -> Finder:
    path = plain(match.values[0])
    if not re.search(r"\w", spelled(path)):
        raise Refused(f"the path {match.values[0][:60]!a} names nothing")
    pattern = mention(path)

    def find(text: str) -> Span | None:
        found = pattern.search(text)
        return None if found is None else Span(*found.span())

    return find


def _symbol(match: Match) -> Finder:
    symbol = plain(match.values[0]).strip()
    if not symbol:
        raise Refused(f"nothing is left of the symbol {match.values[0][:60]!a} without decoration")
    # An option is not the beginning of a longer one.
    behind = r"(?!\w)(?!-\w)" if symbol.startswith("-") else r"(?!\w)"
    before = r"(?<![\w-])" if symbol.startswith("-") else r"(?<!\w)"
    return _by(patterns.compiled(before + re.escape(symbol) + behind, flags=match.flags))


def _regex(match: Match) -> Finder:
    return _by(patterns.compiled(match.values[0], flags=match.flags))


def _near(match: Match) -> Finder:
    first, second = match.values
    return _by(patterns.near(first, second, within=match.within, flags=match.flags))


def _by(pattern: patterns.Pattern) -> Finder:
    def find(text: str) -> Span | None:
        found = pattern.find(text)
        return None if found is None else Span(*found)

    return find


_FINDERS: Mapping[str, Callable[[Match], Finder]] = {
    "literal": _literals,
    "any-of": _literals,
    "all-of": _literals,
    "path": _path,
    "symbol": _symbol,
    "regex": _regex,
    "near": _near,
}


def hit(text: str, match: Match) -> bool:
    """
    Whether an answer states a *required* fact.

    A path counts where it is named outside of a denial; the other types anywhere in the answer, since a
    fact may itself be negative. ``asserted`` of the match chooses: True: outside of denying clauses;
    False: anywhere. Raises SlowPattern for a pattern that does not finish.

    >>> hit("A **single**-writer design.", match_of({"type": "literal", "value": "single writer"}))
    True
    """
    bare = plain(text)
    if match.type == "path" and match.asserted is not False:
        return asserts(plain(match.values[0]), bare)
    if match.asserted:
        return _assertion(bare, matcher(match), PLAIN) is not None
    return matcher(match).find(bare) is not None


def asserted(text: str, match: Match) -> str | None:
    """
    Return the clause in which an answer asserts a *forbidden* fact, None if it does not.

    Only clauses without anything that may be a denial count: a false accusation is the dearer error.
    """
    return _assertion(plain(text), matcher(match), WIDE)


def _assertion(bare: str, wanted: Matcher, cues: re.Pattern[str]) -> str | None:
    for clause in asserting_clauses(bare):
        found = wanted.find(clause.text)
        if found is None:
            continue
        shadow = clause.masked if cues is WIDE else without_hedges(clause.masked)
        if wanted.negative:
            claim = " " * (found.end - found.start)
            shadow = shadow[: found.start] + claim + shadow[found.end :]
        if not cues.search(shadow):
            return clause.text.strip()
    return None


def mentions(text: str, path: str) -> bool:
    """Whether an answer names a path anywhere, asserted or denied."""
    return names(plain(path), plain(text))


def shadow_of(text: str) -> str:
    """Return the masked text in which denials are looked for; for messages and tests."""
    return without_idioms(masked(plain(text)))
