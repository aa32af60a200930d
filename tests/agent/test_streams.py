"""JSON streams of coding agents, as their documentation shows them."""

from __future__ import annotations

import json

import pytest

from pytest_judgeaudit.agent.streams import TRACES, read_claude_code, read_codex, read_text
from pytest_judgeaudit.records.verdicts import Usage


def lines(*events):
    return "\n".join(json.dumps(event) for event in events)


# Sample output of https://github.com/openai/codex/blob/main/docs/exec.md, shortened.
CODEX = lines(
    {"type": "thread.started", "thread_id": "0199a213"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "**Searching**"}},
    {
        "type": "item.started",
        "item": {
            "id": "item_1",
            "type": "command_execution",
            "command": "bash -lc ls",
            "status": "in_progress",
        },
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_1",
            "type": "command_execution",
            "command": "bash -lc ls",
            "aggregated_output": "AGENTS.md\n",
            "exit_code": 0,
            "status": "completed",
        },
    },
    {"type": "item.completed", "item": {"id": "item_3", "type": "agent_message", "text": "There is one."}},
    {
        "type": "turn.completed",
        "usage": {"input_tokens": 24763, "cached_input_tokens": 24448, "output_tokens": 122},
    },
)

CLAUDE = [
    {"type": "system", "subtype": "init", "model": "claude-x", "tools": ["Read", "Bash"]},
    {
        "type": "assistant",
        "message": {
            "model": "claude-x-20260101",
            "content": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}},
                {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "ls /"}},
            ],
        },
    },
    {
        "type": "user",
        "message": {
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"},
                {"type": "tool_result", "tool_use_id": "t2", "content": "denied", "is_error": True},
            ]
        },
    },
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "It is in a.py.",
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 30,
            "output_tokens": 4,
        },
        "permission_denials": [{"tool_name": "Bash", "tool_input": {"command": "ls /"}}],
    },
]


def test_a_codex_stream_gives_answer_tokens_and_tools():
    stream = read_codex(CODEX)
    assert (stream.text, stream.usage, stream.served, stream.error) == (
        "There is one.",
        Usage(prompt=24763, completion=122),
        None,
        None,
    )
    (call,) = stream.calls
    assert (call.tool, call.outcome, call.characters) == ("command_execution", "ok", 10)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        ({"type": "turn.failed", "error": {"message": "no credit"}}, "no credit"),
        ({"type": "error", "message": "stream broke"}, "stream broke"),
    ],
)
def test_a_failed_codex_turn_is_an_error(event, error):
    assert read_codex(lines(event)).error == error


def test_a_claude_code_stream_gives_answer_tokens_model_tools_and_denials():
    stream = read_claude_code(lines(*CLAUDE))
    assert (stream.text, stream.served) == ("It is in a.py.", "claude-x-20260101")
    assert stream.usage == Usage(prompt=60, completion=4)
    assert [(call.tool, call.outcome, call.characters) for call in stream.calls] == [
        ("Read", "ok", 5),
        ("Bash", "failed", 6),
    ]
    assert [event.code for event in stream.events] == ["denied-permission"]


@pytest.mark.parametrize(
    "result",
    [
        {"type": "result", "subtype": "success", "is_error": True, "result": "Credit too low"},
        {"type": "result", "subtype": "error_max_turns", "is_error": False},
    ],
)
def test_a_result_with_an_error_is_no_answer(result):
    stream = read_claude_code(lines(*CLAUDE[:-1], result))
    assert stream.text == ""
    assert stream.error.startswith(result["subtype"])


@pytest.mark.parametrize("read", [read_claude_code, read_codex])
@pytest.mark.parametrize(
    "output",
    [
        "",
        "plain text",
        "[]",
        '{"type": []}',
        '{"type": "assistant", "message": 3}',
        "[" * 10**5,
        "\x00\ud800",
    ],
)
def test_a_stream_of_nothing_usable_is_an_error(read, output):
    assert read(output).error is not None


def test_without_a_format_the_output_is_the_answer():
    assert read_text(" x\n").text == "x"


def test_formats_from_documentation_are_marked_untried():
    assert {name: form.tried for name, form in TRACES.items()} == {
        "none": True,
        "claude-code": False,
        "codex": False,
    }
