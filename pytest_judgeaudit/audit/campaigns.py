"""The operational gate: what holds a campaign, a judge in a study (METHODS 2, RULES R16 and R17)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from pytest_judgeaudit.audit.holds import (
    Hold,
    SameModel,
    agreement,
    holes,
    misserved,
    unfinished,
    unreadable,
)
from pytest_judgeaudit.audit.observations import EDGES, Observed
from pytest_judgeaudit.records.audits import Configuration
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.plans import CellPlan, JudgePlan, Plan
from pytest_judgeaudit.records.trials import Trial

MAX_INVALID = 0.01
"""The share of invalid output that a campaign may have, unless an operational gate says otherwise."""

Key = tuple[str, str]
"""A study and a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """
    A configuration with its cells, its reasons in full, and its invalid outputs by reason.

    ``declared`` counts the calls that were declared for it, selected or not, edge strata apart;
    ``partial`` tells that not all of them were made.
    """

    configuration: Configuration
    cells: tuple[Observed, ...]
    holds: tuple[Hold, ...]
    declared: int
    partial: bool
    invalid_reasons: Mapping[str, int]


def campaigns(
    plan: Plan,
    observed: Sequence[Observed],
    *,
    same_model: SameModel,
    ambiguous: Mapping[Key, int],
) -> dict[Key, Campaign]:
    """Put the cells of each judge and study together and decide whether they can be evaluated."""
    groups: dict[Key, list[Observed]] = defaultdict(list)
    for cell in observed:
        if cell.plan.judge is not None:
            groups[cell.plan.study, cell.plan.judge].append(cell)
    judges = {judge.name: judge for judge in plan.judges}
    limits = _limits(plan.cells)
    declared = _declared(plan.cells, judges)
    return {
        key: _campaign(
            key,
            cells,
            judge=judges.get(key[1]) or unknown_judge(key[1]),
            limit=limits.get(key, MAX_INVALID),
            same_model=same_model,
            ambiguous=ambiguous.get(key, 0),
            declared=declared[key],
        )
        for key, cells in groups.items()
    }


def _key(cell: CellPlan) -> tuple[str, str | None]:
    return cell.study, cell.judge


def _declared(cells: Iterable[CellPlan], judges: Mapping[str, JudgePlan]) -> dict[Key, int]:
    """Count the calls that each campaign declares: edge strata apart, criteria that were left out too."""
    calls: Counter[Key] = Counter()
    seen: dict[Key, set[str | None]] = defaultdict(set)
    for cell in cells:
        if cell.judge is not None:
            key = (cell.study, cell.judge)
            calls[key] += 0 if cell.stratum in EDGES else len(set(cell.declared))
            seen[key].add(cell.criterion)
    for key, criteria in seen.items():
        every = judges[key[1]].criteria if key[1] in judges else ()
        # A judge is asked the same under each of its criteria.
        calls[key] += calls[key] // len(criteria) * len(set(every) - criteria)
    return dict(calls)


def unknown_judge(name: str) -> JudgePlan:
    """Stand in for a judge that the plan does not describe."""
    return JudgePlan(
        name=name, family=name, api="", requested="", expect="certified", identity="construction"
    )


def _limits(cells: Iterable[CellPlan]) -> dict[tuple[str, str | None], float]:
    """Return the strictest limit that an explicit operational gate of the study sets."""
    limits: dict[tuple[str, str | None], float] = {}
    for cell in cells:
        for gate in cell.gates:
            if gate.kind == "operational_gate":
                limits[_key(cell)] = min(gate.max_invalid, limits.get(_key(cell), 1.0))
    return limits


def _campaign(
    key: Key,
    cells: Sequence[Observed],
    *,
    judge: JudgePlan,
    limit: float,
    same_model: SameModel,
    ambiguous: int,
    declared: int,
) -> Campaign:
    gated = [cell for cell in cells if not cell.edge]
    cut = any(cell.partial for cell in gated)
    heard = _heard(cells)
    served, unstated = heard.served, heard.unstated
    reasons = (
        *unreadable(len(heard.invalid), heard.calls, limit),
        *holes(gated, log=judge.api == "recorded"),
        *misserved(judge, served, unstated, same_model),
        *unfinished(ambiguous),
    )
    agrees = agreement(judge, served, unstated, same_model)
    said = Counter(trial.reason or "no reason was given" for trial in heard.invalid)
    return Campaign(
        configuration=_configuration(key, judge, cells, heard, reasons, limit=limit, agrees=agrees),
        cells=tuple(cells),
        holds=reasons,
        declared=declared,
        partial=cut or heard.calls < declared,
        invalid_reasons=dict(said.most_common()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """The outputs of a campaign, those of edge strata apart, and the models that were stated."""

    calls: int
    outputs: Sequence[Trial]
    edges: Sequence[Trial]
    invalid: Sequence[Trial]
    served: Mapping[str, int]
    unstated: int


def _heard(cells: Sequence[Observed]) -> _Heard:
    outputs = [trial for cell in cells if not cell.edge for trial in cell.outputs()]
    edges = [trial for cell in cells if cell.edge for trial in cell.outputs()]
    # A call that brought no verdict may still tell which model answered it.
    silent = [trial for cell in cells for trial in cell.void if trial.winner is None]
    names = (trial.served for trial in chain(outputs, edges, silent))
    return _Heard(
        calls=sum(len(cell.scheduled) for cell in cells if not cell.edge),
        outputs=outputs,
        edges=edges,
        invalid=[trial for trial in outputs if trial.winner == "invalid"],
        served=dict(sorted(Counter(name for name in names if name is not None).items())),
        unstated=sum(trial.served is None for trial in chain(outputs, edges)),
    )


def _configuration(
    key: Key,
    judge: JudgePlan,
    cells: Sequence[Observed],
    heard: _Heard,
    reasons: Sequence[Hold],
    *,
    limit: float,
    agrees: bool | None,
) -> Configuration:
    used = _usage(chain(heard.outputs, heard.edges))
    return Configuration(
        study=key[0],
        judge=judge.name,
        family=judge.family,
        api=judge.api,
        requested=judge.requested,
        served=heard.served,
        served_as_requested=agrees,
        identity=judge.identity,
        calls=heard.calls,
        terminal=len(heard.outputs),
        invalid=len(heard.invalid),
        invalid_rate=len(heard.invalid) / heard.calls if heard.calls else 0.0,
        max_invalid=limit,
        edge_calls=sum(len(cell.scheduled) for cell in cells if cell.edge),
        edge_invalid=sum(trial.winner == "invalid" for trial in heard.edges),
        by_condition=_conditions(cell for cell in cells if not cell.edge),
        state="HOLD" if reasons else "OK",
        reasons=tuple(hold.reason for hold in reasons),
        judge_fault=bool(reasons) and all(hold.judge_fault for hold in reasons),
        usage=used,
        cost=judge.cost(used["prompt"], used["completion"]),
        later_attempts=sum(trial.attempts > 1 for trial in chain(heard.outputs, heard.edges)),
    )


def _conditions(cells: Iterable[Observed]) -> dict[str, dict[str, int]]:
    """Count scheduled, terminal and invalid calls by criterion and condition."""
    found: dict[str, dict[str, int]] = {}
    for cell in cells:
        single = cell.plan.arm in {"clone", "all", *LABELLED_ARMS}
        names = {
            order: " ".join(
                filter(
                    None,
                    (
                        cell.plan.criterion,
                        cell.plan.arm,
                        "" if single else order,
                        cell.plan.context,
                    ),
                )
            )
            for order in {presentation.order for presentation in cell.scheduled}
        }
        for name in sorted(names.values()):
            found.setdefault(name, {"scheduled": 0, "terminal": 0, "invalid": 0})
        for presentation in cell.scheduled:
            found[names[presentation.order]]["scheduled"] += 1
        for trial in cell.outputs():
            found[names[trial.order]]["terminal"] += 1
            found[names[trial.order]]["invalid"] += trial.winner == "invalid"
    return found


def _usage(outputs: Iterable[Trial]) -> dict[str, int]:
    """Sum the tokens of the calls, and count those that stated none; a call in the process has none."""
    prompt = completion = unknown = 0
    for trial in outputs:
        if trial.prompt_tokens is None and trial.completion_tokens is None:
            unknown += trial.answer != "direct"
        prompt += trial.prompt_tokens or 0
        completion += trial.completion_tokens or 0
    return {"prompt": prompt, "completion": completion, "unknown_calls": unknown}
