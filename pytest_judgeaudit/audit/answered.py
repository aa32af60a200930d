"""Agents: what each did in a study, and what holds its cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from pytest_judgeaudit.audit.holds import Hold, SameModel, agreement, misserved, unfinished
from pytest_judgeaudit.audit.numbers import some
from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.records.audits import AgentRecord
from pytest_judgeaudit.records.plans import AgentPlan, JudgePlan, Plan
from pytest_judgeaudit.records.traces import SILENT
from pytest_judgeaudit.records.trials import Trial

Key = tuple[str, str]
"""A study and an agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An agent in a study, with its reasons in full, and what else holds each of its cells, by id."""

    record: AgentRecord
    holds: tuple[Hold, ...]
    exposed: Mapping[str, tuple[Hold, ...]]


def answered(
    plan: Plan, observed: Sequence[Observed], *, same_model: SameModel, ambiguous: Mapping[Key, int]
) -> dict[Key, Answered]:
    """
    Put the cells of each agent and study together.

    A model that was not requested holds all of an agent's cells in a study; an arm that is not verified to
    be blind holds itself.
    """
    groups: dict[Key, list[Observed]] = defaultdict(list)
    for cell in observed:
        if cell.plan.agent is not None:
            groups[cell.plan.study, cell.plan.agent].append(cell)
    known = {agent.name: agent for agent in plan.agents}
    return {
        key: _answered(
            key,
            cells,
            agent=known.get(key[1]) or _unknown(key[1]),
            same_model=same_model,
            ambiguous=ambiguous.get(key, 0),
        )
        for key, cells in groups.items()
    }


def holds_of(found: Mapping[Key, Answered], cell: Observed) -> tuple[Hold, ...]:
    """Return what an agent does to one of its cells; nothing for other cells."""
    one = found.get((cell.plan.study, cell.plan.agent or ""))
    return () if one is None else (*one.holds, *one.exposed.get(cell.plan.id, ()))


def _unknown(name: str) -> AgentPlan:
    return AgentPlan(name=name, kind="", family="", requested="", served=False)


def _answered(
    key: Key, cells: Sequence[Observed], *, agent: AgentPlan, same_model: SameModel, ambiguous: int
) -> Answered:
    trials = [trial for cell in cells for trial in _given(cell)]
    served = dict(sorted(Counter(one.served for one in trials if one.served is not None).items()))
    unstated = sum(one.served is None and _outcome(one) not in SILENT for one in trials)
    judge = _as_judge(agent)
    holds = (*misserved(judge, served, unstated, same_model), *unfinished(ambiguous))
    usage = _usage(trials)
    record = AgentRecord(
        study=key[0],
        agent=agent.name,
        kind=agent.kind,
        family=agent.family,
        requested=agent.requested,
        served=served,
        served_as_requested=agreement(judge, served, unstated, same_model),
        calls=sum(len(cell.scheduled) for cell in cells),
        answers=len(trials),
        outcomes=dict(Counter(map(_outcome, trials)).most_common()),
        tool_calls=_tools(trials),
        usage=usage,
        cost=agent.cost(usage["prompt"], usage["completion"]),
        later_attempts=sum(one.attempts > 1 for one in trials),
        state="HOLD" if holds else "OK",
        reasons=tuple(hold.reason for hold in holds),
    )
    exposed = {cell.plan.id: tuple(_unverified(cell)) for cell in cells}
    return Answered(record=record, holds=holds, exposed=exposed)


def _given(cell: Observed) -> Iterator[Trial]:
    """Yield the trials of a cell in which an answer was given, one for each presentation."""
    every = {(one.task, one.order, one.replicate): one for one in chain(cell.void, cell.trials.values())}
    yield from (one for one in every.values() if one.graded is not None)


def _as_judge(agent: AgentPlan) -> JudgePlan:
    """Describe an agent as what states a model: the same rules hold for both (RULES R17)."""
    return JudgePlan(
        name=agent.name,
        family=agent.family,
        api=agent.kind,
        requested=agent.requested,
        expect="certified",
        identity="served" if agent.served else "construction",
    )


def _outcome(trial: Trial) -> str:
    return str((trial.graded or {})["outcome"])


def _tools(trials: Sequence[Trial]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for one in trials:
        found.update((one.graded or {}).get("tools", {}))
    return dict(found.most_common())


def _usage(trials: Sequence[Trial]) -> dict[str, int]:
    known = [one for one in trials if one.prompt_tokens is not None or one.completion_tokens is not None]
    return {
        "prompt": sum(one.prompt_tokens or 0 for one in known),
        "completion": sum(one.completion_tokens or 0 for one in known),
        "unknown_calls": len(trials) - len(known) + sum(one.unknown_calls or 0 for one in known),
    }


def _unverified(cell: Observed) -> Iterator[Hold]:
    """Yield a hold where an answer of a blind arm is not verified to have been given blind."""
    seen = [one for one in _given(cell) if (one.graded or {}).get("exposed")]
    reasons = dict.fromkeys(reason for one in seen for reason in (one.graded or {})["exposed"])
    if seen:
        yield Hold(
            code="not-blind",
            reason=f"{len(seen)} of {len(cell.scheduled)} answers are not verified to be blind: "
            f"{some(reasons)}",
            check="what keeps the agent from the corpus, and what it tried; see its policy events",
        )
