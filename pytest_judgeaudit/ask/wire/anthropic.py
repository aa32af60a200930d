"""
Anthropic's messages: https://docs.anthropic.com/en/api/messages.

System messages travel apart, ``max_tokens`` is required, and thinking blocks are never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_judgeaudit.ask.wire.shapes import (
    Unreadable,
    Wire,
    WireCall,
    failure,
    joined,
    options,
    table,
    text_or_none,
    usage_of,
)
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.verdicts import Usage

VERSION = "2023-06-01"
MAX_TOKENS = 1024
"""Sent where the decoder says nothing: the service refuses a call without it."""

_CUT = {"max_tokens", "model_context_window_exceeded"}
_CACHED = ("cache_creation_input_tokens", "cache_read_input_tokens")


def build(request: Request, url: str, extra: Mapping[str, Any]) -> WireCall:
    """Return the call; ``url`` may end in ``/v1`` or not."""
    system = "\n\n".join(message.content for message in request.messages if message.role == "system")
    body = {
        "model": request.model,
        "max_tokens": MAX_TOKENS,
        **({"system": system} if system else {}),
        "messages": [
            {"role": message.role, "content": message.content}
            for message in request.messages
            if message.role != "system"
        ],
        **options(request),
        **extra,
    }
    path = "/messages" if url.endswith("/v1") else "/v1/messages"
    return WireCall(path=path, headers={"anthropic-version": VERSION}, body=body)


def read(body: object) -> Reply:
    """Return the text blocks of the message, in their order."""
    whole = table(body, "the body")
    if whole.get("type") == "error" or "content" not in whole:
        raise Unreadable(failure(whole) or "the body holds no content")
    finish = text_or_none(whole.get("stop_reason"))
    return Reply(
        text=joined(whole["content"], ("text",)),
        served=text_or_none(whole.get("model")),
        finish="length" if finish in _CUT else finish,
        usage=_usage(whole.get("usage")),
    )


def _usage(stated: object) -> Usage | None:
    """All tokens of the prompt: the service counts those that it had cached apart."""
    counts = stated if isinstance(stated, dict) else {}
    usage = usage_of(counts.get("input_tokens"), counts.get("output_tokens"))
    cached = [usage_of(counts.get(name), 0) for name in _CACHED]
    return usage and sum((more for more in cached if more), start=usage)


def credential(key: str) -> Mapping[str, str]:
    """Return the header that carries a key."""
    return {"x-api-key": key}


ANTHROPIC = Wire(build=build, read=read, credential=credential)
