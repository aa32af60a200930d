"""Grades beside those that people accepted: what moved becomes an item, what is missing a finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.plans import CellPlan, Finding, Plan, Presentation
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.accept import AcceptedGrades, Grades
from pytest_judgeaudit.session.gates import GateItem
from pytest_judgeaudit.session.trial import Seat, test_name
from pytest_judgeaudit.store.files import safe_module

Place: TypeAlias = tuple[str, str, str, int]
"""Eval with its variant, question, agent-arm and replicate of a graded row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """
    The comparison of a run's grades with those accepted; see :class:`AcceptedGrades`.

    ``prunes`` is whether a complete run removes accepted cells that nothing stands for any more.
    """

    grades: AcceptedGrades
    root: Path
    live: bool
    sharded: bool
    prunes: bool = False

    def compare(
        self, plan: Plan, trials: Sequence[Trial], rows: Sequence[GradedRow]
    ) -> tuple[list[GateItem], list[Finding]]:
        """Return an item for each cell whose grades moved, and what else is to be said."""
        by_cell: dict[str, list[Trial]] = defaultdict(list)
        for trial in trials:
            by_cell[trial.cell].append(trial)
        items: list[GateItem] = []
        findings: list[Finding] = []
        moved: dict[Place, str] = {}
        fresh = 0
        for cell in plan.cells:
            if (cell.judge is None and cell.agent is None) or cell.arm == "all" or not by_cell[cell.id]:
                continue
            result = self._check(cell, by_cell[cell.id])
            fresh += result.state == "none"
            if result.state == "moved":
                items.append(_moved_item(cell, result.message))
                moved |= _moved_rows(cell, by_cell[cell.id], result)
            if lost := [row for row in result.vanished if row not in _retired(cell)]:
                findings.append(_vanished(cell, lost))
            if result.new and result.state in {"new", "moved"}:
                findings.append(_not_accepted_yet(cell, result.new))
        if fresh:
            findings.append(_nothing_accepted(fresh))
        findings += _shifts(moved, rows) if moved else ()
        return items, findings

    def gone(self, plan: Plan, trials: Sequence[Trial], *, whole: bool) -> Iterator[Finding]:
        """
        Find accepted cells that no test, judge or criterion stands for; with ``prunes`` remove them.

        For complete runs. Modules whose file is gone are looked for in a run of all evals (``whole``).
        """
        heard = {trial.cell for trial in trials}
        silent = {_module(cell) for cell in plan.cells if cell.id not in heard}
        modules = dict.fromkeys(map(_module, plan.cells))
        for module in [*modules, *(self._without_file(modules) if whole else ())]:
            names = () if module in silent else self.grades.unseen(module)
            if names and self.prunes:
                self.grades.drop_unseen(module)
            elif names:
                yield _vanished_cells(module, names)

    def _without_file(self, modules: Iterable[str]) -> Iterator[str]:
        """Name the modules that have accepted cells and no file any more."""
        known = {safe_module(module) for module in modules}
        for name in self.grades.modules():
            if name in known or (self.root / name).exists():
                continue
            nearest = next(folder for folder in (self.root / name).parents if folder.is_dir())
            files = (path.relative_to(self.root).as_posix() for path in nearest.rglob("*.py"))
            if name not in map(safe_module, files):
                yield name

    def _check(self, cell: CellPlan, trials: Sequence[Trial]) -> Grades:
        rows = {
            row_of(cell, trial): grade_of(trial)
            for trial in trials
            if trial.outcome != "void" or trial.graded
        }
        return self.grades.check(
            test_file=self.root / _module(cell),
            module=_module(cell),
            test=test_name(cell.eval, cell.variant),
            cell=_label(cell),
            rows=rows,
            complete=set(cell.selected) == set(cell.declared) and len(rows) == len(set(cell.declared)),
            asked=frozenset(row_of(cell, trial) for trial in trials if trial.answer == "asked"),
            live=self.live,
            sharded=self.sharded,
        )


def _module(cell: CellPlan) -> str:
    return cell.eval.partition("::")[0]


def _label(cell: CellPlan) -> str:
    if cell.agent is not None:
        return f"{slug(cell.agent)}-{cell.arm}"
    seat = Seat(cell.judge or "", cell.criterion or "")
    return seat_label(seat, cell.arm, cell.stratum, cell.context)


def seat_label(seat: Seat | None, arm: str, stratum: str | None, context: str) -> str:
    """Name a cell of accepted grades within its test."""
    own = arm if arm in LABELLED_ARMS else ""
    edge = stratum if stratum not in {None, "core"} else ""
    return "-".join(filter(None, (seat.id if seat else "", own, edge, context)))


def row_of(cell: CellPlan, shown: Trial | Presentation) -> str:
    """Name a row of accepted grades: TASK-ORDER[-REPLICATE], of questions without an order."""
    replicate = f"-{shown.replicate}" if shown.replicate > 1 else ""
    order = "" if cell.agent is not None else f"-{shown.order}"
    return f"{slug(shown.task)}{order}{replicate}"


def _retired(cell: CellPlan) -> set[str]:
    return {row_of(cell, one) for one in cell.retired}


def grade_of(trial: Trial) -> str:
    """Write what people accept of a trial: its answer's digest, the verdict or the grade, the outcome."""
    if trial.graded is None:
        return f"{trial.digest} {trial.winner} {trial.outcome}"
    grade = trial.graded["grade"]
    score = grade.get("score")
    found = " ".join(name for name, hit in grade.get("per_fact", {}).items() if hit)
    told = "none" if score is None else f"{score:.4g}"
    state = grade.get("state", "graded")
    return f"{trial.digest} {told} {state}{found and ': ' + found}"


def _moved_rows(cell: CellPlan, trials: Sequence[Trial], result: Grades) -> dict[Place, str]:
    """Return what was accepted of the rows of questions that moved."""
    if cell.agent is None:
        return {}
    before = {key: accepted for key, accepted, _ in result.moved}
    eval_name = f"{cell.eval}[{cell.variant}]" if cell.variant else cell.eval
    return {
        (eval_name, trial.task, _label(cell), trial.replicate): before[key]
        for trial in trials
        if (key := row_of(cell, trial)) in before
    }


def _as_accepted(row: GradedRow, moved: Mapping[Place, str]) -> GradedRow:
    """Return a row with the grade that was accepted of it."""
    place = (row.eval, row.question.id, f"{slug(row.agent)}-{row.arm}", row.replicate)
    if place not in moved:
        return row
    told, _, facts = moved[place].partition(": ")
    words, hits = told.split(), set(facts.split())
    try:
        score = float(words[1])
    except (IndexError, ValueError):
        score = None
    per_fact = {name: name in hits for name in row.grade.per_fact}
    return replace(row, grade=replace(row.grade, score=score, per_fact=per_fact))


def _shifts(moved: Mapping[Place, str], rows: Sequence[GradedRow]) -> Iterator[Finding]:
    from pytest_judgeaudit.audit.suspicions import uniform_shifts

    yield from uniform_shifts([_as_accepted(row, moved) for row in rows], rows)


def _moved_item(cell: CellPlan, message: str) -> GateItem:
    name = "-".join(filter(None, (_label(cell), cell.variant and slug(cell.variant))))
    return GateItem(
        id=f"{cell.eval}::grades[{name}]", outcome="failed", text=message, location=cell.location
    )


def _vanished(cell: CellPlan, rows: Sequence[str]) -> Finding:
    return Finding(
        code="grades-vanished",
        where=cell.id,
        symptom=f"{counted(len(rows), 'accepted grade')} without a trial in this run, such as {rows[0]}",
        check="whether the source lost rows; --snapshot-update on a complete run drops them",
    )


def _vanished_cells(module: str, names: Sequence[str]) -> Finding:
    return Finding(
        code="grades-vanished",
        where=module,
        symptom=f"{counted(len(names), 'cell')} of accepted grades without a test in this run, "
        f"such as {names[0]}",
        check="whether a test, a judge or a criterion was renamed; --judge-prune drops them",
    )


def _not_accepted_yet(cell: CellPlan, rows: Sequence[str]) -> Finding:
    return Finding(
        code="grades-not-accepted",
        where=cell.id,
        symptom=f"{counted(len(rows), 'trial')} without an accepted grade beside others, such as {rows[0]}",
        check="whether the file of accepted grades lost rows; accept with --snapshot-update",
    )


def _nothing_accepted(cells: int) -> Finding:
    return Finding(
        code="grades-not-accepted",
        where="snapshots",
        symptom=f"no accepted grades to compare with in {counted(cells, 'cell')}",
        check="the verdicts, then accept them with --snapshot-update",
    )
