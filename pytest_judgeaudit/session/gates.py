"""Gates as items: the reports that make a gate a test like any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from pytest_judgeaudit.session.wire import CAUSE

HOLD_WORD = "judgeaudit_hold"
MISS_WORD = "judgeaudit_miss"
"""What the report of a held gate, and of a missed one, is known by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateItem:
    """
    One item that the controller adds to the run.

    ``outcome`` is ``passed``, ``failed`` (a MISS), ``error`` (a HOLD: could not measure) or ``skipped``
    (partial); ``text`` is what a person reads, ``location`` a file and a line from 0.
    """

    id: str
    outcome: Literal["passed", "failed", "error", "skipped"]
    text: str
    location: tuple[str, int]


def emit(session: pytest.Session, items: Sequence[GateItem], *, announced: int = 0) -> int:
    """
    Send every item through pytest's own hooks; returns how many of them are HOLD.

    ``announced`` items are counted in the session already.
    """
    # Progress is a share of this number: it must hold the gates before the first of them is shown.
    session.testscollected += len(items) - announced
    hook = session.config.hook
    for item in items:
        location = (item.location[0], item.location[1], item.id.partition("::")[2])
        hook.pytest_runtest_logstart(nodeid=item.id, location=location)
        for report in _reports(item, location):
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.id, location=location)
    return sum(item.outcome == "error" for item in items)


def _reports(item: GateItem, location: tuple[str, int, str]) -> Iterator[pytest.TestReport]:
    yield _report(item, location, "setup", held=item.outcome == "error")
    if item.outcome != "error":
        yield _report(item, location, "call")
    yield _report(item, location, "teardown")


def _report(
    item: GateItem,
    location: tuple[str, int, str],
    when: Literal["setup", "call", "teardown"],
    *,
    held: bool = False,
) -> pytest.TestReport:
    outcome: Any = "passed"
    longrepr: Any = None
    if held or (when == "call" and item.outcome == "failed"):
        outcome, longrepr = "failed", item.text
    elif when == "call" and item.outcome == "skipped":
        outcome, longrepr = "skipped", (location[0], location[1] + 1, item.text)
    report = pytest.TestReport(
        nodeid=item.id,
        location=location,
        keywords={},
        outcome=outcome,
        longrepr=longrepr,
        when=when,
        duration=0.0,
    )
    if outcome == "failed" and not held:
        setattr(report, MISS_WORD, True)
    if held:
        setattr(report, HOLD_WORD, True)
        setattr(report, CAUSE, item.text)
    return report


def pytest_report_teststatus(
    report: pytest.TestReport,
) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Show a held gate as HOLD; it stays an error for everybody else."""
    if getattr(report, HOLD_WORD, False):
        return "error", "H", ("HOLD", {"yellow": True})
    return None
