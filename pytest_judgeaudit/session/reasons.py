"""Reasons in pytest's short summary: those of gates and of trials that measured nothing are texts."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_judgeaudit.session.gates import MISS_WORD
from pytest_judgeaudit.session.wire import CAUSE

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


class Crash(NamedTuple):
    """Where something failed, and why, by the names that pytest's own has; ``lineno`` counts from 1."""

    path: str
    lineno: int
    message: str


class Told(str):
    """A text of which pytest 8 finds the reason, too: it looks for one in a crash only."""

    __slots__ = ("reprcrash",)

    reprcrash: Crash


class Reasons:
    """
    The hook right before pytest's short summary, when everybody else has read the reports.

    Pytest 9 takes the reason of an item from a text as well. For 8.4 the texts of ours, and no others, are
    what it expects.
    """

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> Generator[None, None, None]:
        """Have the list that comes next say why."""
        yield
        for outcome in ("failed", "error"):
            for report in terminalreporter.stats.get(outcome, ()):
                if isinstance(report.longrepr, str) and _is_ours(report):
                    report.longrepr = _told(report)


def _is_ours(report: pytest.TestReport) -> bool:
    return hasattr(report, CAUSE) or hasattr(report, MISS_WORD)


def _told(report: pytest.TestReport) -> str:
    path, line, _ = report.location
    told = Told(report.longrepr)
    told.reprcrash = Crash(path, (line or 0) + 1, str(told))
    return told
