"""What a person reads after the run: configurations, cells, findings, answers; 40 lines without -v."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.report.lines import Block, Line, line, shares
from pytest_judgeaudit.report.noted import findings, warnings
from pytest_judgeaudit.report.tables import cells, configurations, others
from pytest_judgeaudit.report.totals import answers, verdict

LONG = 40
"""The most lines without ``-v``."""

__all__ = ["LONG", "Line", "render"]


class _Section(NamedTuple):
    """Blocks of lines under a title, and what one of them is called."""

    title: str
    blocks: Sequence[Block]
    noun: str


def render(audit: Audit, *, width: int = 80, verbose: bool = False) -> Iterator[Line]:
    """
    Yield the audit's section of pytest's summary.

    At most 40 lines unless ``verbose``, whatever the size of the run; what is left out is counted, and
    what is wrong is left out last. ``width`` is in columns, taken as 60 at least; text by models and data
    files is escaped.
    """
    width = max(width, 60)
    tail = [*warnings(audit, width), answers(audit)]
    sections = [
        _Section("configurations", configurations(audit, width), "configuration"),
        _Section("cells", cells(audit, width), "cell"),
        _Section("other cells and gates", others(audit, width), "other"),
        _Section("findings", findings(audit, width, verbose=verbose), "finding"),
    ]
    sections = [section for section in sections if section.blocks]
    wanted = [sum(len(block.lines) for block in section.blocks) for section in sections]
    room = LONG - 1 - len(tail) - len(sections)
    given = wanted if verbose else shares(wanted, room)
    yield verdict(audit)
    for section, room in zip(sections, given, strict=True):
        yield line(section.title, bold=True)
        yield from _shown(section, room)
    yield from tail


def _shown(section: _Section, room: int) -> Iterator[Line]:
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
