"""Findings: each a symptom with what to check, and never a cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_judgeaudit.audit.apart import EDGE
from pytest_judgeaudit.audit.campaigns import Campaign
from pytest_judgeaudit.audit.cells import Measured
from pytest_judgeaudit.audit.gates import Gated
from pytest_judgeaudit.audit.joint import ALL_PASSED, BOTH_PASSED
from pytest_judgeaudit.audit.names import gate_id, label
from pytest_judgeaudit.audit.numbers import clipped, counted, rate, share, some
from pytest_judgeaudit.audit.observations import EDGES, JUDGED_ARMS
from pytest_judgeaudit.audit.unreadable import advice
from pytest_judgeaudit.audit.utility import Utility, few_clusters
from pytest_judgeaudit.records.audits import Cell
from pytest_judgeaudit.records.plans import Finding, Plan

WEAK = 0.5
"""A subset below this mean is weak, whatever the aggregate (METHODS 2, "Subsets")."""


def of_campaign(campaign: Campaign) -> Iterator[Finding]:
    """Yield what a campaign shows, before any of its cells."""
    found = campaign.configuration
    where = f"{found.judge} in {found.study}"
    said = (f"{times} × {clipped(reason, 120)}" for reason, times in campaign.invalid_reasons.items())
    kinds = some(said, shown=3, longest=140) + advice(campaign.invalid_reasons)
    for hold in campaign.holds:
        symptom = f"HOLD: {hold.reason}" + (f": {kinds}" if hold.judge_fault else "")
        yield Finding(code=hold.code, where=where, symptom=symptom, check=hold.check)
    if kinds and not any(hold.judge_fault for hold in campaign.holds):
        yield Finding(
            code="invalid-outputs",
            where=where,
            symptom=f"{found.invalid} of {found.calls} outputs are no verdict: {kinds}",
            check="these raw answers; they count as adverse and never as ties",
        )
    if found.identity == "undeclared log":
        yield Finding(
            code="identity",
            where=where,
            symptom="identity: declared by the log; its rows state no served model",
            check="whether the log records it, and map `served` in the judge's fields",
        )
    if found.later_attempts:
        yield Finding(
            code="later-attempts",
            where=where,
            symptom=f"{counted(found.later_attempts, 'verdict')} came from a later attempt",
            check="the transport; limits.attempts = 1 is the frozen protocol",
        )


def of_cell(cell: Measured) -> Iterator[Finding]:
    """Yield what a cell shows; nothing that is made of outcomes in one that is on HOLD."""
    where = label(cell.observed.plan)
    for hold in cell.holds[len(cell.campaign.holds) if cell.campaign else 0 :]:
        yield Finding(code=hold.code, where=where, symptom=f"HOLD: {hold.reason}", check=hold.check)
    if cell.state == "PARTIAL":
        observed, declared = cell.observed, len(set(cell.observed.plan.declared))
        seen = min(len(observed.scheduled), len(observed.trials) + len(observed.void))
        yield Finding(
            code="partial",
            where=where,
            symptom=f"{seen} of {declared} declared presentations were run; nothing is estimated",
            check="the whole test, without a selection, for its gates",
        )
    if cell.tally is not None and cell.tally.disagreeing:
        tasks = some(f"{task} {order}" for task, order, _ in cell.tally.disagreeing)
        yield Finding(
            code="assertion-disagrees",
            where=where,
            symptom="the assertion and the verdict disagree in "
            f"{counted(len(cell.tally.disagreeing), 'trial')}: {tasks}",
            check="what the test asserts; the stricter of the two counts",
        )
    if cell.state == "OK":
        yield from _doubts(cell, where)


def _doubts(cell: Measured, where: str) -> Iterator[Finding]:
    """Yield what is doubtful about a cell's numbers."""
    record = cell.record
    if cell.observed.edge:
        if record.counts["adverse"]:
            yield Finding(
                code="edge-inputs",
                where=where,
                symptom=f"{record.counts['adverse']} of {record.tasks} {_edge(record.arm)}",
                check=f"how the judge is shown empty candidates; {EDGE}",
            )
        return
    if record.context:
        return  # each of the two is half of a description
    yield from _undecided(cell, where)
    if record.arm in {"equivalent", "signal"} and len(record.by_order) == 1:
        yield Finding(
            code="one-order",
            where=where,
            symptom="one order: position not measured",
            check="whether each task can be shown in both orders",
        )
    if cell.tally is not None and "few-clusters" in record.warnings:
        yield _clustered(few_clusters(cell.tally) or 0, where)
    if cell.utility is not None:
        yield from _bounded(cell.utility, record, where)


def _edge(arm: str) -> str:
    return "answers without text are not rejected" if arm == "blank" else "copies without text are no ties"


def _undecided(cell: Measured, where: str) -> Iterator[Finding]:
    """Yield that outcomes of verdicts decide nothing; an operational gate is not about them."""
    record, deciding = cell.record, {gate.kind for gate in cell.observed.plan.gates} - {"operational_gate"}
    if record.arm in JUDGED_ARMS and record.counts["adverse"] and not deciding:
        total, unit = (record.calls, "calls") if record.arm == "signal" else (record.tasks, "tasks")
        yield Finding(
            code="ungated",
            where=where,
            symptom=f"{share(record.counts['adverse'], total)} {unit} are adverse, and no gate is declared",
            check="whether the test should have a gate marker: without one its outcomes decide nothing",
        )


def _clustered(families: int, where: str) -> Finding:
    return Finding(
        code="few-clusters",
        where=where,
        symptom=f"the tasks come from {counted(families, 'template family', 'template families')}, "
        "so that they may not be independent",
        check="what the bounds are about: these templates only. With 8 of them and a correlation of .1 "
        "within, a judge at exactly 5 % adverse passes 13 % of audits instead of 4 %",
    )


def _bounded(useful: Utility, record: Cell, where: str) -> Iterator[Finding]:
    if useful.merged:
        homes = some(sorted(set(useful.merged.values())))
        number = counted(len(useful.merged), "stratum", "strata")
        yield Finding(
            code="merged-strata",
            where=where,
            symptom=f"{number} of one task ({some(useful.merged)}) count within {homes} in the bounds",
            check="whether subsets could be larger or named more coarsely",
        )
    if "bound-sensitive" in record.warnings:
        yield Finding(
            code="bound-sensitive",
            where=where,
            symptom=f"the bootstrap bound {rate(useful.lower)} reaches the threshold, "
            f"the checked bound {rate(useful.checked)} does not",
            check="with more tasks: the bootstrap bound alone under-covers",
        )


def of_gate(gated: Gated) -> Iterator[Finding]:
    """Yield what a gate's decision hides."""
    gate = gated.gate
    if gated.shortfall:
        yield Finding(
            code="underpowered",
            where=gate.id,
            symptom=gated.shortfall,
            check="the number of tasks, before calls are paid for: --judge-plan shows which sizes can pass",
        )
    if gate.kind == "utility_gate" and gate.state == "PASS":
        for subset in gated.cell.record.subsets:
            if subset["estimate"] < WEAK:
                yield Finding(
                    code="weak-subset",
                    where=gate.id,
                    symptom=f"passes over the weak subset {subset['name']}: "
                    f"{share(subset['aligned'], subset['calls'])} calls right",
                    check="its pairs, before the aggregate is relied on; descriptive, no bound",
                )
    surprise = next((one for one in (BOTH_PASSED, ALL_PASSED) if one in gate.reasons), None)
    if gate.outcome == "failed" and surprise is not None:
        yield Finding(
            code="uncertified-passed",
            where=gate.id,
            symptom=surprise,
            check='the judge\'s configuration, and `expect = "uncertified"`',
        )


def of_run(plan: Plan, gates: Sequence[Gated]) -> Iterator[Finding]:
    """Yield that gates were declared and none was evaluated: a run that is not red, and says nothing."""
    cells = [cell for cell in plan.cells if cell.stratum not in EDGES]
    declared = {gate_id(cell, gate.kind): cell.study for cell in cells for gate in cell.gates}
    if declared and all(gated.gate.state == "PARTIAL" for gated in gates):
        yield Finding(
            code="nothing-evaluated",
            where=some(dict.fromkeys(declared.values())),
            symptom=f"no gate was evaluated, of {counted(len(declared), 'gate')} declared",
            check="what the run selects (-k, node ids, shards): gates are decided on whole tests only",
        )


def findings(
    plan: Plan, campaigns: Sequence[Campaign], cells: Sequence[Measured], gates: Sequence[Gated]
) -> Iterator[Finding]:
    """Yield all findings: of the campaigns, then of the cells, of the gates and of the whole run."""
    for campaign in campaigns:
        yield from of_campaign(campaign)
    for cell in cells:
        yield from of_cell(cell)
    for gated in gates:
        yield from of_gate(gated)
    yield from of_run(plan, gates)
