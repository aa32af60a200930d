"""How values of a file are worded in a refusal: short, in one line, harmless on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from pytest_judgeaudit.records.errors import nearest

CLIP = 60
"""The most characters that are shown of a value."""

MOST_NAMES = 100
"""The most names among which a near one is looked for: a hostile row may have millions."""


def printable(text: str, *, clip: int = CLIP) -> str:
    r"""
    Return a clipped text without anything that could move a cursor or fail to be written.

    Control and format characters and lone surrogates become escapes.

    >>> printable("a\x1b[2J\ud800")
    'a\\x1b[2J\\ud800'
    """
    shown = text if len(text) <= clip else f"{text[:clip]}…"
    return shown if shown.isprintable() else "".join(map(_escaped, shown))


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def quoted(text: str) -> str:
    """
    Return a text in double quotes, clipped and printable.

    >>> quoted("neutral")
    '"neutral"'
    """
    return f'"{printable(text)}"'


def found(value: object) -> str:
    """
    Word what was found where something else was expected, in the terms of the file.

    >>> found(None), found(True), found(3), found("third"), found([1, 2])
    ('null', 'true', '3', '"third"', 'a list of 2')
    """
    for kind, word in WORDS:
        if isinstance(value, kind):
            return word(value)
    return f"a value of type {printable(type(value).__name__)}"


def _whole_number(value: int) -> str:
    # Python refuses to write integers of thousands of digits.
    return str(value) if value.bit_length() < 200 else "a huge number"


WORDS: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (type(None), lambda _: "null"),
    (bool, lambda value: "true" if value else "false"),
    (int, _whole_number),
    (float, repr),
    (str, quoted),
    (list, lambda value: f"a list of {len(value)}"),
    (tuple, lambda value: f"a list of {len(value)}"),
    (Mapping, lambda _: "an object"),
)
"""How a value of a type is worded; a boolean is an integer too and so comes first."""


def listed(names: Iterable[str], *, most: int = 8) -> str:
    """
    List names for a person, the first few of them.

    >>> listed(["set", "no"]), listed([])
    ('"set", "no"', 'nothing')
    """
    shown = [quoted(name) for name in names]
    rest = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + rest if shown else "nothing"


@lru_cache(maxsize=256)
def near(word: str, names: tuple[str, ...]) -> str:
    """
    Say which of the names was probably meant, as :func:`records.errors.nearest` does; empty when none is.

    Remembered, because a wrong name is usually wrong in every row of a file.
    """
    return nearest(printable(word), [printable(name) for name in names[:MOST_NAMES]])
