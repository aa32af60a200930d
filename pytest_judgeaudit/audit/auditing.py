"""The whole analysis: trials beside the plan → campaigns → cells → gates → joint labels → findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from pytest_judgeaudit.audit.answered import answered
from pytest_judgeaudit.audit.beside import Beside
from pytest_judgeaudit.audit.campaigns import Key, campaigns
from pytest_judgeaudit.audit.cells import measure
from pytest_judgeaudit.audit.contexts import context_effects
from pytest_judgeaudit.audit.contrasts import contrasts
from pytest_judgeaudit.audit.findings import findings
from pytest_judgeaudit.audit.gates import Gated, gates
from pytest_judgeaudit.audit.holds import SameModel
from pytest_judgeaudit.audit.joint import joint, surprises
from pytest_judgeaudit.audit.ladders import ladders
from pytest_judgeaudit.audit.losses import risks
from pytest_judgeaudit.audit.observations import Observed, observe
from pytest_judgeaudit.audit.scorings import scorings
from pytest_judgeaudit.audit.sharp import schedule_of
from pytest_judgeaudit.records.audits import Answers, Audit, Loss, Protocol
from pytest_judgeaudit.records.claims import Claim
from pytest_judgeaudit.records.exclusions import Exclusion
from pytest_judgeaudit.records.floors import Comprehension, Prediction
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.plans import Finding, Plan
from pytest_judgeaudit.records.trials import Trial

EXITS: Mapping[str, int] = {"pass": 0, "miss": 1, "hold": 10}


def audit(  # noqa: PLR0913 - the run's facts, each by name
    plan: Plan,
    trials: Sequence[Trial],
    *,
    interrupted: bool = False,
    notes: Sequence[Finding] = (),
    answers: Answers,
    protocol: Protocol,
    same_model: SameModel,
    ambiguous: Mapping[Key, int] | None = None,
    losses: Sequence[Loss] = (),
    predictions: Sequence[Prediction] = (),
    claims: Sequence[Claim] = (),
    exclusions: Sequence[Exclusion] = (),
    retired: Sequence[GradedRow] = (),
) -> Audit:
    """
    Analyse a run.

    ``interrupted`` tells that the run ended before all items ran: what did not come is then not missing
    but makes its cell partial. ``notes`` are findings of others, shown after the plan's. ``same_model``
    compares a requested with a served name; ``ambiguous`` counts, by study and judge, calls without an end
    on record; ``losses`` are scenarios beside the source's, ``predictions`` and ``claims`` what is laid
    beside the rows of questions. ``exclusions`` leave rows out of every mean, ``retired`` are answers to
    questions that are asked no more; neither moves a gate, but a floor of which answers are left out holds.
    ``Audit.exit`` follows from the gates alone; without any trial declared gates are HOLD. Linear in the
    number of trials.

    Raises JudgeAuditError only where a result contradicts itself, which is a fault of this package.
    """
    observed, strays = observe(plan, trials, interrupted=interrupted)
    facts: Any = {"same_model": same_model, "ambiguous": ambiguous or {}}
    held, scored = campaigns(plan, observed, **facts), scorings(plan, observed, **facts)
    agents = answered(plan, observed, **facts)
    beside = Beside(predictions, claims, exclusions, retired)
    questions, odd = _answers(plan, observed, beside, run=protocol.sha256)
    cells = measure(plan, observed, held, agents, scored)
    asked: Any = {"floors": questions["comprehension"].floors, "rows": questions.get("grades", ())}
    gated = surprises(gates(plan, cells, **asked, scored=scored))
    found = (*findings(plan, (*held.values(), *scored.values()), cells, gated), *odd)
    schedule = schedule_of(plan, observed, protocol)
    state = _state(gated) if trials or not any(cell.gates for cell in plan.cells) else "hold"
    return Audit(
        state=state,
        configurations=tuple(campaign.configuration for campaign in (*held.values(), *scored.values())),
        agents=tuple(one.record for one in agents.values()),
        cells=tuple(cell.record for cell in cells),
        gates=tuple(one.gate for one in gated),
        joint=joint(gated),
        contrasts=contrasts(cells, plan=plan, schedule=schedule),
        ladders=ladders(cells),
        contexts=context_effects(cells),
        risk=risks(cells, declared=losses),
        trials=_Rows(observed),
        **questions,
        findings=(*plan.findings, *notes, *strays, *found, *schedule.findings),
        answers=answers,
        protocol=protocol,
        exit=EXITS[state],
    )


def _answers(
    plan: Plan, observed: Sequence[Observed], beside: Beside, *, run: str
) -> tuple[Mapping[str, Any], Sequence[Finding]]:
    """Return the fields of an Audit that are about answers to questions, and the findings about them."""
    if not any(beside) and not any(cell.agent for cell in plan.cells):
        return {"comprehension": Comprehension()}, ()
    # Graders and judges' replies compile many patterns, which a run about pairs does without.
    from pytest_judgeaudit.audit.understanding import understanding  # noqa: PLC0415

    return understanding(plan, observed, beside, run=run[:12])


def _state(gated: Sequence[Gated]) -> Literal["pass", "miss", "hold"]:
    outcomes = {one.gate.outcome for one in gated}
    if "failed" in outcomes:
        return "miss"
    return "hold" if "error" in outcomes else "pass"


class _Rows(Sequence[Mapping[str, Any]]):
    """One row for each trial that measured something, in the plan's order; made when it is read."""

    def __init__(self, observed: Sequence[Observed]) -> None:
        found = (cell.trials.get(presentation) for cell in observed for presentation in cell.scheduled)
        self._trials = [trial for trial in found if trial is not None]

    def __len__(self) -> int:
        return len(self._trials)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
        if isinstance(index, slice):
            return [_row(trial) for trial in self._trials[index]]
        return _row(self._trials[index])


def _row(trial: Trial) -> Mapping[str, Any]:
    return {
        "cell": trial.cell,
        "task": trial.task,
        "order": trial.order,
        "replicate": trial.replicate,
        "winner": trial.winner,
        "digest": trial.digest,
        "outcome": trial.outcome,
    }
