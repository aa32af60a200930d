"""What a person reads after the run: configurations, cells, findings, answers; 40 lines without -v."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.report import answered, floored
from pytest_judgeaudit.report.compared import baseline, contexts, contrasts, ladders, losses
from pytest_judgeaudit.report.layout import LONG, Section, lines_of, shown
from pytest_judgeaudit.report.lines import Line, line
from pytest_judgeaudit.report.missed import missed
from pytest_judgeaudit.report.noted import findings, warnings
from pytest_judgeaudit.report.tables import cells, configurations, others
from pytest_judgeaudit.report.totals import answers, verdict

__all__ = ["LONG", "Line", "render"]


def render(audit: Audit, *, width: int = 80, verbose: bool = False, first: str = "") -> Iterator[Line]:
    """
    Yield the audit's section of pytest's summary.

    At most 40 lines unless ``verbose``, whatever the size of the run; what is left out is counted, and
    what is wrong is left out last. ``width`` is in columns, taken as 60 at least; text by models and data
    files is escaped. ``first`` is said before everything else.
    """
    width = max(width, 60)
    tail = [*warnings(audit, width), answers(audit)]
    sections = [
        Section("configurations", configurations(audit, width), "configuration"),
        Section("cells", cells(audit, width), "cell"),
        Section("where gates missed", missed(audit, width), "gate"),
        Section("agents", answered.agents(audit, width), "agent"),
        Section("answers to questions", answered.scores(audit, width), "cell"),
        Section("other cells and gates", others(audit, width), "other"),
        Section("with and without a third candidate", contexts(audit, width), "context audit"),
        Section("plausibility floors", floored.floors(audit, width), "line"),
        Section("claims", answered.claims(audit, width), "claim"),
        Section("against the baseline", baseline(audit, width), "cell"),
        Section("findings", findings(audit, width, verbose=verbose), "finding"),
    ]
    compared = [
        Section("differences on the same tasks", contrasts(audit, width), "difference"),
        Section("contrasts of blind scores", floored.contrasts(audit, width), "contrast"),
        Section("quality ladders", ladders(audit, width), "ladder"),
        Section("lowest expected loss", losses(audit, width), "study"),
    ]
    head = [*([line(first, bold=True)] if first else []), verdict(audit)]
    room = LONG - len(head) - len(tail)
    if not verbose and lines_of([*sections, *compared]) > room:
        # They describe, and nothing depends on them: no line that matters makes room for one of theirs.
        left, compared = sum(len(section.blocks) for section in compared), []
        tail[:0] = [line(f"differences and expected losses: {left:,} more lines with -v")] if left else []
        room = LONG - len(head) - len(tail)
    yield from head
    yield from shown([*sections[:9], *compared, *sections[9:]], room=None if verbose else room)
    yield from tail
