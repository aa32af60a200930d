"""What a person reads: our section of pytest's summary, and the plan of ``--judge-plan``."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.report import terminal

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from pytest_judgeaudit.session.controller import Controller

TITLE = "judge audit"


class Summary:
    """Writes the audit's lines where pytest writes its own."""

    def __init__(self, controller: Controller, *, verbose: bool) -> None:
        self._controller = controller
        self._verbose = verbose

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Write the audit, as wide as the terminal is."""
        audit = self._controller.audit
        if audit is not None:
            _write(
                terminalreporter,
                terminal.render(audit, width=shutil.get_terminal_size().columns, verbose=self._verbose),
            )


class PlanOnly:
    """Shows the plan instead of running it: nothing is asked, and nothing is judged."""

    def __init__(self, plan: Callable[[], Plan | None]) -> None:
        self._plan = plan

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> bool:
        """Run nothing."""
        return True

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Write the plan."""
        from pytest_judgeaudit.report import plan

        _write(terminalreporter, plan.render(self._plan() or Plan()))


def _write(reporter: TerminalReporter, lines: Iterator[terminal.Line]) -> None:
    reporter.write_sep("=", TITLE)
    for line in lines:
        reporter.write_line(line.text, **line.markup)
