"""``--judge-show TASK``: why was this adverse? What was asked, answered and graded, and nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.errors import JudgeAuditError, nearest
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.report import asked, task
from pytest_judgeaudit.report.asked import Answered, Judged
from pytest_judgeaudit.report.lines import Line
from pytest_judgeaudit.report.task import Presented
from pytest_judgeaudit.session.accept import AcceptedGrades
from pytest_judgeaudit.session.answering import DESK
from pytest_judgeaudit.session.judging import BENCH, Bench
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.reviewing import seat_label
from pytest_judgeaudit.session.summary import write
from pytest_judgeaudit.session.trial import SLOT, Slot

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
            answers = sorted(self._answered(found, session.config.stash), key=_place_of_answer)
        self._lines = [*task.render(pairs), *asked.render(answers)]
        return True

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Write what was found."""
        if self._lines:
            write(terminalreporter, self._lines)

    def _answered(self, slots: Sequence[Slot], stash: pytest.Stash) -> Iterator[Answered]:
        for slot in slots:
            if slot.asked is not None:
                stored = self._recall.find(slot.module, slot.owner, slot.name)
                row, problem = (None, None) if stored is None else _graded(slot, stored, stash)
                yield Answered(
                    eval=f"{slot.module}::{slot.test}",
                    question=slot.asked.question,
                    agent=slot.asked.agent,
                    arm=slot.arm,
                    replicate=slot.replicate,
                    name=slot.name,
                    stored=stored,
                    graded=row,
                    problem=problem,
                    accepted=self._accepted(slot, f"{slug(slot.asked.agent)}-{slot.arm}", ""),
                    judged=() if row is None else tuple(_judged(slot, row, stash)),
                )

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
                accepted=self._accepted_of_pair(slot),
            )

    def _accepted_of_pair(self, slot: Slot) -> str | None:
        stratum = slot.shown.stratum if slot.shown is not None else None
        context = slot.pair.context if slot.pair is not None else ""
        return self._accepted(slot, seat_label(slot.seat, slot.arm, stratum, context), f"-{slot.order}")

    def _accepted(self, slot: Slot, label: str, order: str) -> str | None:
        row = f"{slug(slot.task)}{order}" + (f"-{slot.replicate}" if slot.replicate > 1 else "")
        try:
            rows = self._grades.accepted(
                test_file=Path(slot.module), module=slot.module, test=slot.test, cell=label
            )
        except JudgeAuditError as error:
            return f"unreadable: {error}"
        return rows.get(row)


def _graded(slot: Slot, stored: StoredAnswer, stash: pytest.Stash) -> tuple[GradedRow | None, str | None]:
    """Grade a stored answer under the present key; say why it cannot be, or what moved since."""
    from pytest_judgeaudit.session.grading import graded

    asked, desk = slot.asked, stash.get(DESK, None)
    if asked is None or desk is None:
        return None, None
    try:
        moved = desk.call(asked).refusal(stored, slot.name)
        row = slot.heard.row = graded(asked, Answer.of(stored.reply), traced=stored.reply.trace is not None)
    except JudgeAuditError as error:
        return None, str(error)
    return row, None if moved is None else str(moved)


def _judged(slot: Slot, row: GradedRow, stash: pytest.Stash) -> Iterator[Judged]:
    bench = stash.get(BENCH, None)
    if bench is None:
        return
    for judge in slot.judges:
        try:
            found = [
                Judged(judge=judge, said=said, stored=kept)
                for said, kept in bench.scorers.looked_up(slot, judge, row)
            ]
        except JudgeAuditError as error:
            found = [Judged(judge=judge, said=RubricScore(state="pending", reason=str(error)))]
        yield from found or [Judged(judge=judge)]


def _place(one: Presented) -> tuple[str, str, str, int, str, str]:
    shown = one.shown
    if isinstance(shown, LabelledAnswer):
        return one.eval, one.judge, one.criterion, one.replicate, "", shown.control
    return one.eval, one.judge, one.criterion, one.replicate, shown.order, shown.context


def _place_of_answer(one: Answered) -> tuple[str, str, str, int]:
    return one.eval, one.agent, one.arm, one.replicate
