"""Chat completions as our own server of a local model takes them: OpenAI's, and no prompt cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_judgeaudit.ask.wire import openai
from pytest_judgeaudit.ask.wire.shapes import Wire, WireCall
from pytest_judgeaudit.records.requests import Request


def build(request: Request, url: str, extra: Mapping[str, Any]) -> WireCall:
    """Return the call; a grammar or a schema stands in the decoder, as written."""
    call = openai.build(request, url, extra)
    # What was asked before must not change an answer. llama.cpp takes the default of the server otherwise.
    return replace(call, body={"cache_prompt": False, **call.body})


LOCAL = Wire(build=build, read=openai.read, credential=openai.OPENAI.credential)
