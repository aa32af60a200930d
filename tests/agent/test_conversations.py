"""Agents with tools: the conversation, its ends, and what is kept of it."""

from __future__ import annotations

import os

import pytest

from pytest_judgeaudit.agent import conversations as module
from pytest_judgeaudit.agent.answering import Agent
from pytest_judgeaudit.agent.building import build_agent
from pytest_judgeaudit.agent.conversations import ToolsKind
from pytest_judgeaudit.ask.transport.asker import HttpAsker
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.errors import Unanswered
from pytest_judgeaudit.records.verdicts import Usage


@pytest.fixture
def ask(settings, sandboxes):
    def run(model, *, arm="sighted", **changes):
        sandbox = sandboxes(arm)
        table = settings(**changes)
        agent = Agent(table, ToolsKind(table, model))
        return agent.answer(agent.request("Where is the rate?", sandbox), sandbox)

    return run


def test_tools_are_run_until_the_model_answers(ask, scripted, use):
    model = scripted(
        [use("list")], [use("read", path="CALC.cbl"), use("grep", pattern="VSAM")], "In CALC.cbl."
    )
    reply = ask(model)
    assert (reply.text, reply.trace.outcome) == ("In CALC.cbl.", "ok")
    assert reply.trace.by_tool == {"grep": 1, "list": 1, "read": 1}
    assert reply.usage == Usage(prompt=30, completion=6)
    assert reply.served == "m"
    roles = [message.role for message in model.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "tool"]
    assert model.requests[0].messages[1].content == "Where is the rate?"


def test_one_try_is_one_attempt_with_its_window(ask, scripted):
    reply = ask(scripted("done"))
    (attempt,) = reply.attempts
    assert attempt.outcome == "answered"
    assert attempt.ended >= attempt.started > 1e9


def test_a_blind_arm_is_offered_no_tools_and_told_nothing_of_the_corpus(ask, scripted):
    model = scripted("a guess")
    reply = ask(model, arm="blind")
    assert model.requests[0].tools == ()
    assert "CALC" not in str(model.requests[0])
    assert reply.trace.enforcement.verified


def test_only_declared_tools_are_offered(ask, scripted):
    model = scripted("x")
    ask(model, tools=["read"])
    assert [tool.name for tool in model.requests[0].tools] == ["read"]


def test_a_model_that_never_answers_is_told_to_and_then_left(ask, scripted, use, monkeypatch):
    monkeypatch.setattr(module, "MOST_TURNS", 3)
    model = scripted([use("list")])
    reply = ask(model)
    assert len(model.requests) == 4
    assert "no more tool calls" in model.requests[-1].messages[-1].content
    assert (reply.trace.outcome, reply.text, reply.trace.by_tool) == ("ok", "", {"list": 2})


@pytest.mark.parametrize("finish", ["refusal", "content_filter"])
def test_a_refusal_of_the_service_is_an_outcome(ask, scripted, finish):
    reply = ask(scripted(Reply(text="I cannot.", finish=finish)))
    assert (reply.trace.outcome, reply.text) == ("refusal", "I cannot.")


def failed(outcome):
    attempt = Attempt(started=1.0, ended=2.0, outcome=outcome)
    return Unanswered("reader: no answer", (attempt,))


@pytest.mark.parametrize(
    ("attempt", "outcome"),
    [("failed", "error"), ("refused", "error"), ("host_stalled", "host_stalled"), ("timeout", "timeout")],
)
def test_a_call_without_an_answer_ends_the_try(ask, scripted, attempt, outcome):
    reply = ask(scripted(failed(attempt)), limits={"attempts": 1})
    assert (reply.trace.outcome, reply.text, reply.usage) == (outcome, "", None)
    assert reply.trace.error == "reader: no answer"


def test_the_status_of_a_refused_key_is_kept_with_the_attempt(ask, scripted):
    denied = Attempt(started=0.0, ended=1.0, outcome="refused", status=401)
    reply = ask(scripted(Unanswered("reader: HTTP 401", (denied,))))
    assert [(one.outcome, one.status) for one in reply.attempts] == [("failed", 401)]


def test_a_time_out_is_tried_again_and_both_attempts_are_kept(ask, scripted):
    reply = ask(scripted(failed("timeout"), "done"), limits={"attempts": 2})
    assert [attempt.outcome for attempt in reply.attempts] == ["timeout", "answered"]
    assert reply.trace.outcome == "ok"
    assert reply.usage == Usage(prompt=10, completion=2, unknown_calls=1)


def test_an_error_is_not_tried_again(ask, scripted):
    model = scripted(failed("refused"), "done")
    assert ask(model, limits={"attempts": 3}).trace.outcome == "error"
    assert len(model.requests) == 1


def test_a_stopped_run_leaves_no_answer(settings, sandboxes, scripted):
    sandbox, table, model = sandboxes(), settings(), scripted("x")
    agent = Agent(table, ToolsKind(table, model))
    agent.stop()
    with pytest.raises(Unanswered, match="the run was stopped"):
        agent.answer(agent.request("q", sandbox), sandbox)
    assert model.stopped


def test_the_surface_is_probed_with_canaries(settings, sandboxes, scripted):
    sandbox, table = sandboxes(), settings()
    enforcement = ToolsKind(table, scripted()).enforcement(sandbox)
    assert (enforcement.mechanism, enforcement.state, enforcement.verified) == (
        "tool surface",
        "enforced",
        True,
    )
    assert len(enforcement.checks) == 7


@pytest.mark.parametrize("api", ["openai", "anthropic", "ollama"])
def test_a_conversation_over_every_wire_format(api, settings, sandboxes, stub_server):
    steps = [
        {"tool": "read", "arguments": {"path": "CALC.cbl"}},
        {"tool": "bash", "arguments": {"command": "ls"}},
        {"text": "GOT {last_tool_result}"},
    ]
    server = stub_server(rules=[{"user": "daily rate", "reply": {"steps": steps}}])
    base = server.openai if api == "openai" else server.url
    table = settings(api=api, base_url=base, limits={"timeout": 20})
    agent = build_agent(
        table,
        root=sandboxes().path,
        environ=dict(os.environ),
        asker=lambda one: HttpAsker(one, environ=os.environ),
    )
    sandbox = sandboxes()
    reply = agent.answer(agent.request("Where is the daily rate?", sandbox), sandbox)
    agent.close()
    assert reply.trace.outcome == "ok", reply.trace.error
    assert reply.text == 'GOT denied: no tool "bash" was granted; there are: list, read, grep'
    assert reply.trace.by_tool == {"bash": 1, "read": 1}
    sent = server.requests()
    assert [bool(request["body"]["tools"]) for request in sent] == [True] * 3
    assert "PERFORM COMPUTE-RATE" in str(sent[1]["body"]["messages"][-1])
