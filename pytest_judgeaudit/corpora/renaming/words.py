"""Words of a text, and the pieces of a word: what a renaming sees."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator

RUN = re.compile(r"\w+(?:-\w+)*")
"""A word with its hyphens: one name in COBOL, names with minus signs between them elsewhere."""

_PIECE = re.compile(r"[^\W_]+")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_UPPER = frozenset(string.ascii_uppercase)

SHORTEST = 3
"""Characters of the shortest piece that is replaced: there are too few shorter ones to be novel."""

MOST_PIECES = 32
"""Pieces of the longest name, and of the longest sequence of pieces that is looked up."""


def lowered(text: str) -> str:
    """
    Return a text with ASCII letters in lower case, character for character.

    >>> lowered("LOAN-Rate"), len(lowered("İ"))
    ('loan-rate', 1)
    """
    return text.translate(_LOWER)


def cased(text: str, like: str) -> str:
    """
    Return a text of lower case with capital letters where another one of its length has them.

    >>> cased("qzxv-bt", "Loan-NO")
    'Qzxv-BT'
    """
    return "".join(new.upper() if old in _UPPER else new for new, old in zip(text, like, strict=True))


def pieces(word: str) -> list[tuple[int, int]]:
    """
    Return the spans of a word's pieces, which hyphens and underscores divide.

    >>> [ "_ws-part_no"[a:b] for a, b in pieces("_ws-part_no")]
    ['ws', 'part', 'no']
    """
    return [found.span() for found in _PIECE.finditer(word)]


def kept(word: str, protected: Collection[str]) -> list[bool]:
    """
    Say of each piece of a word in lower case whether it stays.

    A piece stays if it is too short, a number, or part of a protected word that stands in the word.

    >>> kept("vsam-master", {"vsam"}), kept("ws-part-100", ())
    ([True, False], [True, False, True])
    """
    spans = pieces(word)
    stays = [not _is_changeable(word[start:end]) for start, end in spans]
    for first, last, _ in sequences(word, protected):
        stays[first : last + 1] = [True] * (last + 1 - first)
    return stays


def _is_changeable(piece: str) -> bool:
    return len(piece) >= SHORTEST and any(letter in string.ascii_lowercase for letter in piece)


def sequences(word: str, wanted: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """
    Yield the wanted words among the sequences of a word's pieces, with the numbers of their first and last.

    Both the word and what is wanted are in lower case. Leading and trailing underscores belong to the
    whole word only.
    """
    spans = pieces(word)
    if word in wanted and spans:
        yield 0, len(spans) - 1, word
    for first, (start, _) in enumerate(spans):
        for last in range(first, min(len(spans), first + MOST_PIECES)):
            sequence = word[start : spans[last][1]]
            if sequence != word and sequence in wanted:
                yield first, last, sequence


def names_in(text: str) -> Iterator[str]:
    r"""
    Yield every reading of the words of a text, in lower case: whole, and each sequence between its hyphens.

    A letter behind a backslash may belong to an escape, so that such a word is read without it too.

    >>> sorted(names_in(r"a-b \tc"))
    ['a', 'a-b', 'b', 'c', 'tc']
    """
    for found in RUN.finditer(text):
        word = lowered(found[0])
        readings = [word]
        if found.start() and text[found.start() - 1] == "\\":
            readings.append(word[1:])
        for reading in readings:
            parts = reading.split("-")
            for first in range(len(parts)):
                for last in range(first + 1, min(len(parts), first + MOST_PIECES) + 1):
                    name = "-".join(parts[first:last])
                    if name:
                        yield name
