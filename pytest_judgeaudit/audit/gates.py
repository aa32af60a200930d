"""Gates: one decision each, and how its item ends for a judge that is, or is not, expected to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_judgeaudit.audit.campaigns import Campaign, Key
from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.decisions import Decision, decide
from pytest_judgeaudit.audit.flooring import decide_floor, specs_at
from pytest_judgeaudit.audit.names import gate_id
from pytest_judgeaudit.records.audits import Gate, GateState, ItemOutcome
from pytest_judgeaudit.records.floors import Floor
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.plans import GateSpec, Plan

OUTCOMES: Mapping[GateState, ItemOutcome] = {
    "PASS": "passed",
    "MISS": "failed",
    "HOLD": "error",
    "PARTIAL": "skipped",
    "REPORTED": "passed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """A gate with the cell and the arguments it was decided on."""

    gate: Gate
    cell: Measured
    spec: GateSpec
    shortfall: str | None


def gates(
    plan: Plan,
    cells: Sequence[Measured],
    *,
    floors: Sequence[Floor] = (),
    scored: Mapping[Key, Campaign] = MappingProxyType({}),
    rows: Sequence[GradedRow] = (),
) -> tuple[Gated, ...]:
    """
    Decide every gate of the cells, each id once, in the plan's order.

    ``floors`` are those of the run's answers, ``scored`` the campaigns of the judges of answers, ``rows``
    the answers themselves.
    """
    expects = {judge.name: judge.expect for judge in plan.judges}
    decided: dict[str, Gated] = {}
    for cell in cells:
        for spec in specs_at(cell.observed.plan, plan.cells):
            name = gate_id(cell.observed.plan, spec.kind)
            if name not in decided and not cell.observed.edge:
                expected = expects.get(cell.record.judge or "", "certified")
                if spec.kind == "blind_floor":
                    decision = decide_floor(
                        cell,
                        spec,
                        declared=plan.cells,
                        cells=cells,
                        floors=floors,
                        scored=scored,
                        rows=rows,
                    )
                else:
                    decision = decide(cell, spec)
                decided[name] = _gated(name, cell, spec, decision, expected)
    return tuple(decided.values())


def _gated(name: str, cell: Measured, spec: GateSpec, decision: Decision, expected: str) -> Gated:
    record, standing = cell.record, cell.standing if spec.kind == "clone_gate" else None
    in_family = standing is not None and spec.adjust == "holm"
    gate = Gate(
        id=name,
        kind=spec.kind,
        study=record.study,
        eval=record.eval,
        judge=record.judge,
        criterion=record.criterion,
        arm=record.arm,
        agent=record.agent,
        state=decision.state,
        threshold=decision.threshold,
        limit="least" if spec.lower is not None and spec.upper is None else "most",
        bound=decision.bound,
        tasks=record.tasks,
        p_holm=record.p_holm if in_family else None,
        family=standing.record if standing is not None and in_family else None,
        expected=expected,
        statement=decision.statement,
        reasons=decision.reasons,
        outcome=_outcome(decision.state, cell, expected),
        cell=record.id,
        location=cell.observed.plan.location,
    )
    return Gated(gate=gate, cell=cell, spec=spec, shortfall=decision.shortfall)


def _outcome(state: GateState, cell: Measured, expected: str) -> ItemOutcome:
    """Say how the item ends: a known-bad judge is expected to miss, or to say what cannot be read."""
    spoilt_by_judge = bool(cell.holds) and all(hold.judge_fault for hold in cell.holds)
    if expected == "uncertified" and (state == "MISS" or (state == "HOLD" and spoilt_by_judge)):
        return "passed"
    return OUTCOMES[state]
