"""Judges of the model that they would grade."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.judge.independence import check_independence
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.models import AgentSettings, Configuration, JudgeSettings


def configuration(model, *, api="openai", agent="gpt-4o", aliases=None, **keys):
    return Configuration(
        judges=(JudgeSettings(name="j", family="f", api=api, model=model, **keys),),
        agents=(AgentSettings(name="a", kind="tools", api="openai", model=agent),),
        aliases=aliases or {},
    )


def check(configured):
    check_independence(configured.judges, configured.agents, aliases=configured.aliases)


@pytest.mark.parametrize(
    ("model", "aliases"),
    [("gpt-4o", {}), ("GPT-4o-2024-08-06", {}), ("house", {"house": "gpt-4o"})],
)
def test_a_judge_of_the_agents_model_is_refused(model, aliases):
    with pytest.raises(Refused) as caught:
        check(configuration(model, aliases=aliases))
    assert str(caught.value) == (
        f'judge "j": its model {model!r} is that of the agent "a", whose answers it would grade. '
        "Choose another model, or declare self_judging = true."
    )


@pytest.mark.parametrize(
    "allowed",
    [
        configuration("gpt-4o", self_judging=True),
        configuration("gpt-4o-mini"),
        configuration("gpt-4o", api="recorded"),
        configuration("gpt-4o", agent=None),
    ],
)
def test_another_model_or_a_declared_one_is_not(allowed):
    check(allowed)
