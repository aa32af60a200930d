"""Judges that would grade the answers of their own model: models prefer what they wrote themselves."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_judgeaudit.ask.served import same_model
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.models import Configuration


def check_independence(configuration: Configuration) -> None:
    """Refuse judges that are the model under test, a line each, unless they declare it."""
    found = list(_dependent(configuration))
    if found:
        raise Refused("\n".join(found))


def _dependent(configuration: Configuration) -> Iterator[str]:
    for judge in configuration.judges:
        for agent in configuration.agents:
            model = agent.model
            if judge.self_judging or model is None or judge.api in {"embedded", "recorded", "python"}:
                continue
            if same_model(judge.model, model, configuration.aliases):
                yield (
                    f'judge "{judge.name}": its model {judge.model!r} is that of the agent "{agent.name}", '
                    "whose answers it would grade. Choose another model, or declare self_judging = true."
                )
