"""Chat completions: what leaves, and what is read of what comes back."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.wire.openai import build, read
from pytest_judgeaudit.ask.wire.shapes import Unreadable
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.verdicts import Usage

# The example of the API reference, shortened.
BODY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-4o-2024-08-06",
    "system_fingerprint": "fp_44709d6fcb",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": '{"winner": "A"}', "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29},
}


def answer(message, **choice):
    return {**BODY, "choices": [{"message": message, "finish_reason": "stop", **choice}]}


def test_messages_and_decoder_leave_as_written():
    request = Request(
        messages=(Message(role="system", content="s"), Message(role="user", content="u")),
        model="o5",
        endpoint="openai h",
        decoder={"max_completion_tokens": 64, "reasoning_effort": "low", "body": {"x": 1}},
    )
    call = build(request, "http://h/v1", {"x": 1})
    assert call.path == "/chat/completions"
    assert call.body == {
        "model": "o5",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "max_completion_tokens": 64,
        "reasoning_effort": "low",
        "x": 1,
    }


def test_a_whole_answer_is_read():
    reply = read(BODY)
    assert (reply.text, reply.served, reply.finish) == ('{"winner": "A"}', "gpt-4o-2024-08-06", "stop")
    assert reply.usage == Usage(prompt=19, completion=10)
    assert reply.extra == {"system_fingerprint": "fp_44709d6fcb"}


def test_text_is_kept_as_it_came():
    assert read(answer({"content": " \ud800\x00\n"})).text == " \ud800\x00\n"


def test_a_list_of_parts_is_joined_and_reasoning_is_left_out():
    parts = [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": '{"winner": '},
        {"type": "text", "text": '"tie"}'},
    ]
    assert read(answer({"content": parts, "reasoning_content": "A"})).text == '{"winner": "tie"}'


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "thinking"])
def test_reasoning_is_never_the_answer(field):
    assert read(answer({"content": None, field: "A is better"})).text == ""


def test_a_refusal_is_what_the_model_said():
    assert read(answer({"content": None, "refusal": "I cannot."})).text == "I cannot."


def test_tool_calls_without_content_are_an_empty_answer():
    reply = read(answer({"content": None, "tool_calls": [{"id": "x"}]}, finish_reason="tool_calls"))
    assert (reply.text, reply.finish) == ("", "tool_calls")


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_a_cut_output_finishes_with_length(reason):
    assert read(answer({"content": ""}, finish_reason=reason)).finish == "length"


@pytest.mark.parametrize("model", [None, "", "  ", 3])
def test_a_model_that_is_not_declared_is_none(model):
    assert read({**BODY, "model": model}).served is None
    assert read({name: value for name, value in BODY.items() if name != "model"}).served is None


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {},
        {"prompt_tokens": 1},
        {"prompt_tokens": 1, "completion_tokens": None},
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"prompt_tokens": True, "completion_tokens": 1},
        {"prompt_tokens": "1", "completion_tokens": 1},
    ],
)
def test_usage_that_is_not_stated_is_unknown_and_not_0(usage):
    assert read({**BODY, "usage": usage}).usage is None


def test_usage_in_floats_is_counted():
    body = {**BODY, "usage": {"prompt_tokens": 2.0, "completion_tokens": 0.0}}
    assert read(body).usage == Usage(prompt=2, completion=0)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (None, "the body is null, expected an object"),
        ([], "the body is an array, expected an object"),
        ("text", "the body is a string, expected an object"),
        ({}, "the body holds no choices"),
        ({"choices": []}, "the body holds no choices"),
        ({"choices": {}}, "the body holds no choices"),
        ({"error": {"message": "overloaded"}}, "overloaded"),
        ({"choices": [1]}, "the first choice is a number, expected an object"),
        ({"choices": [{"text": "x"}]}, "the first choice's message is null, expected an object"),
        (answer({"content": 1}), "the message's content is a number, expected a string or an array"),
        (answer({"content": "A"}, error={"message": "provider down"}), "provider down"),
    ],
)
def test_what_is_no_answer_is_said(body, reason):
    with pytest.raises(Unreadable) as caught:
        read(body)
    assert str(caught.value) == reason
