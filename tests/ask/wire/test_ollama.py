"""Ollama's chat: what leaves, and what is read of what comes back."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.wire.ollama import build, read
from pytest_judgeaudit.ask.wire.shapes import Unreadable
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.verdicts import Usage

BODY = {
    "model": "qwen2.5:32b",
    "created_at": "2024-01-01T00:00:00Z",
    "message": {"role": "assistant", "content": "tie", "thinking": "A or B"},
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 26,
    "eval_count": 3,
}


def request(decoder):
    return Request(
        messages=(Message(role="user", content="u"),), model="qwen", endpoint="ollama h", decoder=decoder
    )


def test_the_decoder_becomes_options():
    call = build(request({"temperature": 0, "num_predict": 9}), "http://h", {})
    assert call.path == "/api/chat"
    assert call.body == {
        "model": "qwen",
        "messages": [{"role": "user", "content": "u"}],
        "stream": False,
        "options": {"temperature": 0, "num_predict": 9},
    }


def test_a_grammar_stands_beside_the_options():
    call = build(
        request({"format": "json", "think": False, "seed": 1}), "http://h/api", {"keep_alive": "1h"}
    )
    assert call.path == "/chat"
    assert (call.body["format"], call.body["think"], call.body["keep_alive"]) == ("json", False, "1h")
    assert call.body["options"] == {"seed": 1}


def test_without_a_decoder_no_options_are_sent():
    assert "options" not in build(request({}), "http://h", {}).body


def test_a_whole_answer_is_read():
    reply = read(BODY)
    assert (reply.text, reply.served, reply.finish) == ("tie", "qwen2.5:32b", "stop")
    assert reply.usage == Usage(prompt=26, completion=3)


def test_thinking_is_never_the_answer():
    assert read({**BODY, "message": {"content": "", "thinking": "A"}}).text == ""


def test_a_cut_output_finishes_with_length():
    assert read({**BODY, "done_reason": "length"}).finish == "length"


@pytest.mark.parametrize("missing", ["prompt_eval_count", "eval_count"])
def test_usage_that_is_not_stated_is_unknown(missing):
    assert read({name: value for name, value in BODY.items() if name != missing}).usage is None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"error": "model 'qwen' not found"}, "model 'qwen' not found"),
        ({"done": True}, "the body holds neither a message nor a response"),
        ({**BODY, "done": False}, "the body is a piece of a stream"),
        ({**BODY, "message": "tie"}, "the message is a string, expected an object"),
    ],
)
def test_what_is_no_answer_is_said(body, reason):
    with pytest.raises(Unreadable) as caught:
        read(body)
    assert str(caught.value) == reason


def test_raw_sends_the_text_as_it_is():
    messages = (Message(role="system", content="Judge."), Message(role="user", content="A or B?"))
    asked = Request(messages=messages, model="qwen", endpoint="ollama h", decoder={"raw": True, "seed": 1})
    call = build(asked, "http://h/api", {})
    assert call.path == "/generate"
    assert call.body == {
        "model": "qwen",
        "prompt": "Judge.\n\nA or B?",
        "raw": True,
        "stream": False,
        "options": {"seed": 1},
    }


def test_raw_that_is_not_true_is_a_chat():
    call = build(request({"raw": False}), "http://h", {})
    assert (call.path, "raw" in call.body, "options" in call.body) == ("/api/chat", False, False)


def test_the_response_of_a_raw_completion_is_read():
    reply = read({"model": "q", "response": "tie", "done": True, "done_reason": "length", "eval_count": 1})
    assert (reply.text, reply.served, reply.finish, reply.usage) == ("tie", "q", "length", None)


@pytest.mark.parametrize("body", [{}, {"response": 3}, {"message": []}])
def test_a_body_without_text_is_no_answer(body):
    with pytest.raises(Unreadable):
        read(body)
