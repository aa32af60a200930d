"""What a person reads: our section of pytest's summary, and the plan of ``--judge-plan``."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.records.audits import Answers
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.report import terminal
from pytest_judgeaudit.session.judging import BENCH, Bench
from pytest_judgeaudit.session.trial import SLOT

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
                terminal.render(audit, width=_width(), verbose=self._verbose),
            )


class PlanOnly:
    """Shows the plan instead of running it: nothing is asked, and nothing is judged."""

    def __init__(self, plan: Callable[[], Plan | None], *, verbose: bool) -> None:
        self._plan = plan
        self._verbose = verbose
        self._items: Sequence[pytest.Item] = ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run nothing, but keep the items: they tell which answers are stored."""
        self._items = session.items
        return True

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter, config: pytest.Config) -> None:
        """Write the plan."""
        from pytest_judgeaudit.report import plan

        known, usage = stored_answers(self._items, config.stash.get(BENCH, None))
        lines = plan.render(
            self._plan() or Plan(), width=_width(), verbose=self._verbose, known=known, usage=usage
        )
        _write(terminalreporter, lines)


def stored_answers(
    items: Iterable[pytest.Item], bench: Bench | None
) -> tuple[Mapping[str, Answers], Mapping[str, Usage]]:
    """Count the stored answers that fit the items, and their tokens, by judge."""
    hits: Counter[str] = Counter()
    usage: dict[str, Usage] = defaultdict(Usage)
    for item in items if bench else ():
        slot = item.stash.get(SLOT, None)
        reply = bench.stored(slot) if bench and slot is not None else None
        if reply is not None and slot is not None and slot.seat is not None:
            hits[slot.seat.judge] += 1
            usage[slot.seat.judge] += reply.usage or Usage(unknown_calls=1)
    return {judge: Answers(hit=count) for judge, count in hits.items()}, usage


def _width() -> int:
    return shutil.get_terminal_size().columns


def _write(reporter: TerminalReporter, lines: Iterator[terminal.Line]) -> None:
    reporter.write_sep("=", TITLE)
    for line in lines:
        reporter.write_line(line.text, **line.markup)
