"""``--judge-show TASK``: why was this adverse? What was asked, answered and graded, and nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import JudgeAuditError, nearest
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.report import asked, task
from pytest_judgeaudit.report.asked import Answered
from pytest_judgeaudit.report.lines import Line
from pytest_judgeaudit.report.task import Presented
from pytest_judgeaudit.session.accept import AcceptedGrades
from pytest_judgeaudit.session.judging import BENCH, Bench
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.reviewing import seat_label
from pytest_judgeaudit.session.summary import write
from pytest_judgeaudit.session.trial import SLOT, Slot, judged_name
from pytest_judgeaudit.session.using import WHATS

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


class Recall(Protocol):
    """The stored answers."""

    def find(
        self, module: str, judge: str, name: str, *, fingerprint: str | None = None
    ) -> StoredAnswer | None:
        """Return the answer under this name."""


class ShowTask:
    """Shows one task or question, as stored, instead of running anything."""

    def __init__(self, task: str, *, grades: AcceptedGrades, recall: Recall) -> None:
        self._task = task
        self._grades = grades
        self._recall = recall
        self._lines: Sequence[Line] = ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run nothing, but look up what is stored of the task; UsageError for a task that there is not."""
        slots = [item.stash[SLOT] for item in session.items if SLOT in item.stash]
        found = [slot for slot in slots if self._task in (slot.task, slug(slot.task))]
        if not found:
            known = dict.fromkeys(slot.task for slot in slots)
            raise pytest.UsageError(
                f"--judge-show {self._task}: no collected eval holds this task."
                f"{nearest(self._task, known)} Give its id as the report names it."
            )
        with told():
            pairs = sorted(self._presented(found, session.config.stash.get(BENCH, None)), key=_place)
            answers = sorted(self._answered(found), key=_place_of_answer)
        self._lines = [*task.render(pairs), *asked.render(answers)]
        return True

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Write what was found."""
        if self._lines:
            write(terminalreporter, self._lines)

    def _answered(self, slots: Sequence[Slot]) -> Iterator[Answered]:
        for slot in slots:
            if slot.asked is not None:
                yield Answered(
                    eval=f"{slot.module}::{slot.test}",
                    question=slot.asked.question,
                    agent=slot.asked.agent,
                    arm=slot.arm,
                    replicate=slot.replicate,
                    name=slot.name,
                    stored=self._recall.find(slot.module, slot.owner, slot.name),
                    judged=dict(self._judged(slot)),
                )

    def _judged(self, slot: Slot) -> Iterator[tuple[str, StoredAnswer]]:
        for judge in slot.judges:
            for what in WHATS:
                found = self._recall.find(slot.module, judge, judged_name(slot.name, judge, what))
                if found is not None:
                    yield f"{judge}, {what}", found

    def _presented(self, slots: Sequence[Slot], bench: Bench | None) -> Iterator[Presented]:
        for slot in slots:
            if slot.seat is None or slot.shown is None or bench is None:
                continue
            looked = bench.looked_up(slot)
            yield Presented(
                eval=f"{slot.module}::{slot.test}",
                judge=slot.seat.judge,
                criterion=slot.seat.criterion,
                arm=slot.arm,
                replicate=slot.replicate,
                shown=slot.shown,
                request=looked.request,
                stored=looked.stored,
                fresh=looked.fresh,
                verdict=looked.verdict,
                problem=looked.problem,
                accepted=self._accepted(slot),
            )

    def _accepted(self, slot: Slot) -> str | None:
        stratum = slot.shown.stratum if slot.shown is not None else None
        context = slot.pair.context if slot.pair is not None else ""
        label = seat_label(slot.seat, slot.arm, stratum, context)
        row = f"{slug(slot.task)}-{slot.order}" + (f"-{slot.replicate}" if slot.replicate > 1 else "")
        try:
            rows = self._grades.accepted(
                test_file=Path(slot.module), module=slot.module, test=slot.test, cell=label
            )
        except JudgeAuditError as error:
            return f"unreadable: {error}"
        return rows.get(row)


def _place(one: Presented) -> tuple[str, str, str, int, str, str]:
    shown = one.shown
    if isinstance(shown, LabelledAnswer):
        return one.eval, one.judge, one.criterion, one.replicate, "", shown.control
    return one.eval, one.judge, one.criterion, one.replicate, shown.order, shown.context


def _place_of_answer(one: Answered) -> tuple[str, str, str, int]:
    return one.eval, one.agent, one.arm, one.replicate
