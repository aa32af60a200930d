"""What happens once the trials are in: keep answers, analyse, compare accepted grades, name the items."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pytest_judgeaudit.audit.observations import agreeing
from pytest_judgeaudit.records.audits import Answers, Audit, Loss, Protocol
from pytest_judgeaudit.records.claims import Claim
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.exclusions import Exclusion
from pytest_judgeaudit.records.floors import Prediction
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.claiming import claim_items
from pytest_judgeaudit.session.controller import Gathered, collected
from pytest_judgeaudit.session.gates import GateItem
from pytest_judgeaudit.session.keeping import Kept
from pytest_judgeaudit.session.reviewing import Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """
    The analysis of one run.

    ``narrowed`` is whether judges, criteria or agents were left out, ``whole`` whether all declared evals
    were to run: of less no claim is evaluated. ``keep`` stores what came, told whether the
    run was complete; ``protocol`` is told when its answers were asked for; ``write`` writes the reports.
    """

    narrowed: bool
    whole: bool
    losses: Sequence[Loss]
    predictions: Sequence[Prediction]
    claims: Sequence[Claim]
    exclusions: Sequence[Exclusion]
    retired: Callable[[Plan], Sequence[GradedRow]]
    baseline: Mapping[str, Any] | None
    keep: Callable[[Plan, bool], Kept]
    review: Review
    same_model: Callable[[str, str], bool]
    protocol: Callable[[Plan, Sequence[float]], Protocol]
    write: Callable[[Audit, Gathered], None]
    clock: Callable[[], float] = time.time

    def conclude(self, gathered: Gathered) -> tuple[Audit, Sequence[GateItem]]:
        """Keep, analyse and compare; return the audit and the items to add to the run."""
        plan, trials = gathered.plan or Plan(), gathered.trials
        complete = not gathered.interrupted and _is_complete(plan)
        kept, failed = self._kept(plan, complete=complete)
        done = self._compared(self._audited(plan, gathered, kept))
        gathered.calls, gathered.answered = kept.calls, kept.answered
        moved, notes = self.review.compare(plan, agreeing(plan, trials), done.grades)
        whole = complete and not self.narrowed and self.whole
        if complete and not self.narrowed:
            notes += self.review.gone(plan, trials, whole=whole)
        lost = next((trial.unkept for trial in trials if trial.unkept), None)
        failed += [_unkept(lost)] if lost else []
        items = [
            *_gate_items(done),
            *claim_items(done.claims, whole=whole),
            *collected(gathered.findings),
            *moved,
            *failed,
        ]
        return replace(done, state=_state(done, items), findings=(*done.findings, *notes)), items

    def _audited(self, plan: Plan, gathered: Gathered, kept: Kept) -> Audit:
        # Not before answers are kept, and never in workers: numpy and scipy cost half a second.
        from pytest_judgeaudit.audit.auditing import audit
        from pytest_judgeaudit.audit.notices import of_age, of_budgets

        trials = gathered.trials
        told = (*of_budgets(plan, trials), *of_age(plan, trials, now=self.clock()))
        return audit(
            plan,
            trials,
            interrupted=gathered.interrupted,
            notes=(*gathered.findings, *kept.findings, *told),
            answers=_answers(trials, kept),
            protocol=self.protocol(plan, [t.asked_at for t in trials if t.asked_at is not None]),
            same_model=self.same_model,
            ambiguous=kept.ambiguous,
            losses=self.losses,
            predictions=self.predictions,
            claims=self.claims,
            exclusions=self.exclusions,
            retired=self.retired(plan),
        )

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


def _unkept(text: str) -> GateItem:
    return GateItem(id="snapshots::kept", outcome="failed", text=text, location=("snapshots", 0))


def _is_complete(plan: Plan) -> bool:
    return all(set(cell.selected) == set(cell.declared) for cell in plan.cells)


def _answers(trials: Sequence[Trial], kept: Kept) -> Answers:
    """Count where answers came from: those of items, and what judges said of the answers of agents."""
    states = Counter(trial.answer for trial in trials)
    states.update(call.answer for trial in trials for call in trial.judged)
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


def _state(done: Audit, items: Sequence[GateItem]) -> Literal["pass", "miss", "hold", "partial"]:
    outcomes = {item.outcome for item in items}
    if "failed" in outcomes:
        return "miss"
    return "hold" if "error" in outcomes else done.state
