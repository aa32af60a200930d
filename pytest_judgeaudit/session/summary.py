"""What a person reads: our section of pytest's summary."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pytest_judgeaudit.report import terminal
from pytest_judgeaudit.report.lines import Line

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
        session = terminalreporter._session  # noqa: SLF001 - the hook is not given it
        audit = self._controller.audit if session is None else self._controller.so_far(session)
        if audit is not None:
            first = self._controller.interruption
            lines = terminal.render(audit, width=width(), verbose=self._verbose, first=first)
            write(terminalreporter, lines)


def width() -> int:
    """Return the columns of the terminal."""
    return shutil.get_terminal_size().columns


def write(reporter: TerminalReporter, lines: Iterable[Line]) -> None:
    """Write a section of ours."""
    reporter.write_sep("=", TITLE)
    for line in lines:
        reporter.write_line(line.text, **line.markup)
