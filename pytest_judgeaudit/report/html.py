"""The audit as one self-contained page: it loads nothing, and runs no script but its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_judgeaudit.audit.numbers import counted, some
from pytest_judgeaudit.report import facts, pages
from pytest_judgeaudit.report.comparison import comparison
from pytest_judgeaudit.report.details import KEYS, Detail, rows
from pytest_judgeaudit.report.facts import Entry, Report
from pytest_judgeaudit.report.grids import ROWS, grids
from pytest_judgeaudit.report.plots.pictures import pictures

FLIPS = 20
"""The most flipped tasks of one comparison that a page shows, where it shows many comparisons."""

ENDED = {"failed": 0, "error": 1, "skipped": 2}
RANKS = {"MISS": 0, "HOLD": 1, "PARTIAL": 2}
"""Outcomes of gates and their states, that which is shown first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """
    What a page is made of.

    ``report`` is of schema 1; ``details`` are its trials with what was kept of them, ``baseline`` the
    earlier report that it was compared with.
    """

    report: Report
    details: Sequence[Detail] = field(default=())
    baseline: Report | None = None


def to_html(page: Page) -> str:
    """
    Return the page: the verdict first, then what was compared, pictures with their numbers, every trial.

    Sections that the report has no data for are left out. All text of models and files is escaped; the
    content policy allows this page's own script and style, and nothing else.
    """
    report = page.report
    names = facts.cell_names(report["cells"])
    style, script = pages.asset("report.css"), pages.asset("report.js")
    word, total = facts.verdict(report)
    return pages.fill(
        "report.html.j2",
        {
            "style": style,
            "script": script,
            "policy": _policy(style, script),
            "report": report,
            "facts": facts,
            "word": word,
            "total": total,
            "gates": [_gate(gate) for gate in _ranked(report["gates"])],
            "findings": _findings(report["findings"]),
            "most": ROWS,
            "flips": max(FLIPS, ROWS // max(1, len(facts.against(report)))),
            "labels": list(report["joint"]),
            "cells": [_cell(cell, names[cell["id"]]) for cell in report["cells"]],
            "names": names,
            "comparison": comparison(report, page.baseline),
            "grids": grids(report),
            "pictures": pictures(report, page.details),
            "marked": pages.trusted,
            "trials": _trials(page, names),
            "count": len(page.details),
            "counted": counted,
        },
    )


def _policy(style: str, script: str) -> str:
    allowed = {
        "default-src": "'none'",
        "script-src": pages.source_hash(script),
        "style-src": pages.source_hash(style),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    # Hashes of ours hold quotes that need no escape inside a quoted attribute.
    return pages.trusted("; ".join(f"{name} {source}" for name, source in allowed.items()))


def _ranked(gates: Sequence[Entry]) -> Sequence[Entry]:
    """What went wrong comes first, then what was expected to."""
    return sorted(gates, key=lambda gate: (ENDED.get(gate["outcome"], 3), RANKS.get(gate["state"], 3)))


def _findings(findings: Sequence[Entry]) -> Sequence[Mapping[str, str]]:
    """Say what is said alike of several places once; what is on HOLD comes first."""
    places: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for one in findings:
        places[one["code"], one["symptom"], one["check"]].append(one["where"])
    said = [
        {"code": code, "symptom": symptom, "check": check, "places": some(dict.fromkeys(found))}
        for (code, symptom, check), found in places.items()
    ]
    return sorted(said, key=lambda one: not one["symptom"].startswith("HOLD"))


def _gate(gate: Entry) -> Mapping[str, Any]:
    return {
        **gate,
        "test": facts.test_of(gate),
        "seat": facts.seat(gate),
        "bound_text": facts.bound(gate),
        "limit_text": facts.limit(gate),
        "p_text": facts.p_text(gate["p_holm"]),
        "scale": _scale(gate),
    }


def _scale(gate: Entry) -> Mapping[str, float] | None:
    """Place bound and threshold on a line of 100 units; None where there is no bound."""
    if gate["bound"] is None:
        return None
    highest = max(gate["bound"], gate["threshold"])
    # Small rates fill the line too; a utility is read from 0 to 1.
    whole = (
        100.0
        if gate["kind"] == facts.FLOOR
        else 1.0
        if highest > 0.5
        else max(2.0 * gate["threshold"], 1.25 * highest, 1e-9)
    )
    above = facts.at_most(gate)
    threshold = 100 * gate["threshold"] / whole
    return {
        "bound": round(100 * gate["bound"] / whole, 2),
        "threshold": round(threshold, 2),
        "start": 0.0 if above else round(threshold, 2),
        "width": round(threshold if above else 100 - threshold, 2),
    }


def _cell(cell: Entry, name: str) -> Mapping[str, Any]:
    counts = cell["counts"]
    shown = [f"{counts[key]:,} {key}" for key in counts if counts[key] or key == "adverse"]
    return {**cell, "name": name, "count_text": ", ".join(shown)}


def _trials(page: Page, names: Mapping[str, str]) -> str | None:
    """Return the trials as JSON for the page's script; None where there are none."""
    if not page.details:
        return None
    cells = {cell["id"]: cell for cell in page.report["cells"]}
    used = list(dict.fromkeys(detail.trial.cell for detail in page.details))
    numbers = {name: number for number, name in enumerate(used)}
    heads = [list(_cell_head(name, cells.get(name), names)) for name in used]
    return pages.embedded({"keys": KEYS, "cells": heads, "rows": rows(page.details, numbers)})


def _cell_head(key: str, cell: Entry | None, names: Mapping[str, str]) -> Iterator[str]:
    """Yield name, judge and criterion, and arm of a cell."""
    texts = (key, "", "") if cell is None else (names[key], facts.seat(cell), facts.arm(cell))
    yield from (pages.shown(text) for text in texts)
