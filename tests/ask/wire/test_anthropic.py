"""Messages: what leaves, and what is read of what comes back."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.wire.anthropic import build, credential, read
from pytest_judgeaudit.ask.wire.shapes import Unreadable
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.verdicts import Usage

BODY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-6-20260101",
    "content": [{"type": "text", "text": "tie"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 12, "output_tokens": 6},
}


def request(decoder, *roles):
    messages = tuple(Message(role=role, content=f"{role} {number}") for number, role in enumerate(roles))
    return Request(messages=messages, model="claude", endpoint="anthropic h", decoder=decoder)


def test_system_messages_travel_apart():
    call = build(request({"max_tokens": 5}, "system", "user", "system"), "https://h", {})
    assert call.body == {
        "model": "claude",
        "max_tokens": 5,
        "system": "system 0\n\nsystem 2",
        "messages": [{"role": "user", "content": "user 1"}],
    }
    assert call.headers == {"anthropic-version": "2023-06-01"}


def test_without_a_limit_of_its_own_a_call_has_one():
    assert build(request({}, "user"), "https://h", {}).body["max_tokens"] == 1024
    assert build(request({}, "user"), "https://h", {"max_tokens": 7}).body["max_tokens"] == 7


@pytest.mark.parametrize(("url", "path"), [("https://h", "/v1/messages"), ("https://h/v1", "/messages")])
def test_the_version_stands_once_in_the_path(url, path):
    assert build(request({}, "user"), url, {}).path == path


def test_a_key_has_its_own_header():
    assert credential("k") == {"x-api-key": "k"}


def test_a_whole_answer_is_read():
    reply = read(BODY)
    assert (reply.text, reply.served, reply.finish) == ("tie", "claude-sonnet-4-6-20260101", "end_turn")
    assert reply.usage == Usage(prompt=12, completion=6)


def test_thinking_is_never_the_answer():
    content = [{"type": "thinking", "thinking": "A"}, {"type": "text", "text": "B"}, {"type": "tool_use"}]
    assert read({**BODY, "content": content}).text == "B"
    assert read({**BODY, "content": content[:1]}).text == ""


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_a_cut_output_finishes_with_length(reason):
    assert read({**BODY, "content": [], "stop_reason": reason}).finish == "length"


def test_cached_tokens_are_tokens_of_the_prompt():
    usage = {
        "input_tokens": 1,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 300,
        "output_tokens": 4,
    }
    assert read({**BODY, "usage": usage}).usage == Usage(prompt=321, completion=4)


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": 1}, {"cache_read_input_tokens": 3}])
def test_usage_that_is_not_stated_is_unknown(usage):
    assert read({**BODY, "usage": usage}).usage is None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "Overloaded"),
        ({"type": "message"}, "the body holds no content"),
        ({**BODY, "content": {}}, "the message's content is an object, expected a string or an array"),
        (7, "the body is a number, expected an object"),
    ],
)
def test_what_is_no_answer_is_said(body, reason):
    with pytest.raises(Unreadable) as caught:
        read(body)
    assert str(caught.value) == reason
