"""The agents of a session: which are selected, and what is known of them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.crew import Crew
from pytest_judgeaudit.settings.models import AgentSettings, Configuration, Price


def agent(name, **keys):
    return AgentSettings(name=name, **{"kind": "python", "callable": "readers:answer", **keys})


def model(name, **keys):
    return agent(name, **{"kind": "tools", "api": "openai", "model": f"{name}-1", "callable": None, **keys})


@pytest.fixture
def crew(tmp_path):
    """Return a crew of these agents."""

    def make(*agents, selected=()):
        return Crew(
            Configuration(agents=agents),
            selected=selected,
            root=tmp_path,
            asker=lambda _: SimpleNamespace(ask=None),
            limits=lambda: tmp_path,
        )

    return make


def test_all_agents_are_selected_unless_some_are_named(crew):
    pair = (agent("reader"), agent("second"))
    assert crew(*pair).names() == ["reader", "second"]
    assert crew(*pair, selected=["second"]).names() == ["second"]


def test_a_test_may_name_its_agents(crew):
    one = crew(agent("reader"), agent("second"))
    assert one.names(["second"]) == ["second"]
    assert [plan.name for plan in one.plans()] == ["second"]
    with pytest.raises(Refused, match='Did you mean "second"'):
        one.names(["secnd"])
    assert crew(agent("reader"), agent("second"), selected=["reader"]).names(["second"]) == []


def test_an_unknown_name_is_a_usage_error_with_the_nearest(crew):
    with pytest.raises(pytest.UsageError, match=r'--agent raeder: .*Did you mean "reader"') as caught:
        crew(agent("reader"), selected=["raeder"])
    assert "there are reader" in str(caught.value)


def test_without_an_agent_the_lines_to_write_are_shown(crew):
    with pytest.raises(Refused, match=r"no agent is configured. Write judgeaudit.toml") as caught:
        crew().names()
    assert "[[agent]]" in str(caught.value)


def test_agents_that_no_test_asks_for_are_in_no_plan(crew):
    one = crew(model("reader"), agent("function"))
    assert (one.plans(), one.to_ask()) == ((), ())
    one.names()
    assert [plan.name for plan in one.plans()] == ["reader", "function"]


def test_a_plan_tells_what_has_to_be_served_and_what_it_costs(crew):
    priced = model("reader", price=Price(prompt=1.0, completion=2.0))
    one = crew(priced, agent("function"), model("half", price=Price(prompt=1.0)))
    one.names()
    assert [(plan.served, plan.requested, plan.price) for plan in one.plans()] == [
        (True, "reader-1", (1.0, 2.0)),
        (False, "", None),
        (True, "half-1", None),
    ]


def test_only_models_can_be_probed(crew):
    assert [one.name for one in crew(model("reader"), agent("function")).models()] == ["reader"]


def test_an_agent_is_built_once_and_imports_nothing_until_it_is_asked(crew):
    one = crew(agent("reader", callable="no_such_module:answer"))
    assert one.agent("reader") is one.agent("reader")
    one.ready()  # no test asks for it
    one.names()
    with pytest.raises(Refused, match="No module named 'no_such_module'"):
        one.ready()
    one.stop()
    one.pytest_unconfigure()
