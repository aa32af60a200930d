"""The gate ``blind_floor``: one decision for all arms of an agent in an eval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_judgeaudit.audit import statements
from pytest_judgeaudit.audit.campaigns import Campaign, Key
from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.decisions import Decision
from pytest_judgeaudit.audit.floors import blind_floor
from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.floors import Floor
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.plans import CellPlan, GateSpec


def decide_floor(
    cell: Measured,
    spec: GateSpec,
    *,
    declared: Sequence[CellPlan],
    cells: Sequence[Measured],
    floors: Sequence[Floor],
    scored: Mapping[Key, Campaign],
    rows: Sequence[GradedRow],
) -> Decision:
    """
    Decide the gate that stands at one cell, for all arms of its agent.

    ``declared`` are all cells of the plan, ``cells`` those of which something was selected. PARTIAL where a
    part of them was run, or by a part of the judges; HOLD where answers or scores are missing, or a judge's
    campaign cannot be evaluated, where an exclusion names answers of it among ``rows``, or as
    :func:`~pytest_judgeaudit.audit.floors.blind_floor` says. The threshold is 100, above which no floor
    lies, where none is set.
    """
    threshold = 100.0 if spec.maximum is None else spec.maximum
    group = [one for one in cells if _group(one.observed.plan) == _group(cell.observed.plan)]
    whole = [one for one in declared if _group(one) == _group(cell.observed.plan)]
    if len(group) < len(whole) or any(
        one.state == "PARTIAL" or one.observed.plan.unseated for one in group
    ):
        reason = "only a part of the arms, questions or judges was run"
        return Decision(
            state="PARTIAL", statement=statements.PARTIAL, threshold=threshold, reasons=(reason,)
        )
    plan = cell.observed.plan
    own = f"{plan.eval}[{plan.variant}]" if plan.variant else plan.eval
    found = blind_floor(
        [floor for floor in floors if floor.eval == own and floor.agent == plan.agent],
        maximum=spec.maximum,
    )
    holds = [*_holds(group, scored), *_excluded(rows, own, plan.agent)]
    state = "HOLD" if holds else found.state
    return Decision(
        state=state,
        statement=statements.HOLD if holds else found.statement,
        threshold=threshold,
        bound=None if state == "HOLD" else found.bound,
        reasons=tuple(dict.fromkeys((*holds, *found.reasons))),
    )


def _holds(group: Sequence[Measured], scored: Mapping[Key, Campaign]) -> Iterator[str]:
    """Yield what is wrong with the answers, but for blindness, and, once, with the judges of them."""
    for one in group:
        own = (hold for hold in one.holds if hold.code not in {"not-blind", "judge-on-hold"})
        yield from (f"{one.record.arm}: {hold.reason}" for hold in own)
    judges = [(one.record.study, name) for one in group for name in one.observed.plan.scored]
    for key in dict.fromkeys(judges):
        yield from (f"{key[1]}: {hold.reason}" for hold in (scored[key].holds if key in scored else ()))


def _excluded(rows: Sequence[GradedRow], eval_: str, agent: str | None) -> Iterator[str]:
    """Yield why a mean that somebody chose the answers of decides no gate: it could be made to pass."""
    gone = [row for row in rows if row.excluded and (row.eval, row.agent) == (eval_, agent)]
    if gone:
        yield (
            f"{counted(len(gone), 'answer')} left out by [[exclusion]], and a gate counts every answer: "
            "record the answers again, or retire the question"
        )


def specs_at(cell: CellPlan, declared: Sequence[CellPlan]) -> Iterator[GateSpec]:
    """
    Yield the gates of a cell, those included that stand at another arm of its agent.

    Where that arm is not selected, the gate would else be left out of the report.
    """
    yield from cell.gates
    if cell.agent is not None:
        for one in declared:
            if one is not cell and _group(one) == _group(cell):
                yield from (gate for gate in one.gates if gate.kind == "blind_floor")


def _group(plan: CellPlan) -> tuple[str, str, str | None]:
    return plan.eval, plan.variant, plan.agent
