"""
Ollama's chat, and its raw completion: https://github.com/ollama/ollama/blob/main/docs/api.md.

``raw = true`` in the decoder sends the text as it is to ``generate``, without the model's chat template;
everything else is a chat. Thinking is never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_judgeaudit.ask.wire.shapes import (
    Unreadable,
    Wire,
    WireCall,
    bearer,
    called,
    failure,
    joined,
    options,
    table,
    text_or_none,
    usage_of,
)
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.requests import Message, Request

_BESIDE_OPTIONS = ("format", "think", "keep_alive")
"""Keys of a decoder that the service does not take among its options: an answer's grammar, for one."""


def build(request: Request, url: str, extra: Mapping[str, Any]) -> WireCall:
    """Return the call; the decoder becomes ``options``. ``url`` may end in ``/api`` or not."""
    decoder = options(request)
    raw = decoder.pop("raw", False) is True
    beside = {name: decoder.pop(name) for name in _BESIDE_OPTIONS if name in decoder}
    body = {
        "model": request.model,
        **(_prompt(request) if raw else _messages(request)),
        "stream": False,
        **({"options": decoder} if decoder else {}),
        **beside,
        **extra,
    }
    path = "/generate" if raw else "/chat"
    return WireCall(path=path if url.endswith("/api") else f"/api{path}", headers={}, body=body)


def _messages(request: Request) -> Mapping[str, Any]:
    messages = {"messages": [_message(one) for one in request.messages]}
    if not request.tools:
        return messages
    offered = [
        {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        for tool in request.tools
    ]
    return {**messages, "tools": [{"type": "function", "function": tool} for tool in offered]}


def _message(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.answers is not None:
        plain["tool_name"] = message.answers.name
    if message.tool_uses:
        plain["tool_calls"] = [
            {"function": {"name": use.name, "arguments": dict(use.arguments or {})}}
            for use in message.tool_uses
        ]
    return plain


def _prompt(request: Request) -> Mapping[str, Any]:
    return {"prompt": "\n\n".join(one.content for one in request.messages), "raw": True}


def read(body: object) -> Reply:
    """Return the message's content, or the response of a raw completion."""
    whole = table(body, "the body")
    if "message" not in whole and "response" not in whole:
        raise Unreadable(failure(whole) or "the body holds neither a message nor a response")
    if whole.get("done") is False:
        raise Unreadable("the body is a piece of a stream")
    message = table(whole["message"], "the message") if "message" in whole else None
    return Reply(
        text=joined(whole["response"] if message is None else message.get("content")),
        served=text_or_none(whole.get("model")),
        finish=text_or_none(whole.get("done_reason")),
        usage=usage_of(whole.get("prompt_eval_count"), whole.get("eval_count")),
        tool_uses=() if message is None else called(message.get("tool_calls")),
    )


OLLAMA = Wire(build=build, read=read, credential=bearer)
