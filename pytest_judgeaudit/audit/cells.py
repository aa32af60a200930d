"""Cells: what is said of each configuration × criterion × arm, and what may not be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pytest_judgeaudit.audit.answered import Answered, holds_of
from pytest_judgeaudit.audit.apart import apart
from pytest_judgeaudit.audit.campaigns import Campaign, Key
from pytest_judgeaudit.audit.estimates import estimates
from pytest_judgeaudit.audit.families import Standing, standings
from pytest_judgeaudit.audit.faults import utility_fault
from pytest_judgeaudit.audit.holds import Hold, holes
from pytest_judgeaudit.audit.names import gate_id
from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.audit.scorings import holds_of_judges
from pytest_judgeaudit.audit.tallies import Tally, tally
from pytest_judgeaudit.audit.utility import Utility, utility
from pytest_judgeaudit.records.audits import Cell
from pytest_judgeaudit.records.plans import GateSpec, Plan
from pytest_judgeaudit.stats.bounds import binomial_tail

CellState = Literal["OK", "HOLD", "PARTIAL"]
DEFAULTS: Mapping[str, GateSpec] = {
    "clone_gate": GateSpec(kind="clone_gate"),
    "utility_gate": GateSpec(kind="utility_gate"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """
    One cell, analysed: what was observed, its state with the reasons, its counts, its record.

    ``tally`` is None in a HOLD cell, ``utility`` unless it is a signal cell that was evaluated, and
    ``standing`` unless it has a clone gate in a family.
    """

    observed: Observed
    campaign: Campaign | None
    state: CellState
    holds: tuple[Hold, ...]
    tally: Tally | None
    utility: Utility | None
    standing: Standing | None
    record: Cell


def measure(
    plan: Plan,
    observed: Sequence[Observed],
    campaigns: Mapping[Key, Campaign],
    agents: Mapping[Key, Answered],
    scored: Mapping[Key, Campaign],
) -> tuple[Measured, ...]:
    """Evaluate every cell, and place the clone gates in their families."""
    drafts = [
        _draft(
            cell,
            _campaign_of(cell, campaigns),
            (*holds_of(agents, cell), *holds_of_judges(scored, cell)),
        )
        for cell in observed
    ]
    placed = standings(plan, dict(_p_values(drafts)))
    return tuple(_measured(draft, placed) for draft in drafts)


def spec_of(cell: Observed, kind: str) -> GateSpec:
    """Return the cell's gate of a kind, or its defaults without threshold."""
    return next((gate for gate in cell.plan.gates if gate.kind == kind), DEFAULTS[kind])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    observed: Observed
    campaign: Campaign | None
    state: CellState
    holds: tuple[Hold, ...]
    tally: Tally | None
    p_raw: float | None


def _campaign_of(cell: Observed, campaigns: Mapping[Key, Campaign]) -> Campaign | None:
    return None if cell.plan.judge is None else campaigns[cell.plan.study, cell.plan.judge]


def _draft(cell: Observed, campaign: Campaign | None, others: Sequence[Hold]) -> _Draft:
    holds = (*_holds(cell, campaign), *others)
    state: CellState = "PARTIAL" if cell.partial else "HOLD" if holds else "OK"
    counted = None if state == "HOLD" else tally(cell)
    p_raw = None
    if state == "OK" and counted is not None and cell.plan.arm == "clone" and not cell.edge:
        upper = spec_of(cell, "clone_gate").upper
        p_raw = None if upper is None else binomial_tail(counted.adverse_tasks, len(counted.tasks), upper)
    return _Draft(observed=cell, campaign=campaign, state=state, holds=holds, tally=counted, p_raw=p_raw)


def _holds(cell: Observed, campaign: Campaign | None) -> Iterator[Hold]:
    if campaign is not None:
        yield from campaign.holds
    if campaign is None or cell.edge:
        yield from holes([cell], log=campaign is not None and campaign.configuration.api == "recorded")
    if cell.uneven:
        yield Hold(
            code="uneven-presentations",
            reason="tasks were scheduled in different sets of orders",
            check="what takes single presentations away; each task is shown in the same orders",
        )
    tasks = [cell.task(name) for name in dict.fromkeys(p.task for p in cell.scheduled)]
    for gate in cell.plan.gates:
        fault = utility_fault(gate, cell.scheduled, tasks)
        if fault and not cell.partial:
            yield Hold(code="gate", reason=fault, check="the arguments of the marker")


def _p_values(drafts: Sequence[_Draft]) -> Iterator[tuple[str, float | None]]:
    for draft in drafts:
        if draft.state != "PARTIAL" and draft.observed.plan.arm == "clone" and not draft.observed.edge:
            yield gate_id(draft.observed.plan, "clone_gate"), draft.p_raw


def _measured(draft: _Draft, placed: Mapping[str, Standing]) -> Measured:
    cell, counted = draft.observed, draft.tally
    signal = draft.state == "OK" and cell.plan.arm == "signal" and counted is not None
    useful = utility(counted, spec_of(cell, "utility_gate")) if signal and counted else None
    gated = cell.plan.arm == "clone" and not cell.edge
    standing = placed.get(gate_id(cell.plan, "clone_gate")) if gated else None
    found: Mapping[str, Any] = {}
    if draft.state == "OK" and counted is not None:
        found = estimates(cell, counted, useful=useful, clone_gate=spec_of(cell, "clone_gate"))
        found = {**found, "p_raw": draft.p_raw, "p_holm": standing and standing.p_holm}
    return Measured(
        observed=cell,
        campaign=draft.campaign,
        state=draft.state,
        holds=draft.holds,
        tally=counted,
        utility=useful,
        standing=standing,
        record=_record(draft, found),
    )


def _record(draft: _Draft, found: Mapping[str, Any]) -> Cell:
    cell = draft.observed
    return Cell(
        id=cell.plan.id,
        study=cell.plan.study,
        eval=cell.plan.eval,
        judge=cell.plan.judge,
        criterion=cell.plan.criterion,
        arm=cell.plan.arm,
        agent=cell.plan.agent,
        corpus=cell.plan.corpus,
        stratum=cell.plan.stratum,
        context=cell.plan.context or None,
        state=draft.state,
        tasks=len({presentation.task for presentation in cell.scheduled}),
        calls=len(cell.scheduled),
        statement=apart(cell.plan),
        counts=_bare_counts(cell) if draft.tally is None else draft.tally.counts,
        **found,
    )


def _bare_counts(cell: Observed) -> dict[str, int]:
    """Count what a HOLD cell may show: nothing that is made of outcomes."""
    outputs = list(cell.outputs())
    return {
        "scheduled": len(cell.scheduled),
        "terminal": len(outputs),
        "invalid": sum(trial.winner == "invalid" for trial in outputs),
    }
