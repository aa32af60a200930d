"""What each gate decides: PASS, MISS, HOLD or PARTIAL, with the bound, the sentence and the reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from pytest_judgeaudit.audit import statements
from pytest_judgeaudit.audit.campaigns import Campaign
from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.estimates import rate_bound
from pytest_judgeaudit.audit.tallies import Tally
from pytest_judgeaudit.records.audits import GateState
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.plans import GateSpec
from pytest_judgeaudit.stats.bounds import clopper_pearson_lower
from pytest_judgeaudit.stats.limits import at_least, at_most
from pytest_judgeaudit.stats.planning import Bound, minimum_n, minimum_n_rate, minimum_tasks_utility

Value = TypeVar("Value")

ARMS: Mapping[str, str] = {"clone_gate": "clone", "utility_gate": "signal"}
"""The arm that a gate is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """
    One gate's decision.

    ``bound`` is the one that decides, None where nothing may be estimated. ``shortfall`` says that no
    outcome could have passed at this size, and which size could.
    """

    state: GateState
    statement: str
    threshold: float
    bound: float | None = None
    reasons: tuple[str, ...] = ()
    shortfall: str | None = None


def decide(cell: Measured, gate: GateSpec) -> Decision:
    """Decide one gate of one cell."""
    threshold = _threshold(gate)
    if gate.kind == "operational_gate":
        return _operational(cell, gate)
    if cell.state == "PARTIAL":
        return _partial(cell, threshold)
    reasons = tuple(hold.reason for hold in cell.holds)
    arm = ARMS.get(gate.kind, cell.record.arm)
    if arm != cell.record.arm:
        reasons = (*reasons, f"{gate.kind}: found the arm {cell.record.arm}, expected {arm}")
    if reasons or cell.tally is None:
        return Decision(state="HOLD", statement=statements.HOLD, threshold=threshold, reasons=reasons)
    return _ruled(_DECISIONS[gate.kind](cell, cell.tally, gate), cell.campaign)


def _ruled(decision: Decision, campaign: Campaign | None) -> Decision:
    """Say how much of its campaign the operational rule has seen: it may hold the whole (RULES R16)."""
    if campaign is None or not campaign.partial or decision.state == "PARTIAL":
        return decision
    reason = statements.ruled(campaign.configuration.terminal, campaign.declared)
    return replace(decision, reasons=(*decision.reasons, reason))


def _threshold(gate: GateSpec) -> float:
    if gate.kind == "operational_gate":
        return gate.max_invalid
    return (gate.lower if gate.upper is None else gate.upper) or 0.0


def _partial(cell: Measured, threshold: float) -> Decision:
    declared = len(set(cell.observed.plan.declared))
    scheduled, seen = len(cell.observed.scheduled), len(cell.observed.trials) + len(cell.observed.void)
    reason = statements.selected(scheduled, declared, seen=min(seen, scheduled))
    return Decision(state="PARTIAL", statement=statements.PARTIAL, threshold=threshold, reasons=(reason,))


def _operational(cell: Measured, gate: GateSpec) -> Decision:
    """Report the campaign's state; of a part of a campaign it is not evaluated."""
    campaign, limit = cell.campaign, gate.max_invalid
    reasons: tuple[str, ...]
    if campaign is None:
        reasons = ("the test takes no judge: there is no campaign",)
        return Decision(state="HOLD", statement=statements.HOLD, threshold=limit, reasons=reasons)
    if campaign.partial:
        reasons = ("only a part of the judge's calls in this study was run",)
        return Decision(state="PARTIAL", statement=statements.PARTIAL, threshold=limit, reasons=reasons)
    if campaign.holds:
        reasons = tuple(hold.reason for hold in campaign.holds)
        return Decision(state="HOLD", statement=statements.HOLD, threshold=limit, reasons=reasons)
    rate = campaign.configuration.invalid_rate
    return Decision(state="PASS", statement=statements.operational(campaign), threshold=limit, bound=rate)


def _clone(cell: Measured, tally: Tally, gate: GateSpec) -> Decision:
    """Decide by the Holm-adjusted p, or by the raw one where nothing is adjusted (RULES R2, R3)."""
    upper, n, level = gate.upper or 0.0, len(tally.tasks), 1 - gate.confidence
    standing = _known(cell.standing, cell) if gate.adjust == "holm" else None
    raw, bound = _known(cell.record.p_raw, cell), _known(cell.record.upper, cell)
    adjusted = raw if standing is None or standing.p_holm is None else standing.p_holm
    passed = at_most(adjusted, level)
    _check_implied(cell.record.id, passed=passed, bound=bound, upper=upper, p=adjusted)
    found = statements.clone(gate, standing, adverse=tally.adverse_tasks, n=n, upper=bound, p=adjusted)
    m = len(standing.members) if standing else 1
    needed = minimum_n(0, upper=upper, confidence=gate.confidence, m=m)
    short = statements.underpowered(n, needed, m=m) if n < needed and not passed else None
    if not passed and standing is not None and standing.absent and at_most(raw, level):
        reason = statements.absent_members(standing, raw, level)
        return _unfinished(upper, bound, reason, short)
    if passed:
        statement = statements.clone_pass(gate, found, n=n, adverse=tally.adverse_tasks)
    else:
        statement = statements.clone_miss(gate, found, beyond=_exceeds(gate, tally.adverse_tasks, n))
    return _decided(statement, passed=passed, threshold=upper, bound=bound, shortfall=short)


def _exceeds(gate: GateSpec, adverse: int, n: int) -> bool:
    """Whether the lower bound of a rate of errors lies over the limit of its upper one."""
    return clopper_pearson_lower(adverse, n, confidence=gate.confidence) > (gate.upper or 0.0)


def _known(value: Value | None, cell: Measured) -> Value:
    """Return what an evaluated cell has; nothing is ever decided on what is not there."""
    if value is None:
        raise JudgeAuditError(
            f"{cell.record.id}: a fault of pytest-judgeaudit: no number to decide on. Report it."
        )
    return value


def _check_implied(cell: str, *, passed: bool, bound: float, upper: float, p: float) -> None:
    """Verify that a passing p implies the bound (RULES R3)."""
    if passed and bound > upper + 1e-9:
        raise JudgeAuditError(
            f"{cell}: a fault of pytest-judgeaudit: p = {p!r} passes, but the upper bound {bound!r} "
            f"exceeds {upper!r}. Report it."
        )


def _unfinished(upper: float, bound: float, reason: str, short: str | None) -> Decision:
    return Decision(
        state="PARTIAL",
        statement=statements.PARTIAL,
        threshold=upper,
        bound=bound,
        reasons=(reason,),
        shortfall=short,
    )


def _decided(
    statement: str, *, passed: bool, threshold: float, bound: float, shortfall: str | None
) -> Decision:
    return Decision(
        state="PASS" if passed else "MISS",
        statement=statement,
        threshold=threshold,
        bound=bound,
        reasons=(shortfall,) if shortfall else (),
        shortfall=shortfall,
    )


def _utility(cell: Measured, tally: Tally, gate: GateSpec) -> Decision:
    """Decide by the bound that the gate declares; ``checked`` needs both (METHODS 2, "Utility")."""
    useful, lower, n = _known(cell.utility, cell), gate.lower or 0.0, len(tally.tasks)
    passed, short = bool(useful.reached), None
    if not passed and not at_least(useful.best, lower):
        needed = minimum_tasks_utility(
            lower=lower,
            confidence=gate.confidence,
            bound=cast("Bound", gate.bound),
            presentations=max(task.calls for task in tally.tasks.values()),
        )
        short = statements.underpowered_utility(n, needed, best=useful.best, threshold=lower)
    statement = statements.utility(gate, useful, n=n, passed=passed)
    return _decided(statement, passed=passed, threshold=lower, bound=useful.bound, shortfall=short)


def _rate(cell: Measured, tally: Tally, gate: GateSpec) -> Decision:
    """Decide by the Clopper–Pearson bound of the tasks whose every assertion held (RULES R20)."""
    if cell.record.arm in LABELLED_ARMS:
        return _errors(cell, tally, gate)
    n, successes = len(tally.tasks), tally.successes
    bound, threshold = rate_bound(gate, successes, n), _threshold(gate)
    passed = at_least(bound, threshold) if gate.upper is None else at_most(bound, threshold)
    trials = max(task.calls for task in tally.tasks.values())
    opposite = rate_bound(replace(gate, upper=gate.lower, lower=gate.upper), successes, n)
    statement = statements.rates(
        gate,
        successes=successes,
        n=n,
        trials=trials,
        bound=bound,
        passed=passed,
        beyond=opposite < threshold if gate.upper is None else opposite > threshold,
    )
    needed = minimum_n_rate(upper=gate.upper, lower=gate.lower, confidence=gate.confidence)
    short = statements.underpowered_rate(n, needed) if n < needed and not passed else None
    return _decided(statement, passed=passed, threshold=threshold, bound=bound, shortfall=short)


def _errors(cell: Measured, tally: Tally, gate: GateSpec) -> Decision:
    """Decide by the Clopper–Pearson upper bound of the tasks on which the judge erred."""
    n, adverse, threshold = len(tally.tasks), tally.adverse_tasks, _threshold(gate)
    bound = _known(cell.record.upper, cell)
    passed = at_most(bound, threshold)
    statement = statements.errors(
        gate,
        cell.record.arm,
        adverse=adverse,
        n=n,
        upper=bound,
        passed=passed,
        beyond=_exceeds(gate, adverse, n),
    )
    needed = minimum_n_rate(upper=gate.upper, confidence=gate.confidence)
    short = statements.underpowered_rate(n, needed) if n < needed and not passed else None
    return _decided(statement, passed=passed, threshold=threshold, bound=bound, shortfall=short)


_DECISIONS: Mapping[str, Callable[[Measured, Tally, GateSpec], Decision]] = {
    "clone_gate": _clone,
    "utility_gate": _utility,
    "rate_gate": _rate,
}
