"""Judges that would grade the answers of their own model: models prefer what they wrote themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from pytest_judgeaudit.ask.served import same_model
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.models import AgentSettings, JudgeSettings


def check_independence(
    judges: Sequence[JudgeSettings], agents: Sequence[AgentSettings], *, aliases: Mapping[str, str]
) -> None:
    """Refuse judges of their own model's answers, a line each, unless they declare it."""
    found = list(_dependent(judges, agents, aliases))
    if found:
        raise Refused("\n".join(found))


def _dependent(
    judges: Sequence[JudgeSettings], agents: Sequence[AgentSettings], aliases: Mapping[str, str]
) -> Iterator[str]:
    for judge, agent in product(judges, agents):
        model = agent.model
        if judge.self_judging or model is None or judge.api in {"embedded", "recorded", "python"}:
            continue
        if same_model(judge.model, model, aliases):
            yield (
                f'judge "{judge.name}": its model {judge.model!r} is that of the agent "{agent.name}", '
                "whose answers it would grade. Choose another model, or declare self_judging = true."
            )
