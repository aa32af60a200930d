"""Items that failed alike, shown once at the end of a run: pytest's account of every item stays."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.session.gates import HOLD_WORD
from pytest_judgeaudit.session.wire import CAUSE

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

FEW = 3
"""So many items that failed alike are shown one by one."""

_SHOWN_ALREADY = "_pdbshown"
"""What pytest marks a report with that it has shown already, at ``--pdb``, and does not show again."""


class Folding:
    """
    Shows the first of many items of a module that failed for one reason, and counts the others.

    In a replay of which nothing is stored each item fails, with a line of its own: a wall of them hides
    what is to be done. Outcomes, counts, JUnit cases and exit status are those of each item; only what the
    terminal would repeat at the end of the run is left out. A gate keeps its place in every list, but says
    a reason that another one has said in one line.
    """

    def __init__(self) -> None:
        self._alike: dict[tuple[str, str], list[pytest.TestReport]] = {}
        self._whole: dict[str, list[pytest.TestReport]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed alike."""
        cause = getattr(report, CAUSE, None)
        if cause is not None and report.failed:
            self._alike.setdefault((report.nodeid.partition("::")[0], cause), []).append(report)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> Generator[None, None, None]:
        """Have pytest show one report of each group; say below its list how many are not in it."""
        for first, *others in self._alike.values():
            for report in others if hasattr(first, HOLD_WORD) else ():
                report.longrepr = f"HOLD: for the same reasons as {first.nodeid.partition('::')[2]}"
        for first, *others in self._walls():
            more = f"… and {len(others):,} more items of this module, for the same reason (-v shows each)"
            first.longrepr = f"{first.longrepr}\n{more}"
            for report in others:
                setattr(report, _SHOWN_ALREADY, True)
        yield
        if self._whole:
            terminalreporter.stats |= self._whole
            if {"f", "E"} & set(terminalreporter.reportchars) and not terminalreporter.no_summary:
                left = sum(len(wall) - 1 for wall in self._walls())
                terminalreporter.write_line(f"… and {left:,} more, for the reasons above (-v lists each)")

    def shorten(self, terminalreporter: TerminalReporter) -> None:
        """Take the further reports of each wall out of what pytest's short summary is about to list."""
        left = {id(report) for _, *others in self._walls() for report in others}
        if left:
            stats = terminalreporter.stats
            self._whole = {name: stats[name] for name in ("failed", "error") if name in stats}
            stats |= {
                name: [one for one in found if id(one) not in left] for name, found in self._whole.items()
            }

    def _walls(self) -> Iterator[list[pytest.TestReport]]:
        for alike in self._alike.values():
            if len(alike) > FEW and not hasattr(alike[0], HOLD_WORD):
                yield alike


class Shortening:
    """The hook right before pytest's short summary, when every other plug-in has read the counts."""

    def __init__(self, folding: Folding) -> None:
        self._folding = folding

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> Generator[None, None, None]:
        """Fold the list that comes next."""
        yield
        self._folding.shorten(terminalreporter)
