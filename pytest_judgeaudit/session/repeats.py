"""What a repeated call is called as it comes in: adverse where it does not say what the first call said."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from pytest_judgeaudit.audit.observations import seat_of
from pytest_judgeaudit.records.labelled import LABELS
from pytest_judgeaudit.records.plans import CellPlan, Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.outcomes import WORD


class Repeats:
    """
    Words the reports of repeated calls, whose assertion is about the label and not about the first call.

    One that comes in before its first call keeps the word of its process, which looks into the stored
    answers: the audit counts it when both are in.
    """

    def __init__(self) -> None:
        self._cells: Mapping[str, CellPlan] | None = None
        self._said: dict[tuple[tuple[str, ...], str], str | None] = {}

    def heed(self, trial: Trial, report: pytest.TestReport, plan: Callable[[], Plan]) -> None:
        """Note what a first call says; word the report of a repeated one."""
        if self._cells is None:
            self._cells = _paired(plan())
        cell = self._cells.get(trial.cell)
        if cell is None or trial.winner is None or trial.outcome == "void":
            return
        key = seat_of(cell), trial.task
        if cell.arm != "repeated":
            self._said.setdefault(key, trial.winner)
        elif trial.winner != "invalid" and key in self._said:
            setattr(report, WORD, "adverse" if self._said[key] != trial.winner else None)


def _paired(plan: Plan) -> Mapping[str, CellPlan]:
    """Return the cells of calls that are repeated, and of their repetitions."""
    repeated = {seat_of(cell) for cell in plan.cells if cell.arm == "repeated"}
    arms = (*LABELS, "repeated")
    return {cell.id: cell for cell in plan.cells if cell.arm in arms and seat_of(cell) in repeated}
