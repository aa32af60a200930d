"""While a live run asks, with ``-v``: a line every few seconds that says how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.report.progress import Progress, progress_line
from pytest_judgeaudit.session.wire import TRIAL

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from pytest_judgeaudit.store.following import Follower

EVERY_S = 5.0
"""Seconds between two lines, at least: a line is written when an item has ended, between pytest's own."""

_HIT = '"answer": "hit"'


class Telling:
    """
    The hooks of a controller that tells how far its run is.

    ``in_flight`` names the judges and agents that are asked, each with its limit. ``clock`` gives seconds
    since the epoch, as the journals that ``follower`` reads do.
    """

    def __init__(
        self,
        *,
        follower: Follower,
        plan: Callable[[], Plan],
        in_flight: Mapping[str, int],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._follower = follower
        self._plan = plan
        self._in_flight = in_flight
        self._clock = clock
        self._told_at = clock()
        self._told: tuple[int, int] | None = None
        self._hits = 0
        self._terminal: TerminalReporter | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Begin to count the seconds when there is something to run, and find the terminal."""
        self._told_at = self._clock()
        self._terminal = session.config.pluginmanager.get_plugin("terminalreporter")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the stored answers: those calls are not made."""
        self._hits += getattr(report, TRIAL, "").count(_HIT)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        """Write a line where it is time for one: after an item, when pytest has written its own."""
        now = self._clock()
        if self._terminal is None or now - self._told_at < EVERY_S:
            return
        self._told_at = now
        progress = self.progress(now)
        if progress is not None and (progress.asked, progress.in_flight) != self._told:
            self._told = progress.asked, progress.in_flight
            self._terminal.write_line(progress_line(progress))

    def progress(self, now: float) -> Progress | None:
        """Say where the run stands at a time; None where nothing was asked."""
        asked = self._follower.look()
        ended = asked.ended.total()
        if not asked.begun:
            return None
        total = max(self._scheduled() - self._hits, asked.begun.total())
        took = now - asked.since
        return Progress(
            asked=ended,
            total=total,
            in_flight=sum(
                min(begun - asked.ended[judge], self._in_flight.get(judge, begun))
                for judge, begun in asked.begun.items()
            ),
            tokens=asked.tokens,
            ends_at=now + (total - ended) * took / ended if ended else None,
        )

    def _scheduled(self) -> int:
        """Count the calls that may be made: of a question, the agent's and those of all its judges."""
        return sum(
            len(cell.selected)
            * sum(name in self._in_flight for name in (cell.judge, cell.agent, *cell.scored))
            for cell in self._plan().cells
        )
