"""The call to our own server: OpenAI's, with the prompt cache off."""

from __future__ import annotations

from pytest_judgeaudit.ask.wire.local import LOCAL
from pytest_judgeaudit.ask.wire.openai import OPENAI
from pytest_judgeaudit.records.requests import Message, Request

URL = "http://127.0.0.1:1/v1"


def request(**decoder):
    return Request(
        messages=(Message(role="user", content="hi"),), model="tiny", endpoint="local", decoder=decoder
    )


def test_the_call_is_that_of_openai_with_the_prompt_cache_off():
    one = request(temperature=0, grammar='root ::= "A"')
    theirs = OPENAI.build(one, URL, {})
    ours = LOCAL.build(one, URL, {})
    assert (ours.path, ours.headers) == (theirs.path, theirs.headers)
    assert ours.body == {**theirs.body, "cache_prompt": False}


def test_a_decoder_is_passed_as_written():
    assert LOCAL.build(request(cache_prompt=True), URL, {}).body["cache_prompt"] is True
