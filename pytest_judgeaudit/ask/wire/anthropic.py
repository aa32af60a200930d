"""
Anthropic's messages: https://docs.anthropic.com/en/api/messages.

System messages travel apart, ``max_tokens`` is required, and thinking blocks are never read; in a
conversation with tools they go back as they came, because the service refuses the next turn without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
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
    tool_use,
    usage_of,
)
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.tools import ToolUse
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
        "messages": _messages(message for message in request.messages if message.role != "system"),
        **({"tools": _offered(request)} if request.tools else {}),
        **options(request),
        **extra,
    }
    path = "/messages" if url.endswith("/v1") else "/v1/messages"
    return WireCall(path=path, headers={"anthropic-version": VERSION}, body=body)


def _messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the conversation; results of one turn's tools share a message of the user."""
    found: list[dict[str, Any]] = []
    for answering, group in groupby(messages, lambda one: one.answers is not None):
        if answering:
            found.append({"role": "user", "content": [_result(one) for one in group]})
        else:
            found += [{"role": one.role, "content": _content(one)} for one in group]
    return found


def _content(message: Message) -> Any:
    if not message.tool_uses:
        return message.content
    if isinstance(message.turn, list):
        return message.turn
    text = [{"type": "text", "text": message.content}] if message.content.strip() else []
    calls = [
        {"type": "tool_use", "id": use.id, "name": use.name, "input": dict(use.arguments or {})}
        for use in message.tool_uses
    ]
    return [*text, *calls]


def _result(message: Message) -> dict[str, Any]:
    identity = "" if message.answers is None else message.answers.id
    return {"type": "tool_result", "tool_use_id": identity, "content": message.content}


def _offered(request: Request) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
        for tool in request.tools
    ]


def read(body: object) -> Reply:
    """Return the text blocks of the message, in their order."""
    whole = table(body, "the body")
    if whole.get("type") == "error" or "content" not in whole:
        raise Unreadable(failure(whole) or "the body holds no content")
    finish = text_or_none(whole.get("stop_reason"))
    uses = _uses(whole["content"])
    return Reply(
        text=joined(whole["content"], ("text",)),
        served=text_or_none(whole.get("model")),
        finish="length" if finish in _CUT else finish,
        usage=_usage(whole.get("usage")),
        tool_uses=uses,
        turn=whole["content"] if uses else None,
    )


def _uses(content: object) -> tuple[ToolUse, ...]:
    blocks = content if isinstance(content, list) else []
    return tuple(
        tool_use(text_or_none(block.get("id")) or f"toolu_{number}", block["name"], block.get("input"))
        for number, block in enumerate(blocks)
        if isinstance(block, dict) and block.get("type") == "tool_use" and text_or_none(block.get("name"))
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
