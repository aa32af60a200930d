"""What happens once the trials are in: keep answers, analyse, compare accepted grades, name the items."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.audits import Answers, Audit, Loss, Protocol
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.records.plans import CellPlan, Finding, Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.accept import AcceptedGrades, Grades
from pytest_judgeaudit.session.controller import Gathered, collected
from pytest_judgeaudit.session.gates import GateItem
from pytest_judgeaudit.session.keeping import Kept
from pytest_judgeaudit.session.trial import Seat, test_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """
    The analysis of one run.

    ``narrowed`` is whether judges or criteria were left out. ``keep`` stores what came, told whether the
    run was complete; ``protocol`` is told when its answers were asked for; ``write`` writes the reports.
    """

    root: Path
    live: bool
    sharded: bool
    narrowed: bool
    losses: Sequence[Loss]
    baseline: Mapping[str, Any] | None
    keep: Callable[[Plan, bool], Kept]
    grades: AcceptedGrades
    same_model: Callable[[str, str], bool]
    protocol: Callable[[Plan, Sequence[float]], Protocol]
    write: Callable[[Audit, Gathered], None]
    clock: Callable[[], float] = time.time

    def conclude(self, gathered: Gathered) -> tuple[Audit, Sequence[GateItem]]:
        """Keep, analyse and compare; return the audit and the items to add to the run."""
        plan, trials = gathered.plan or Plan(), gathered.trials
        complete = not gathered.interrupted and _is_complete(plan)
        kept, failed = self._kept(plan, complete=complete)
        # Not before answers are kept, and never in workers: numpy and scipy cost half a second.
        from pytest_judgeaudit.audit.auditing import audit
        from pytest_judgeaudit.audit.notices import of_age, of_budgets

        told = (*of_budgets(plan, trials), *of_age(plan, trials, now=self.clock()))
        done = audit(
            plan,
            trials,
            interrupted=gathered.interrupted,
            notes=(*gathered.findings, *kept.findings, *told),
            answers=_answers(trials, kept),
            protocol=self.protocol(plan, [t.asked_at for t in trials if t.asked_at is not None]),
            same_model=self.same_model,
            ambiguous=kept.ambiguous,
            losses=self.losses,
        )
        done = self._compared(done)
        moved, notes = self._accept(plan, trials)
        if complete and not self.narrowed:
            notes += self._gone(plan, trials)
        lost = next((trial.unkept for trial in trials if trial.unkept), None)
        failed += [_unkept(lost)] if lost else []
        items = [*_gate_items(done), *collected(gathered.findings), *moved, *failed]
        return replace(done, state=_state(done, items), findings=(*done.findings, *notes)), items

    def _compared(self, audit: Audit) -> Audit:
        """Add the comparison with an earlier report, where one is named."""
        if self.baseline is None:
            return audit
        from pytest_judgeaudit.audit.baseline import against, unmatched

        apart = unmatched(audit, self.baseline, name="the baseline")
        return replace(
            audit,
            contrasts=(*audit.contrasts, *against(audit, self.baseline)),
            findings=(*audit.findings, *apart),
        )

    def _kept(self, plan: Plan, *, complete: bool) -> tuple[Kept, list[GateItem]]:
        try:
            return self.keep(plan, complete), []
        except JudgeAuditError as error:
            # Whatever was answered is in the journals, and the next live run absorbs it.
            return Kept(), [_unkept(f"the stored answers could not be brought up to date: {error}")]

    def publish(self, audit: Audit, gathered: Gathered) -> None:
        """Write the reports."""
        self.write(audit, gathered)

    def _accept(self, plan: Plan, trials: Sequence[Trial]) -> tuple[list[GateItem], list[Finding]]:
        by_cell: dict[str, list[Trial]] = defaultdict(list)
        for trial in trials:
            by_cell[trial.cell].append(trial)
        items: list[GateItem] = []
        findings: list[Finding] = []
        fresh = 0
        for cell in plan.cells:
            if cell.judge is None or cell.arm == "all" or not by_cell[cell.id]:
                continue
            result = self._check(cell, by_cell[cell.id])
            fresh += result.state == "none"
            if result.state == "moved":
                items.append(_moved_item(cell, result.message))
            if result.vanished:
                findings.append(_vanished(cell, result.vanished))
            if result.new and result.state in {"new", "moved"}:
                findings.append(_not_accepted_yet(cell, result.new))
        if fresh:
            findings.append(_nothing_accepted(fresh))
        return items, findings

    def _gone(self, plan: Plan, trials: Sequence[Trial]) -> Iterator[Finding]:
        """Find accepted cells that no test, judge or criterion stands for any more."""
        heard = {trial.cell for trial in trials}
        silent = {_module(cell) for cell in plan.cells if cell.id not in heard}
        for module in dict.fromkeys(map(_module, plan.cells)):
            names = () if module in silent else self.grades.unseen(module)
            if names:
                yield _vanished_cells(module, names)

    def _check(self, cell: CellPlan, trials: Sequence[Trial]) -> Grades:
        rows = {_row(trial): _grade(trial) for trial in trials if trial.outcome != "void"}
        return self.grades.check(
            test_file=self.root / _module(cell),
            module=_module(cell),
            test=test_name(cell.eval, cell.variant),
            cell=_label(cell),
            rows=rows,
            complete=set(cell.selected) == set(cell.declared) and len(rows) == len(set(cell.declared)),
            asked=frozenset(_row(trial) for trial in trials if trial.answer == "asked"),
            live=self.live,
            sharded=self.sharded,
        )


def _module(cell: CellPlan) -> str:
    return cell.eval.partition("::")[0]


def _unkept(text: str) -> GateItem:
    return GateItem(id="snapshots::kept", outcome="failed", text=text, location=("snapshots", 0))


def _is_complete(plan: Plan) -> bool:
    return all(set(cell.selected) == set(cell.declared) for cell in plan.cells)


def _label(cell: CellPlan) -> str:
    seat = Seat(cell.judge or "", cell.criterion or "")
    stratum = cell.stratum if cell.stratum not in {None, "core"} else ""
    return "-".join(filter(None, (seat.id, stratum)))


def _row(trial: Trial) -> str:
    replicate = f"-{trial.replicate}" if trial.replicate > 1 else ""
    return f"{slug(trial.task)}-{trial.order}{replicate}"


def _grade(trial: Trial) -> str:
    return f"{trial.digest} {trial.winner} {trial.outcome}"


def _answers(trials: Sequence[Trial], kept: Kept) -> Answers:
    states = Counter(trial.answer for trial in trials)
    return Answers(
        hit=states["hit"],
        stale=states["stale"],
        missing=states["missing"],
        asked=states["asked"],
        unused=kept.unused,
        recovered=kept.recovered,
    )


def _gate_items(done: Audit) -> Iterator[GateItem]:
    for gate in done.gates:
        yield GateItem(
            id=gate.id,
            outcome=gate.outcome,
            text=f"{gate.state}: {gate.statement}" + "".join(f"\n  {reason}" for reason in gate.reasons),
            location=gate.location,
        )


def _moved_item(cell: CellPlan, message: str) -> GateItem:
    name = "-".join(filter(None, (_label(cell), cell.variant and slug(cell.variant))))
    return GateItem(
        id=f"{cell.eval}::grades[{name}]", outcome="failed", text=message, location=cell.location
    )


def _state(done: Audit, items: Sequence[GateItem]) -> Literal["pass", "miss", "hold"]:
    outcomes = {item.outcome for item in items}
    if "failed" in outcomes:
        return "miss"
    return "hold" if "error" in outcomes else done.state


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
        check="whether a test, a judge or a criterion was renamed; nothing drops them but an editor",
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
