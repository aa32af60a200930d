"""The operational gate: what holds a campaign, a judge in a study (METHODS 2, RULES R16 and R17)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from pytest_judgeaudit.audit.numbers import counted, rate, some
from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.records.audits import Configuration
from pytest_judgeaudit.records.plans import CellPlan, JudgePlan, Plan, Presentation
from pytest_judgeaudit.records.trials import Trial

MAX_INVALID = 0.01
"""The share of invalid output that a campaign may have, unless an operational gate says otherwise."""

SameModel = Callable[[str, str], bool]
Key = tuple[str, str]
"""A study and a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """
    A reason why something could not be measured.

    ``code`` is the finding's, ``check`` what to look at; ``judge_fault`` tells that it comes from what the
    judge said.
    """

    code: str
    reason: str
    check: str
    judge_fault: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """A configuration with its cells, its reasons in full, and its invalid outputs by reason."""

    configuration: Configuration
    cells: tuple[Observed, ...]
    holds: tuple[Hold, ...]
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
    unselected = {_key(cell) for cell in plan.cells if cell.declared and not cell.selected}
    return {
        key: _campaign(
            key,
            cells,
            judge=judges.get(key[1]) or _unknown(key[1]),
            limit=limits.get(key, MAX_INVALID),
            same_model=same_model,
            ambiguous=ambiguous.get(key, 0),
            partial=key in unselected or any(cell.partial for cell in cells),
        )
        for key, cells in groups.items()
    }


def _key(cell: CellPlan) -> tuple[str, str | None]:
    return cell.study, cell.judge


def _unknown(name: str) -> JudgePlan:
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
    partial: bool,
) -> Campaign:
    gated = [cell for cell in cells if not cell.edge]
    outputs = list(chain.from_iterable(cell.outputs() for cell in gated))
    edges = list(chain.from_iterable(cell.outputs() for cell in cells if cell.edge))
    calls = sum(len(cell.scheduled) for cell in gated)
    invalid = [trial for trial in outputs if trial.winner == "invalid"]
    served = Counter(trial.served for trial in chain(outputs, edges) if trial.served is not None)
    served.update(trial.served for trial in _unanswered(cells) if trial.served is not None)
    unstated = sum(trial.served is None for trial in chain(outputs, edges))
    holds = (
        *_invalid(len(invalid), calls, limit),
        *holes(gated),
        *_identity(judge, served, unstated, same_model),
        *_ambiguous(ambiguous),
    )
    configuration = Configuration(
        study=key[0],
        judge=judge.name,
        family=judge.family,
        api=judge.api,
        requested=judge.requested,
        served=dict(sorted(served.items())),
        served_as_requested=_agreement(judge, served, unstated, same_model),
        identity=judge.identity,
        calls=calls,
        terminal=len(outputs),
        invalid=len(invalid),
        invalid_rate=len(invalid) / calls if calls else 0.0,
        max_invalid=limit,
        edge_calls=sum(len(cell.scheduled) for cell in cells if cell.edge),
        edge_invalid=sum(trial.winner == "invalid" for trial in edges),
        by_condition=_conditions(gated),
        state="HOLD" if holds else "OK",
        reasons=tuple(hold.reason for hold in holds),
        judge_fault=bool(holds) and all(hold.judge_fault for hold in holds),
        usage=_usage(outputs + edges),
        later_attempts=sum(trial.attempts > 1 for trial in chain(outputs, edges)),
    )
    reasons = Counter(trial.reason or "no reason was given" for trial in invalid)
    return Campaign(
        configuration=configuration,
        cells=tuple(cells),
        holds=holds,
        partial=partial,
        invalid_reasons=dict(reasons.most_common()),
    )


def _unanswered(cells: Iterable[Observed]) -> Iterator[Trial]:
    return (trial for cell in cells for trial in cell.void if trial.winner is None)


def _invalid(invalid: int, calls: int, limit: float) -> Iterator[Hold]:
    if calls and invalid / calls > limit:
        yield Hold(
            code="invalid-outputs",
            reason=f"{invalid} of {calls} outputs are no verdict "
            f"({rate(invalid / calls, apart_from=limit)}, at most {rate(limit)} may be)",
            check="the raw answers against the parser; another parser is another instrument",
            judge_fault=True,
        )


def holes(cells: Sequence[Observed]) -> Iterator[Hold]:
    """Yield what is wrong with the presentations of cells: empty, missing, void, repeated, contradicted."""
    for cell in cells:
        if not cell.scheduled:
            yield Hold(
                code="nothing-scheduled",
                reason=f"{cell.plan.eval}: nothing is scheduled",
                check="the source: it holds no item for this test",
            )
    missing = [presentation for cell in cells for presentation in cell.missing]
    if missing:
        yield Hold(
            code="missing",
            reason=f"{counted(len(missing), 'scheduled presentation')} without a trial: {_list(missing)}",
            check="crashed workers, and plug-ins that take items away after collection",
        )
    void = [trial for cell in cells for trial in cell.void]
    if void:
        yield Hold(
            code="void",
            reason=f"{counted(len(void), 'trial')} measured nothing: {_why(void)}",
            check="the errors, skips and missing answers of these items",
        )
    repeated = [presentation for cell in cells for presentation in cell.repeated]
    if repeated:
        yield Hold(
            code="repeated",
            reason=f"{counted(len(repeated), 'presentation')} came more than once: {_list(repeated)}",
            check="plug-ins that repeat or rerun items; declare replicates instead",
        )
    contradicted = [presentation for cell in cells for presentation in cell.contradicted]
    if contradicted:
        yield Hold(
            code="duplicated-rows",
            reason=f"the log holds two different rows for {counted(len(contradicted), 'presentation')}: "
            f"{_list(contradicted)}",
            check="which of the rows belong to this campaign: `where` selects rows",
        )


def _list(presentations: Iterable[Presentation]) -> str:
    return some(_shown(presentations))


def _shown(presentations: Iterable[Presentation]) -> Iterator[str]:
    for task, order, replicate in presentations:
        yield f"{task} {order}" if replicate == 1 else f"{task} {order} #{replicate}"


def _why(void: Sequence[Trial]) -> str:
    """Group void trials by the first line of their reason; at most three groups."""
    groups: dict[str, list[Presentation]] = defaultdict(list)
    for trial in void:
        reason = (trial.reason or "no verdict was obtained").partition("\n")[0]
        groups[reason].append(Presentation(trial.task, trial.order, trial.replicate))
    # A reason may name its own task: many reasons then read alike, and a few stand for all.
    return some(
        (f"{some(_shown(shown), shown=2)} ({reason[:160]})" for reason, shown in groups.items()), shown=2
    )


def _identity(
    judge: JudgePlan, served: Mapping[str, int], unstated: int, same_model: SameModel
) -> Iterator[Hold]:
    if judge.identity not in {"served", "log"}:
        return
    if unstated:
        yield Hold(
            code="served-unstated",
            reason=f"{counted(unstated, 'output')} without a stated model, {judge.requested!r} requested",
            check="what the service or the log declares as the model of these calls",
        )
    others = [name for name in served if _differs(judge, name, same_model)]
    if others:
        yield Hold(
            code="served-differs",
            reason=f"{_counts(served, others)} served where {judge.requested!r} was requested",
            check="the provider's routing and fallbacks; [aliases] if the names mean one model",
        )
    if len({name.casefold() for name in served}) > 1:
        yield Hold(
            code="served-mixed",
            reason=f"several models served: {_counts(served, served)}",
            check="which checkpoint answered; a campaign is one instrument",
        )


def _differs(judge: JudgePlan, name: str, same_model: SameModel) -> bool:
    return bool(judge.requested) and not same_model(judge.requested, name)


def _counts(served: Mapping[str, int], names: Iterable[str]) -> str:
    return some(f"{name!r} ({served[name]}×)" for name in names)


def _agreement(
    judge: JudgePlan, served: Mapping[str, int], unstated: int, same_model: SameModel
) -> bool | None:
    """Tell whether what was served is what was requested; None where that is not known."""
    if judge.identity not in {"served", "log"} or not served or not judge.requested:
        return None
    if any(_differs(judge, name, same_model) for name in served):
        return False
    return None if unstated else True


def _ambiguous(count: int) -> Iterator[Hold]:
    if count:
        yield Hold(
            code="ambiguous",
            reason=f"{counted(count, 'ambiguous call')}: asked, and no end is on record",
            check="whether they were answered: --judge-live repeats them",
        )


def _conditions(cells: Iterable[Observed]) -> dict[str, dict[str, int]]:
    """Count scheduled, terminal and invalid calls by criterion and condition."""
    found: dict[str, dict[str, int]] = {}
    for cell in cells:
        single = cell.plan.arm in {"clone", "all"}
        names = {
            order: " ".join(filter(None, (cell.plan.criterion, cell.plan.arm, "" if single else order)))
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
