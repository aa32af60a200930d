"""What a token of an answer is by its shape: an address, a path, a number, an identifier, or prose."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple

from pytest_judgeaudit.grade.sets import is_path

TokenSort = Literal["path", "identifier", "number"]

_CITED = re.compile(r"(?::|#L?)(?P<line>\d{1,7})(?:(?:-|\u2013)L?(?P<last>\d{1,7}))?(?::\d+)?\Z")
_NUMBER = re.compile(r"\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_DOTTED = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+")
_HYPHENATED = re.compile(r"[A-Z0-9]+(?:-[A-Z0-9]+)+")
_CAMEL = re.compile(r"[A-Za-z]+[a-z0-9][A-Z][A-Za-z0-9]*|[A-Z]{2,}[a-z]{2,}[A-Za-z0-9]*")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]{3,}")
_PLAIN = re.compile(r"[A-Za-z_][\w-]*")
_LONGEST_NUMBER = 30

# Capitals of prose, of formats and of languages: no names that a corpus would define.
_PROSE = """
    ALSO ALWAYS ANSI ASCII BOTH CICS COBOL DOES EBCDIC ERROR EXACTLY FALSE HTML HTTP HTTPS IMPORTANT
    INFO ISAM JAVA JSON KSDS LINUX MUST NEVER NONE NOTE NULL ONLY POSIX PYTHON README REST SOAP SQLITE
    TODO TOML TRUE UNIX VSAM WARNING XML YAML YES
"""
_NO_NAMES = frozenset(_PROSE.split())

_NUMERALS = (
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty "
    "sixty seventy eighty ninety"
)
NUMERALS = dict(zip(_NUMERALS.split(), [*range(11, 21), *range(30, 100, 10)], strict=True))
"""Numbers written as words; smaller ones count things in prose more often than they name a value."""


class Shape(NamedTuple):
    """A token's sort, what it names, and the lines that it cites."""

    sort: TokenSort
    text: str
    line: int | None = None
    last: int | None = None


def shape_of(token: str, *, code: bool = False) -> Shape | None:
    """
    Return what a token is, None for prose. In ``code`` a single word is a name.

    >>> shape_of("cobol/STKPOST.cbl:12-14")
    Shape(sort='path', text='cobol/STKPOST.cbl', line=12, last=14)
    >>> shape_of("2200-POST-ISSUE").sort, shape_of("12,000").sort, shape_of("well-known"), shape_of("i.e")
    ('identifier', 'number', None, None)
    """
    if "://" in token:
        return Shape("path", token)
    cited = _CITED.search(token)
    bare = token[: cited.start()] if cited else token
    if is_path(bare) and not _NUMBER.fullmatch(bare):
        line = int(cited["line"]) if cited else None
        last = int(cited["last"]) if cited and cited["last"] else None
        return Shape("path", bare, line, last)
    if _NUMBER.fullmatch(token) or _TIME.fullmatch(token) or token.lower() in NUMERALS:
        return Shape("number", token)
    name = token.removesuffix("()")
    if name != token or _is_name(name) or (code and _PLAIN.fullmatch(name) and len(name) >= 3):
        return Shape("identifier", name) if re.search(r"[^\W\d_]", name) else None
    return None


def _is_name(token: str) -> bool:
    if token in _NO_NAMES:
        return False
    if _DOTTED.fullmatch(token):
        parts = token.split(".")
        return all(len(part) > 1 for part in parts) and any(map(_is_name, parts))
    if "_" in token.strip("_"):
        return re.fullmatch(r"\w+(?:-\w+)*", token) is not None
    hyphenated = _HYPHENATED.fullmatch(token) and re.search(r"[A-Z]", token) and len(token) >= 4
    return bool(hyphenated or _CAMEL.fullmatch(token) or _CAPITALS.fullmatch(token))


def values_of(number: str, *, percent: bool = False) -> frozenset[str]:
    """
    Return the spellings under which a number is looked up; a percentage is also its share.

    A whole number keeps its leading zeros: ``05`` is a level or a code, and not five.

    >>> sorted(values_of("12,000")), sorted(values_of("60", percent=True)), sorted(values_of("05"))
    (['12000'], ['0.6', '60'], ['05'])
    """
    if number.lower() in NUMERALS:
        return frozenset({str(NUMERALS[number.lower()])})
    plain = number.replace(",", "").replace("_", "")[:_LONGEST_NUMBER]
    found = {_spelled(plain)}
    if percent:
        try:
            found.add(_spelled(str(Decimal(plain) / 100)))
        except InvalidOperation:
            return frozenset(found)
    return frozenset(found)


def _spelled(number: str) -> str:
    if "." not in number:
        return number
    whole, _, rest = number.partition(".")
    rest = rest.rstrip("0")
    return f"{whole or '0'}.{rest}" if rest else whole or "0"
