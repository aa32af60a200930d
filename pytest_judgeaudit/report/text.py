"""Foreign text made safe to show: model names, task ids and reasons may hold anything."""

from __future__ import annotations

import re
import unicodedata

SHOWN = 400
"""The most characters of one foreign text that a line shows."""

_PRINTABLE = re.compile(r"[\x20-\x7e]*")


def safe(text: str, *, shown: int = SHOWN) -> str:
    r"""
    Escape what a terminal or a reader could take for something else, and cut what is too long.

    Control characters (escape sequences among them), line ends, bidirectional and other format controls,
    separators, lone surrogates, private and unassigned characters become ``\xNN`` or ``\uNNNN``; letters of
    any script stay.

    >>> safe("qwen\x1b[2J\n\u202emodel\ud800 Ж🙂")
    'qwen\\x1b[2J\\x0a\\u202emodel\\ud800 Ж🙂'
    """
    cut = text if len(text) <= shown else f"{text[:shown]}…"
    if _PRINTABLE.fullmatch(cut):
        return cut
    return "".join(map(_escaped, cut))


def _escaped(character: str) -> str:
    category = unicodedata.category(character)
    if character == " " or (category[0] != "C" and category not in {"Zl", "Zp"}):
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cells_wide(text: str) -> int:
    """
    Count the terminal columns that a text takes: wide characters take two, combining ones none.

    >>> cells_wide("abc"), cells_wide("日本"), cells_wide("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def fitted(text: str, width: int) -> str:
    """
    Cut a text in the middle so that it takes at most ``width`` columns.

    >>> fitted("qwen2.5-32b-instruct-neutral", 16), fitted("short", 16)
    ('qwen2.5-…neutral', 'short')
    """
    if cells_wide(text) <= width:
        return text
    head, tail = list(text[: max(1, width // 2)]), list(text[-max(1, width - width // 2 - 1) :])
    while head and cells_wide("".join(head)) > width // 2:
        head.pop()
    while tail and cells_wide("".join(tail)) > width - width // 2 - 1:
        tail.pop(0)
    return f"{''.join(head)}…{''.join(tail)}"


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text with spaces to ``width`` columns, on its left where ``right`` aligns it."""
    space = " " * max(0, width - cells_wide(text))
    return space + text if right else text + space
