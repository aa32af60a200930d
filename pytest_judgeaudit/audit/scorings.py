"""Judges of answers: their calls in a study, and what holds what they say (METHODS 2, RULES R16, R17)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from pytest_judgeaudit.audit.campaigns import MAX_INVALID, Campaign, Key, unknown_judge
from pytest_judgeaudit.audit.holds import Hold, SameModel, agreement, misserved, unfinished, unreadable
from pytest_judgeaudit.audit.numbers import clipped, some
from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.records.audits import Configuration
from pytest_judgeaudit.records.plans import JudgePlan, Plan
from pytest_judgeaudit.records.trials import JudgeCall


def scorings(
    plan: Plan, observed: Sequence[Observed], *, same_model: SameModel, ambiguous: Mapping[Key, int]
) -> dict[Key, Campaign]:
    """Put the calls of each judge about answers in a study together, and say whether they can be used."""
    calls: dict[Key, list[tuple[str, JudgeCall]]] = defaultdict(list)
    limits: dict[str, float] = {}
    for cell in observed:
        study = cell.plan.study
        for gate in cell.plan.gates if cell.plan.scored else ():
            if gate.kind == "operational_gate":
                limits[study] = min(gate.max_invalid, limits.get(study, 1.0))
        for trial in chain(cell.trials.values(), cell.void):
            for call in trial.judged:
                calls[study, call.judge].append((cell.plan.arm, call))
    judges = {judge.name: judge for judge in plan.judges}
    return {
        key: _scoring(
            key,
            found,
            judge=judges.get(key[1]) or unknown_judge(key[1]),
            limit=limits.get(key[0], MAX_INVALID),
            same_model=same_model,
            ambiguous=ambiguous.get(key, 0),
        )
        for key, found in calls.items()
    }


def holds_of_judges(found: Mapping[Key, Campaign], cell: Observed) -> Iterator[Hold]:
    """
    Yield what holds the judges that were put answers of a cell.

    An assertion may be about what they said: nothing is estimated from a campaign on HOLD (METHODS 2).
    """
    trials = chain(cell.trials.values(), cell.void)
    for judge in dict.fromkeys(call.judge for trial in trials for call in trial.judged):
        campaign = found.get((cell.plan.study, judge))
        for hold in campaign.holds if campaign else ():
            yield Hold(
                code="judge-on-hold",
                reason=f"{judge}: {hold.reason}",
                check=hold.check,
                judge_fault=hold.judge_fault,
            )


def _scoring(
    key: Key,
    made: Sequence[tuple[str, JudgeCall]],
    *,
    judge: JudgePlan,
    limit: float,
    same_model: SameModel,
    ambiguous: int,
) -> Campaign:
    calls = [call for _, call in made]
    invalid = [call for call in calls if call.valid is False]
    served, unstated = _served(calls)
    reasons = (
        *unreadable(len(invalid), len(calls), limit),
        *_unjudged(calls),
        *misserved(judge, served, unstated, same_model),
        *unfinished(ambiguous),
    )
    said = Counter(call.reason or "no reason was given" for call in invalid)
    return Campaign(
        configuration=_configuration(key, judge, made, reasons, limit=limit, same_model=same_model),
        cells=(),
        holds=reasons,
        declared=len(calls),
        partial=False,
        invalid_reasons=dict(said.most_common()),
    )


def _configuration(
    key: Key,
    judge: JudgePlan,
    made: Sequence[tuple[str, JudgeCall]],
    reasons: Sequence[Hold],
    *,
    limit: float,
    same_model: SameModel,
) -> Configuration:
    outputs = [call for _, call in made if call.valid is not None]
    invalid = sum(not call.valid for call in outputs)
    served, unstated = _served(outputs)
    usage = _usage(outputs)
    return Configuration(
        study=key[0],
        judge=judge.name,
        family=judge.family,
        api=judge.api,
        requested=judge.requested,
        served=served,
        served_as_requested=agreement(judge, served, unstated, same_model),
        identity=judge.identity,
        calls=len(made),
        terminal=len(outputs),
        invalid=invalid,
        invalid_rate=invalid / len(made),
        max_invalid=limit,
        edge_calls=0,
        edge_invalid=0,
        by_condition=_conditions(made),
        state="HOLD" if reasons else "OK",
        reasons=tuple(hold.reason for hold in reasons),
        judge_fault=bool(reasons) and all(hold.judge_fault for hold in reasons),
        usage=usage,
        cost=judge.cost(usage["prompt"], usage["completion"]),
        later_attempts=sum(call.attempts > 1 for call in outputs),
    )


def _served(calls: Sequence[JudgeCall]) -> tuple[Mapping[str, int], int]:
    """Count the models that were stated, and the outputs that state none."""
    outputs = [call for call in calls if call.valid is not None]
    names = Counter(call.served for call in outputs if call.served is not None)
    return dict(sorted(names.items())), len(outputs) - names.total()


def _unjudged(calls: Sequence[JudgeCall]) -> Iterator[Hold]:
    lost = [call for call in calls if call.valid is None]
    if lost:
        why = dict.fromkeys(clipped((call.reason or "no reason").partition("\n")[0], 160) for call in lost)
        yield Hold(
            code="unjudged",
            reason=f"{len(lost)} of {len(calls)} calls brought nothing that counts: "
            f"{some(why, shown=2, longest=160)}",
            check="the stored answers of this judge: --judge-live asks again for what is missing or stale",
        )


def _conditions(made: Sequence[tuple[str, JudgeCall]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for arm, call in made:
        one = found.setdefault(f"{call.what} {arm}", {"scheduled": 0, "terminal": 0, "invalid": 0})
        one["scheduled"] += 1
        one["terminal"] += call.valid is not None
        one["invalid"] += call.valid is False
    return dict(sorted(found.items()))


def _usage(outputs: Sequence[JudgeCall]) -> dict[str, int]:
    asked = [call for call in outputs if call.answer != "direct"]
    known = [call for call in asked if call.prompt_tokens is not None or call.completion_tokens is not None]
    return {
        "prompt": sum(call.prompt_tokens or 0 for call in known),
        "completion": sum(call.completion_tokens or 0 for call in known),
        "unknown_calls": len(asked) - len(known),
    }
