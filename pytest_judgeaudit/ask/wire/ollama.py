"""Ollama's chat: https://github.com/ollama/ollama/blob/main/docs/api.md. Thinking is never read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_judgeaudit.ask.wire.shapes import (
    Unreadable,
    Wire,
    WireCall,
    bearer,
    failure,
    joined,
    options,
    table,
    text_or_none,
    usage_of,
)
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.requests import Request

_BESIDE_OPTIONS = ("format", "think", "keep_alive")
"""Keys of a decoder that the service does not take among its options: an answer's grammar, for one."""


def build(request: Request, url: str, extra: Mapping[str, Any]) -> WireCall:
    """Return the call; the decoder becomes ``options``. ``url`` may end in ``/api`` or not."""
    decoder = options(request)
    beside = {name: decoder.pop(name) for name in _BESIDE_OPTIONS if name in decoder}
    body = {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "stream": False,
        **({"options": decoder} if decoder else {}),
        **beside,
        **extra,
    }
    return WireCall(path="/chat" if url.endswith("/api") else "/api/chat", headers={}, body=body)


def read(body: object) -> Reply:
    """Return the message's content."""
    whole = table(body, "the body")
    if "message" not in whole:
        raise Unreadable(failure(whole) or "the body holds no message")
    if whole.get("done") is False:
        raise Unreadable("the body is a piece of a stream")
    message = table(whole["message"], "the message")
    return Reply(
        text=joined(message.get("content")),
        served=text_or_none(whole.get("model")),
        finish=text_or_none(whole.get("done_reason")),
        usage=usage_of(whole.get("prompt_eval_count"), whole.get("eval_count")),
    )


OLLAMA = Wire(build=build, read=read, credential=bearer)
