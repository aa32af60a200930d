"""``--judge-show TASK``: why was this adverse? What was asked, answered and graded, and nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.records.errors import JudgeAuditError, nearest
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.report.task import Presented, render
from pytest_judgeaudit.session.accept import AcceptedGrades
from pytest_judgeaudit.session.judging import BENCH, Bench
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.summary import write
from pytest_judgeaudit.session.trial import SLOT, Slot

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


class ShowTask:
    """Shows one task, as stored, instead of running anything."""

    def __init__(self, task: str, *, grades: AcceptedGrades) -> None:
        self._task = task
        self._grades = grades
        self._shown: Sequence[Presented] = ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run nothing, but look up what is stored of the task; UsageError for a task that there is not."""
        slots = [item.stash[SLOT] for item in session.items if SLOT in item.stash]
        found = [
            slot for slot in slots if slot.pair is not None and self._task in (slot.task, slug(slot.task))
        ]
        if not found:
            known = dict.fromkeys(slot.task for slot in slots)
            raise pytest.UsageError(
                f"--judge-show {self._task}: no collected eval holds this task."
                f"{nearest(self._task, known)} Give its id as the report names it."
            )
        with told():
            self._shown = sorted(self._presented(found, session.config.stash[BENCH]), key=_place)
        return True

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Write what was found."""
        if self._shown:
            write(terminalreporter, render(self._shown))

    def _presented(self, slots: Sequence[Slot], bench: Bench) -> Iterator[Presented]:
        for slot in slots:
            if slot.seat is None or slot.pair is None:
                continue
            looked = bench.looked_up(slot)
            yield Presented(
                eval=f"{slot.module}::{slot.test}",
                judge=slot.seat.judge,
                criterion=slot.seat.criterion,
                arm=slot.arm,
                replicate=slot.replicate,
                pair=slot.pair,
                request=looked.request,
                stored=looked.stored,
                fresh=looked.fresh,
                verdict=looked.verdict,
                problem=looked.problem,
                accepted=self._accepted(slot),
            )

    def _accepted(self, slot: Slot) -> str | None:
        stratum = slot.pair.stratum if slot.pair is not None and slot.pair.stratum != "core" else ""
        label = "-".join(filter(None, (slot.seat.id if slot.seat else "", stratum)))
        row = f"{slug(slot.task)}-{slot.order}" + (f"-{slot.replicate}" if slot.replicate > 1 else "")
        try:
            rows = self._grades.accepted(
                test_file=Path(slot.module), module=slot.module, test=slot.test, cell=label
            )
        except JudgeAuditError as error:
            return f"unreadable: {error}"
        return rows.get(row)


def _place(one: Presented) -> tuple[str, str, str, int, str]:
    return one.eval, one.judge, one.criterion, one.replicate, one.pair.order
