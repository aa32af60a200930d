"""Sections of a view, and which of their lines are shown where room is short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_judgeaudit.report.lines import Block, Line, line, shares

LONG = 40
"""The most lines of a view without ``-v``."""


class Section(NamedTuple):
    """Blocks of lines under a title, and what one of them is called; empty sections are not shown."""

    title: str
    blocks: Sequence[Block]
    noun: str


def lines_of(sections: Sequence[Section]) -> int:
    """Count the lines of all sections with their titles."""
    return sum(1 + sum(len(block.lines) for block in one.blocks) for one in sections if one.blocks)


def shown(sections: Sequence[Section], *, room: int | None) -> Iterator[Line]:
    """Yield the sections with their titles in so many lines; all of them where ``room`` is None."""
    filled = [section for section in sections if section.blocks]
    wanted = [sum(len(block.lines) for block in section.blocks) for section in filled]
    given = wanted if room is None else shares(wanted, room - len(filled))
    for section, lines in zip(filled, given, strict=True):
        yield line(section.title, bold=True)
        yield from _lines(section, lines)


def _lines(section: Section, room: int) -> Iterator[Line]:
    chosen = _chosen(section.blocks, room)
    yield from (shown for index in chosen for shown in section.blocks[index].lines)
    missing = sum(block.stands_for for i, block in enumerate(section.blocks) if i not in chosen)
    if missing:
        noun = f"more {section.noun}" if missing == 1 else f"more {section.noun}s"
        yield line(f"  … and {missing:,} {noun} (-v shows all)")


def _chosen(blocks: Sequence[Block], room: int) -> list[int]:
    """Choose the blocks to show: all that fit, those of low rank first, in their own order."""
    if sum(len(block.lines) for block in blocks) <= room:
        return list(range(len(blocks)))
    # One line says how many are left out.
    left, chosen = room - 1, []
    for index in sorted(range(len(blocks)), key=lambda index: (blocks[index].rank, index)):
        if len(blocks[index].lines) <= left:
            left -= len(blocks[index].lines)
            chosen.append(index)
    return sorted(chosen)
