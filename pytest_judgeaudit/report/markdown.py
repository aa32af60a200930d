"""
The audit as Markdown, for pull requests and the summary of a CI job.

A foreign text stands in a code span or a fenced block, where neither markup, links, images, mentions nor
references work, and none of its characters can close either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pytest_judgeaudit.report import facts
from pytest_judgeaudit.report.facts import NONE, Entry, Report
from pytest_judgeaudit.report.text import safe

LONGEST = 60_000
"""The most bytes of the text: what a comment on a pull request can hold."""

MENTION = 80
"""The bytes in which what is left out is counted."""

SHOWN = 160
"""The most characters of one foreign text."""

_MARKS = {"PASS": "✅", "MISS": "❌", "HOLD": "⏸️", "PARTIAL": "◐", "REPORTED": "ℹ️", "OK": "✅"}  # noqa: RUF001


class Section(NamedTuple):
    """Lines that open a section, those that may be left out for want of room, and those that close it."""

    head: Sequence[str]
    body: Sequence[str]
    foot: Sequence[str] = ("",)


def to_markdown(report: Report, *, files: Sequence[str] = (), run_url: str | None = None) -> str:
    """
    Return a report of schema 1 as Markdown of at most LONGEST bytes, ASCII controls and markup escaped.

    ``files`` are the names of the reports written beside it, ``run_url`` where the files of the run can be
    had. What has no room is counted, and found in those files.
    """
    word, total = facts.verdict(report)
    head = [f"## Judge audit: {word}", "", f"{total} · protocol {code(facts.frozen(report))}", ""]
    tail = [f"Answers: {facts.answers(report)}.", *_files(files, run_url)]
    room = LONGEST - _size([*head, *tail])
    lines: list[str] = []
    for section in (_gates, _configurations, _cells, _baseline, _findings):
        found = section(report)
        if found.body:
            added = _fitted(found, room)
            room -= _size(added)
            lines += added
    return "\n".join([*head, *lines, *tail, ""])


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8")) + 1 for line in lines)


def _fitted(section: Section, room: int) -> Sequence[str]:
    """Return as much of a section as has room, closed as it should be, and count what has none."""
    left = room - _size([*section.head, *section.foot]) - MENTION
    kept = 0
    for line in section.body:
        left -= _size([line])
        if left < 0:
            break
        kept += 1
    missing = len(section.body) - kept
    more = [f"… and {missing:,} more lines in the other reports", ""] if missing else []
    whole = [*section.head, *section.body[:kept], *section.foot] if kept else []
    return [*whole, *(more if room > MENTION else [])]


def code(text: str) -> str:
    r"""
    Put a foreign text into a code span that it cannot leave, inside a table or not.

    >>> code("@you ![x](//y)"), code("a`|\x1b[2Jb"), code(" ")
    ('`@you ![x](//y)`', '`a\\x60\\x7c\\x1b[2Jb`', '`\\x20`')
    """
    shown = _inert(safe(text, shown=SHOWN).replace("`", "\\x60").replace("|", "\\x7c"))
    if not shown.strip():
        shown = "\\x20" if shown else "(empty)"
    return f"`{shown}`"


def _inert(text: str) -> str:
    """Open no tag, also for a reader that knows neither code spans nor blocks."""
    return re.sub(r"<(?=[A-Za-z/!?])", r"\\x3c", text)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Section:
    return Section(
        (f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"),
        [f"| {' | '.join(row)} |" for row in rows],
    )


def _state(state: str) -> str:
    return f"{_MARKS.get(state, '')} {state}".strip()


def _gates(report: Report) -> Section:
    ranks = {"MISS": 0, "HOLD": 1, "PARTIAL": 2}
    gates = sorted(report["gates"], key=lambda gate: ranks.get(gate["state"], 3))
    header = ("gate", "state", "bound", "limit", "tasks", "adj. p")
    rows = [
        (
            code(gate["id"]),
            _state(gate["state"]),
            facts.bound(gate),
            facts.limit(gate),
            f"{gate['tasks']:,}",
            facts.p_text(gate["p_holm"]),
        )
        for gate in gates
    ]
    return _table(header, rows)


def _configurations(report: Report) -> Section:
    header = ("judge", "state", "requested", "served", "calls", "invalid", "tokens")
    rows = [
        (
            code(one["judge"]),
            _state(one["state"]),
            code(one["requested"]),
            code(facts.served(one)),
            f"{one['calls']:,}",
            f"{one['invalid']:,} ({facts.share(one['invalid_rate'])})",
            facts.tokens(one),
        )
        for one in report["configurations"]
    ]
    return _table(header, rows)


def _cells(report: Report) -> Section:
    names = facts.cell_names(report["cells"])
    header = ("cell", "state", "tasks", "adverse", "estimate", "upper", "lower", "checked")
    table = _table(header, [_cell(cell, names[cell["id"]]) for cell in report["cells"]])
    return Section(
        ("<details><summary>Cells</summary>", "", *table.head), table.body, ("", "</details>", "")
    )


def _cell(cell: Entry, name: str) -> Sequence[str]:
    adverse = cell["counts"].get("adverse")
    return (
        code(name),
        _state(cell["state"]),
        f"{cell['tasks']:,}",
        NONE if adverse is None else f"{adverse:,}",
        facts.share(cell["estimate"]),
        facts.share(cell["upper"]),
        facts.share(cell["lower"]),
        facts.share(cell["lower_checked"]),
    )


def _baseline(report: Report) -> Section:
    lines: list[str] = []
    for one in facts.against(report):
        where = " ".join(filter(None, (facts.test_of(one), one["judge"], one["criterion"], one["arm"])))
        lines.append(f"- {code(where)}: {code(one['statement'])}")
        lines += [f"  - {code(change)}" for change in one["changed"]]
    return Section(("### Against the baseline", ""), lines)


def _findings(report: Report) -> Section:
    """Return the findings, and what the gates say, as a block in which nothing is markup."""
    told = [
        f"{one['code']}: {one['where']}: {one['symptom']} → check {one['check']}"
        for one in report["findings"]
    ]
    for gate in report["gates"]:
        told.append(f"{gate['state']} {gate['id']}: {gate['statement']}")
        told += [f"  {reason}" for reason in gate["reasons"]]
    lines = [_inert(safe(text, shown=1000)).replace("`", "'") for text in told]
    return Section(("### What it says, and what to check", "", "```text"), lines, ("```", ""))


def _files(files: Sequence[str], run_url: str | None) -> Iterator[str]:
    names = ", ".join(code(name) for name in files)
    if names:
        yield ""
        yield f"Reports: {names}" + (f" among the [files of this run](<{run_url}>)." if run_url else ".")
