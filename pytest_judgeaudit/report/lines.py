"""Lines of text for a terminal: aligned columns, wrapped sentences, and room that is shared out."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_judgeaudit.audit.numbers import clipped
from pytest_judgeaudit.report.text import cells_wide, fitted, padded, safe

LONGEST = 4000
"""The most characters of one line, whatever it quotes."""

_JOINTS = re.compile(r"(?<=::)|(?<=[/\[])")
"""Where a path or an id may be broken."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line and how it is marked up (``red``, ``yellow``, ``bold``, …); no control character."""

    text: str
    markup: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Block:
    """
    Lines that are shown together or not at all.

    Where room is short, low ``rank`` is kept first. ``stands_for`` counts what is missing without it.
    """

    lines: tuple[Line, ...]
    rank: int = 1
    stands_for: int = 1


def line(text: str, **markup: bool) -> Line:
    """Make a line that is safe to show, without white space at its end."""
    return Line(safe(text, shown=LONGEST).rstrip(), markup)


def wrapped(text: str, width: int, *, indent: str = "  ", hanging: str = "    ") -> list[str]:
    """
    Wrap a sentence, its later lines indented further.

    Lines break between words. A name that is longer than a line breaks after one of its parts.

    >>> wrapped("the cell evals/test_a.py::test_better_answer_wins::qwen holds", 34)
    ['  the cell evals/test_a.py::', '    test_better_answer_wins::qwen', '    holds']
    """
    width = max(width, 20)
    words = (_jointed(word, width - len(hanging)) for word in safe(text, shown=LONGEST).split(" "))
    return textwrap.wrap(
        " ".join(words),
        width,
        initial_indent=indent,
        subsequent_indent=hanging,
        break_on_hyphens=False,
    )


def _jointed(word: str, room: int) -> str:
    """Put a blank where a word that is too long for a line may be broken: no two pieces fit into one."""
    if len(word) <= room:
        return word
    pieces = [""]
    for part in _JOINTS.split(word):
        if len(pieces[-1]) + len(part) > room:
            pieces.append("")
        pieces[-1] += part
    return " ".join(filter(None, pieces))


def columns(
    rows: Sequence[Sequence[str]],
    *,
    titled: bool = True,
    right: Collection[int] = (),
    flexible: Sequence[int] = (0,),
    spare: Sequence[int] = (),
    worded: Collection[int] = (),
    width: int,
) -> Iterator[str]:
    """
    Align rows of equally many texts in columns, two from the margin.

    The first row holds titles where ``titled``. Columns with nothing below their title are left out, those
    in ``right`` are aligned on their right. Where the whole is wider than ``width``, columns stand one
    space apart instead of two, the ``spare`` ones are left out one after the other, and then the
    ``flexible`` ones are cut one after the other, each to 8 at the least: in their middle, where both ends
    of a name tell it from others, those that are ``worded`` after a word.
    """
    filled = [any(column) for column in zip(*rows[titled:], strict=True)]
    used = [index for index, some in enumerate(filled) if some]
    widths = {index: max(cells_wide(row[index]) for row in rows) for index in used}
    gap = 2 if sum(widths.values()) + 2 * len(used) <= width else 1
    excess = sum(widths.values()) + gap * (len(used) - 1) + 2 - width
    for index in spare:
        if excess > 0 and index in widths:
            excess -= widths.pop(index) + gap
            used.remove(index)
    for index in flexible:
        if excess > 0 and index in widths:
            cut = min(excess, max(0, widths[index] - 8))
            widths[index] -= cut
            excess -= cut
    for row in rows:
        texts = {i: clipped(row[i], widths[i]) if i in worded else row[i] for i in used}
        shown = (padded(fitted(texts[i], widths[i]), widths[i], right=i in right) for i in used)
        yield "  " + (" " * gap).join(shown)


def shares(wanted: Sequence[int], room: int) -> list[int]:
    """
    Share out room among sections that want so many lines: evenly, none more than it wants.

    >>> shares([3, 20, 20], 23), shares([3, 4], 23)
    ([3, 10, 10], [3, 4])
    """
    given = [0] * len(wanted)
    while room > 0 and given != list(wanted):
        for index, want in enumerate(wanted):
            if given[index] < want and room > 0:
                given[index] += 1
                room -= 1
    return given
