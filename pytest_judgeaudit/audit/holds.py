"""Reasons to hold: what keeps a cell or a campaign from being measured (METHODS 2, RULES R16 and R17)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_judgeaudit.audit.causes import cause_of, unanswered, unheard_of
from pytest_judgeaudit.audit.numbers import clipped, counted, rate, some
from pytest_judgeaudit.audit.observations import PAIRED_ARMS, Observed
from pytest_judgeaudit.records.plans import JudgePlan, Presentation
from pytest_judgeaudit.records.trials import Trial

ASK = "the plan of what is asked (--judge-plan), then ask for it: pytest --judge-audit --judge-live"
BROKEN = (
    "the errors, skips and missing answers of these items; --judge-live asks again for what a service "
    "failed to answer"
)
FAULTY = (
    "the errors and skips of these items: mend the test, function or plug-in that they name, and run "
    "again: stored answers are read anew"
)
UNLOGGED = (
    "that the log is complete, and where, fields and orders of this judge: nothing can be asked of a log"
)
"""What to look at where trials measured nothing, by the cause."""

KEPT = (
    "the raw answers (--judge-show TASK); none is asked for again because of what it says: another parser, "
    "template or decoder is another instrument"
)
"""What to do about outputs that are no verdict: asking until one is would select answers."""

SameModel = Callable[[str, str], bool]
"""Whether a requested and a served name mean one model."""


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


def _next_step(void: Sequence[Trial], *, log: bool, agents: bool) -> str:
    """Choose what to look at by why trials measured nothing: asking helps where answers are lacking."""
    lacking = [unheard_of(trial) for trial in void]
    if all(lacking):
        return UNLOGGED if log else ASK
    # An agent's answer that measured nothing is stored, and is asked for again all the same.
    owed = any(map(unanswered, void)) or (any(lacking) and not log) or agents
    return BROKEN if owed else FAULTY


def holes(cells: Sequence[Observed], *, log: bool = False) -> Iterator[Hold]:
    """
    Yield what is wrong with the presentations of cells: empty, missing, void, repeated, contradicted.

    ``log`` tells that their verdicts stand in a log, of which nothing can be asked.
    """
    for cell in cells:
        if not cell.scheduled:
            yield Hold(
                code="nothing-scheduled",
                reason=f"{cell.plan.eval}: nothing is scheduled",
                check="the source: it holds no item for this test",
            )
    void = [trial for cell in cells for trial in cell.void]
    if void:
        yield Hold(
            code="void",
            reason=f"{counted(len(void), 'trial')} measured nothing: {_why(cells)}",
            check=_next_step(void, log=log, agents=any(cell.plan.agent for cell in cells)),
        )
    for code, reason, check, kind in _KINDS:
        found = [_shown(cell, presentation) for cell in cells for presentation in kind(cell)]
        if found:
            number = counted(len(found), "presentation")
            yield Hold(code=code, reason=f"{number} {reason}: {some(found)}", check=check)


_KINDS: Sequence[tuple[str, str, str, Callable[[Observed], Sequence[Presentation]]]] = (
    (
        "missing",
        "without a trial",
        "crashed workers, and plug-ins that take items away after collection",
        lambda cell: cell.missing,
    ),
    (
        "repeated",
        "came more than once",
        "plug-ins that repeat or rerun items; declare replicates instead",
        lambda cell: cell.repeated,
    ),
    (
        "duplicated-rows",
        "with two different rows in the log",
        "which of the rows belong to this campaign: `where` selects rows",
        lambda cell: cell.contradicted,
    ),
)
"""Code, reason, check, and which presentations of a cell it is about."""


def _shown(cell: Observed, presentation: Presentation | Trial) -> str:
    """Name a presentation: of a pair with its order, which nothing else has."""
    order = f" {presentation.order}" if cell.plan.arm in PAIRED_ARMS else ""
    replicate = f" #{presentation.replicate}" if presentation.replicate > 1 else ""
    return f"{presentation.task}{order}{replicate}"


def _why(cells: Sequence[Observed]) -> str:
    """Group void trials by their cause, most frequent first; at most two groups."""
    groups: dict[str, list[str]] = defaultdict(list)
    for cell in cells:
        for trial in cell.void:
            groups[cause_of(trial)].append(_shown(cell, trial))
    ranked = sorted(groups.items(), key=lambda group: -len(group[1]))
    told = (f"{some(shown, shown=2)} ({clipped(reason, 200)})" for reason, shown in ranked)
    return some(told, shown=2, longest=400)


def unreadable(invalid: int, calls: int, limit: float) -> Iterator[Hold]:
    """Yield a hold when the share of invalid outputs is strictly above the limit (RULES R16)."""
    if calls and invalid / calls > limit:
        yield Hold(
            code="invalid-outputs",
            reason=f"{invalid} of {calls} outputs are no verdict "
            f"({rate(invalid / calls, apart_from=limit)}, at most {rate(limit)} may be)",
            check=KEPT,
            judge_fault=True,
        )


def misserved(
    judge: JudgePlan, served: Mapping[str, int], unstated: int, same_model: SameModel
) -> Iterator[Hold]:
    """Yield what is wrong with the models that were served (RULES R17)."""
    if judge.identity in {"served", "log"}:
        yield from _undeclared(judge, served, unstated, same_model)
    # Whoever states names has to state one, a function of the user's own too.
    if len({name.casefold() for name in served}) > 1:
        yield Hold(
            code="served-mixed",
            reason=f"several models served: {_counts(served, served)}",
            check="which checkpoint answered; a campaign is one instrument",
        )


def _undeclared(
    judge: JudgePlan, served: Mapping[str, int], unstated: int, same_model: SameModel
) -> Iterator[Hold]:
    """Yield what is wrong where the requested model has to be stated."""
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
            check=_routing(judge, others),
        )


def _routing(judge: JudgePlan, others: Sequence[str]) -> str:
    if judge.identity == "log" and judge.requested == judge.name and len(others) == 1:
        return f"what the log is of: write model = {others[0]!r} in the judge's table, if it is this one"
    return "the provider's routing and fallbacks; [aliases] if the names mean one model"


def _differs(judge: JudgePlan, name: str, same_model: SameModel) -> bool:
    return bool(judge.requested) and not same_model(judge.requested, name)


def _counts(served: Mapping[str, int], names: Iterable[str]) -> str:
    return some(f"{name!r} ({served[name]}×)" for name in names)


def agreement(
    judge: JudgePlan, served: Mapping[str, int], unstated: int, same_model: SameModel
) -> bool | None:
    """Tell whether what was served is what was requested; None where that is not known."""
    if judge.identity not in {"served", "log"} or not served or not judge.requested:
        return None
    if any(_differs(judge, name, same_model) for name in served):
        return False
    return None if unstated else True


def unfinished(count: int) -> Iterator[Hold]:
    """Yield a hold for calls of which nobody knows whether they were answered."""
    if count:
        yield Hold(
            code="ambiguous",
            reason=f"{counted(count, 'ambiguous call')}: asked, and no end is on record",
            check="nothing: --judge-live asks these calls again",
        )
