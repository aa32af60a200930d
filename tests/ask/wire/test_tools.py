"""Tools in the three wire formats: what is offered, what is called, and how results go back."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.wire.shapes import called, tool_use
from pytest_judgeaudit.ask.wire.table import WIRES
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.tools import ToolSpec, ToolUse

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
READ = ToolSpec(name="read", description="Read a file.", parameters=SCHEMA)
USES = (
    ToolUse(id="c1", name="read", arguments={"path": "a"}, raw='{"path": "a"}'),
    ToolUse(id="c2", name="read", arguments=None, raw='{"path": '),
)


def request_of(*messages, tools=(READ,)):
    return Request(messages=messages, model="m", endpoint="e", decoder={}, tools=tools)


TALK = request_of(
    Message(role="user", content="q"),
    Message(role="assistant", content="", tool_uses=USES),
    Message(role="tool", content="1\tx", answers=USES[0]),
    Message(role="tool", content="error", answers=USES[1]),
)


def body(api, request):
    return WIRES[api].build(request, "http://h", {}).body


def test_openai_sends_functions_calls_and_results():
    sent = body("openai", TALK)
    assert sent["tools"] == [
        {
            "type": "function",
            "function": {"name": "read", "description": "Read a file.", "parameters": SCHEMA},
        }
    ]
    assert sent["messages"][1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path": "a"}'},
                },
                {"id": "c2", "type": "function", "function": {"name": "read", "arguments": '{"path": '}},
            ],
        },
        {"role": "tool", "content": "1\tx", "tool_call_id": "c1"},
        {"role": "tool", "content": "error", "tool_call_id": "c2"},
    ]


def test_anthropic_sends_blocks_and_all_results_of_a_turn_in_one_message():
    sent = body("anthropic", TALK)
    assert sent["tools"] == [{"name": "read", "description": "Read a file.", "input_schema": SCHEMA}]
    assert sent["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "c2", "name": "read", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "1\tx"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "error"},
            ],
        },
    ]


def test_anthropic_gets_its_own_turn_back_with_thinking_in_it():
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
    ]
    reply = WIRES["anthropic"].read({"content": content, "stop_reason": "tool_use"})
    assert [(use.id, use.name, use.arguments) for use in reply.tool_uses] == [("c1", "read", {"path": "a"})]
    assert reply.text == ""
    turn = Message(role="assistant", content=reply.text, tool_uses=reply.tool_uses, turn=reply.turn)
    assert body("anthropic", request_of(turn))["messages"][0]["content"] == content


def test_ollama_sends_arguments_as_objects():
    sent = body("ollama", TALK)
    assert sent["tools"][0]["function"]["name"] == "read"
    assert sent["messages"][1]["tool_calls"] == [
        {"function": {"name": "read", "arguments": {"path": "a"}}},
        {"function": {"name": "read", "arguments": {}}},
    ]
    assert sent["messages"][2] == {"role": "tool", "content": "1\tx", "tool_name": "read"}


def test_ollama_reads_calls_without_identities():
    calls = [{"function": {"name": "read", "arguments": {"path": "a"}}}] * 2
    reply = WIRES["ollama"].read({"message": {"role": "assistant", "content": "", "tool_calls": calls}})
    assert [(use.id, use.arguments) for use in reply.tool_uses] == [
        ("call_0", {"path": "a"}),
        ("call_1", {"path": "a"}),
    ]


@pytest.mark.parametrize("api", WIRES)
def test_without_tools_nothing_of_them_leaves(api):
    assert "tools" not in body(api, request_of(Message(role="user", content="q"), tools=()))


@pytest.mark.parametrize(
    "calls",
    [None, {}, [None], [{}], [{"function": None}], [{"function": {}}], [{"function": {"name": ""}}]],
)
def test_calls_that_are_none_are_left_aside(calls):
    assert called(calls) == ()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ("", {}),
        (None, {}),
        ("[]", None),
        ('{"a": ', None),
        ("[" * 10**5, None),
    ],
)
def test_arguments_are_an_object_or_nothing(written, read):
    assert tool_use("1", "read", written).arguments == read


def test_a_refusal_without_content_finishes_as_one():
    message = {"role": "assistant", "content": None, "refusal": "I cannot."}
    reply = WIRES["openai"].read({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert (reply.text, reply.finish) == ("I cannot.", "refusal")


def test_tools_move_the_fingerprint_of_a_request_that_has_any():
    plain = request_of(Message(role="user", content="q"), tools=())
    fingerprints = {plain.fingerprint(), request_of(*plain.messages).fingerprint(), TALK.fingerprint()}
    assert len(fingerprints) == 3
