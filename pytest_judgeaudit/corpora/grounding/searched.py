"""A corpus as claims are looked up in it: its files once read, with an index of words and numbers."""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from pytest_judgeaudit.corpora.found import quoted
from pytest_judgeaudit.corpora.question_lint import excluded
from pytest_judgeaudit.corpora.trees import regular_files, source_of
from pytest_judgeaudit.grade.shapes import NUMERALS, values_of
from pytest_judgeaudit.records.errors import Refused

MOST_BYTES = 16 * 2**20
"""A file above this is listed, but not searched, as for an agent."""

MOST_IN_ALL = 32 * 2**20
"""Bytes of all files that are searched."""

LONGEST_LINE = 2000
"""Characters of a line that are searched and shown."""

_MOST_PLACES = 200
_WORD = re.compile(r"\w+(?:-\w+)*")
# A unit or the type of a literal may follow; a factor, as in 16k, makes another number of it.
_NUMBER = re.compile(
    r"(?<![\w.])(?:\d{1,2}:\d{2}(?::\d{2})?(?![\d:])|\d[\d,_]*(?:\.\d+)?|\.\d+)"
    r"(?=(?:[mun]?s|[hmd]|[uU]?[lL]{1,2}|[uUfFdDn]|[kKmMgGtT]i?[bB])?(?!\w))"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PIECE = re.compile(r"[^\W\d_]+")
_COMMENT = re.compile(r"\s*(?:[0-9 ]{6}\*>?|//\*|\*>|//|--|#+|/\*+|\*/|\*(?=\s|$)|\"\"\"|''')*\s*")
_CASELESS = frozenset({".cbl", ".cob", ".cobol", ".cpy", ".jcl", ".sql", ".asm", ".pli", ".rexx"})


class Place(NamedTuple):
    """A line of a file, from 1, and the word as it stands there."""

    file: str
    line: int
    word: str


@dataclass(frozen=True)
class SearchedCorpus:
    """
    The files of a corpus: ``lines`` by name, with forward slashes.

    ``binary`` holds files that are no text, ``unsearched`` those too large to be searched: both are there.
    """

    lines: Mapping[str, tuple[str, ...]]
    binary: tuple[str, ...] = ()
    unsearched: tuple[str, ...] = ()

    @cached_property
    def names(self) -> Mapping[str, str]:
        """All files by their name in lower case."""
        return {name.lower(): name for name in (*self.lines, *self.binary, *self.unsearched)}

    @cached_property
    def stems(self) -> Mapping[str, tuple[str, ...]]:
        """The searched files by their last name without its suffix, in lower case."""
        found: dict[str, list[str]] = defaultdict(list)
        for name in self.lines:
            found[name.rpartition("/")[2].partition(".")[0].lower()].append(name)
        return {stem: tuple(names) for stem, names in found.items()}

    def words(self, word: str) -> tuple[Place, ...]:
        """Return where a word stands, whatever its case: whole, or between the hyphens of a longer one."""
        return tuple(self._index.words.get(word.lower(), ()))

    def numbers(self, value: str) -> tuple[Place, ...]:
        """Return where a number stands, spelled as ``grade.shapes.values_of`` spells it."""
        return tuple(self._index.numbers.get(value, ()))

    def numbered(self, stem: str) -> tuple[Place, ...]:
        """Return the lines with a number on which a word of :func:`stems` stands."""
        return tuple(self._index.numbered.get(stem, ()))

    def is_cut(self, word: str) -> bool:
        """Whether a word, or a number as it is spelled, stands in more places than are returned."""
        return word.lower() in self._index.cut

    def values_at(self, file: str, line: int) -> frozenset[str]:
        """Return the numbers of a line, from 1, as they are spelled; none of a line that is not there."""
        lines = self.lines[file]
        return frozenset(_values(lines[line - 1])) if 1 <= line <= len(lines) else frozenset()

    def stems_at(self, place: Place) -> frozenset[str]:
        """Return the words of a line, cut to what their forms have in common."""
        return stems(self.lines[place.file][place.line - 1])

    def find(self, text: str) -> Iterator[tuple[Place, bool]]:
        """
        Yield where a text stands, with whether its case is the same; white space counts as one blank.

        It may run over lines; the signs of a comment at their beginning are passed over.
        """
        wanted = " ".join(bare(line) for line in text.splitlines() if bare(line))
        if not wanted:
            return
        for file in self.lines:
            joined = self._joined[file]
            for haystack, needle in ((joined.text, wanted), (joined.lower, wanted.lower())):
                at = haystack.find(needle)
                if at >= 0:
                    line = joined.numbers[bisect(joined.starts, at) - 1]
                    yield Place(file, line, joined.text[at : at + len(wanted)]), needle is wanted
                    break

    def caseless(self, file: str) -> bool:
        """Whether names in a file have no case."""
        return "." + file.rpartition(".")[2].lower() in _CASELESS

    @cached_property
    def _joined(self) -> Mapping[str, _Joined]:
        return {file: _joined(lines) for file, lines in self.lines.items()}

    @cached_property
    def _index(self) -> _Index:
        index = _Index()
        for file, lines in self.lines.items():
            for number, line in enumerate(lines, start=1):
                index.add(file, number, line)
        return index


class _Joined(NamedTuple):
    """The code of a file in one line, where each of its lines begins in it, and their numbers."""

    text: str
    lower: str
    starts: tuple[int, ...]
    numbers: tuple[int, ...]


def _joined(lines: Sequence[str]) -> _Joined:
    coded = [(number, code) for number, line in enumerate(lines, start=1) if (code := bare(line))]
    text = " ".join(code for _, code in coded)
    lower = text.lower()
    starts = accumulate((len(code) + 1 for _, code in coded[:-1]), initial=0)
    return _Joined(
        text=text,
        # A few letters change their length in lower case: then only the same case is found.
        lower=lower if len(lower) == len(text) else text,
        starts=tuple(starts) if coded else (),
        numbers=tuple(number for number, _ in coded),
    )


@dataclass(slots=True)
class _Index:
    words: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    numbers: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    numbered: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    cut: set[str] = field(default_factory=set)

    def add(self, file: str, number: int, line: str) -> None:
        for found in _WORD.finditer(line):
            whole = found[0]
            for word in (whole, *(whole.split("-") if "-" in whole else ())):
                self._keep(self.words, word.lower(), Place(file, number, word))
        values = tuple(_values(line))
        for value in values:
            self._keep(self.numbers, value, Place(file, number, value))
        for stem in stems(line) if values else ():
            self._keep(self.numbered, stem, Place(file, number, stem))

    def _keep(self, table: dict[str, list[Place]], key: str, place: Place) -> None:
        # Enough of each file, so that a word of one file does not hide those of another.
        places = table[key]
        if len(places) < _MOST_PLACES or places[-_MOST_PLACES].file != place.file:
            places.append(place)
        else:
            self.cut.add(key)


def _values(line: str) -> Iterator[str]:
    for found in _NUMBER.finditer(line):
        for number in _numbers(found[0].rstrip(",_"), line[: found.start()][-1:], line[found.end() :][:1]):
            yield from values_of(number)
    for word in _PIECE.findall(line):
        if word.lower() in NUMERALS:
            yield str(NUMERALS[word.lower()])


def _numbers(text: str, before: str, after: str) -> Sequence[str]:
    """Tell a number with signs of thousands from a list: lists stand in rows or in brackets."""
    listed = before in {",", ";", "|"} or (before in {"(", "[", "{"} and after in {")", "]", "}"})
    if "," not in text or (_THOUSANDS.fullmatch(text) and not listed):
        return (text,)
    return [part for part in text.split(",") if part]


def bare(line: str) -> str:
    """
    Return a line without the signs of a comment in front, each run of white space as one blank.

    >>> bare("      * Posts  the moves"), bare("-- note"), bare("a = b  *  c")
    ('Posts the moves', 'note', 'a = b * c')
    """
    found = _COMMENT.match(line)
    return " ".join(line[found.end() if found else 0 :].split())


def stems(text: str) -> frozenset[str]:
    """
    Return the words of a text of at least four letters, as far as their forms agree.

    >>> sorted(stems("WS-REJECT-LIMIT rejects of_lines"))
    ['limit', 'line', 'rejec']
    """
    words = (word.lower() for word in _PIECE.findall(text) if len(word) >= 4)
    return frozenset(word.removesuffix("s")[:5] for word in words if word not in _COMMON)


_COMMON_WORDS = """
    about after also been before does each every from have here into more most must only over same
    says some than that them then there these they this those under until upon used uses using value
    very were what when where which while will with your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def read_corpus(root: Path, *, exclude: Sequence[str] = ()) -> SearchedCorpus:
    """
    Read the corpus below a folder; ``exclude`` are the patterns of what agents are not shown of it.

    Refused: what is no folder. A file that cannot be read, or is too large, is there but not searched.
    """
    if not root.is_dir():
        raise Refused(f"corpus {quoted(str(root))}: expected a folder. Correct its path.")
    lines: dict[str, tuple[str, ...]] = {}
    binary, unsearched, left = [], [], MOST_IN_ALL
    for path in regular_files(root):
        name = path.relative_to(root).as_posix()
        if excluded(name, exclude):
            continue
        data = _data(path, most=min(left, MOST_BYTES))
        if data is None:
            unsearched.append(name)
            continue
        left -= len(data)
        text = source_of(name, data).text
        if text is None:
            binary.append(name)
        else:
            lines[name] = tuple(line.rstrip("\r")[:LONGEST_LINE] for line in text.split("\n"))
    return SearchedCorpus(lines=lines, binary=tuple(binary), unsearched=tuple(unsearched))


def _data(path: Path, *, most: int) -> bytes | None:
    try:
        return path.read_bytes() if path.stat().st_size <= most else None
    except OSError:
        return None
