"""How a value from a file is shown in an error: bounded, in one line, never a secret."""

from __future__ import annotations

import re
from typing import Any

from pytest_judgeaudit.settings.secrets import looks_random, looks_secret, names_secret

_LONGEST = 60
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,40}")


def quoted(text: str, *, longest: int = _LONGEST) -> str:
    r"""
    Return a text in double quotes, cut where it is long, with control characters escaped.

    >>> print(quoted("qwen"), quoted("two\nlines"), len(quoted("a" * 1000)))
    "qwen" "two\nlines" 62
    """
    return f'"{escaped(text, longest=longest)}"'


def escaped(text: str, *, longest: int) -> str:
    """Return a text cut to so many characters, with everything that is no printable one escaped."""
    short = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in short)


def key(name: str) -> str:
    """Return a key as it can be written in TOML; one that is not bare, or long, is quoted and bounded."""
    if looks_secret(name):
        return '"<not shown: it looks like a secret>"'
    return name if _BARE_KEY.fullmatch(name) else quoted(name)


def shown(value: Any, *, name: str = "") -> str:
    """
    Say what was found under a key.

    >>> [shown(value) for value in ("low", True, 3, [1, 2], {}, 2.5)]
    ['"low"', 'true', '3', 'an array of 2', 'an empty table', '2.5']
    >>> shown("hunter2", name="password")
    'a value that looks like a secret and is not shown'
    """
    match value:
        case str():
            found = _text(value, name)
        case bool():
            found = "true" if value else "false"
        case int():
            found = str(value) if value.bit_length() <= 128 else "a huge integer"
        case float():
            found = repr(value)
        case dict():
            found = "a table" if value else "an empty table"
        case list():
            found = f"an array of {len(value)}" if value else "an empty array"
        case _:
            found = f"a {type(value).__name__}"
    return found


def _text(value: str, name: str) -> str:
    if value and (names_secret(name) or looks_secret(value) or looks_random(value)):
        return "a value that looks like a secret and is not shown"
    return quoted(value)
