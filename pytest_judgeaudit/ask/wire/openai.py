"""
Chat completions, as OpenAI defined them and vLLM, llama.cpp, LM Studio, OpenRouter and others serve them.

https://platform.openai.com/docs/api-reference/chat. Services differ in what they leave out: usage,
fingerprint and even the model's name may be missing, and content may be a list of parts. Reasoning fields
(``reasoning``, ``reasoning_content``) are never read.
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
    facts,
    failure,
    joined,
    options,
    table,
    text_or_none,
    usage_of,
)
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.requests import Message, Request

# What services behind this format call an output that was cut off.
_CUT = {"max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length"}


def build(request: Request, url: str, extra: Mapping[str, Any]) -> WireCall:  # noqa: ARG001 - as every wire
    """Return the call; the decoder's keys stand beside the messages, as written."""
    body = {
        "model": request.model,
        "messages": [_message(message) for message in request.messages],
        **({"tools": _offered(request)} if request.tools else {}),
        **options(request),
        **extra,
    }
    return WireCall(path="/chat/completions", headers={}, body=body)


def _message(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.answers is not None:
        plain["tool_call_id"] = message.answers.id
    if message.tool_uses:
        # Services want null rather than an empty text beside calls.
        plain["content"] = message.content or None
        plain["tool_calls"] = [
            {"id": use.id, "type": "function", "function": {"name": use.name, "arguments": use.raw}}
            for use in message.tool_uses
        ]
    return plain


def _offered(request: Request) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in request.tools
    ]


def read(body: object) -> Reply:
    """Return the first choice's content as it came; empty where the model said nothing."""
    whole = table(body, "the body")
    choices = whole.get("choices")
    if not isinstance(choices, list) or not choices:
        raise Unreadable(failure(whole) or "the body holds no choices")
    choice = table(choices[0], "the first choice")
    if (said := failure(choice)) is not None:
        raise Unreadable(said)
    message = table(choice.get("message"), "the first choice's message")
    usage = whole.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    finish = text_or_none(choice.get("finish_reason"))
    text, refusal = joined(message.get("content")), text_or_none(message.get("refusal"))
    return Reply(
        text=text or refusal or "",
        served=text_or_none(whole.get("model")),
        finish="refusal" if refusal and not text else "length" if finish in _CUT else finish,
        usage=usage_of(counts.get("prompt_tokens"), counts.get("completion_tokens")),
        extra=facts(whole, "system_fingerprint", "provider"),
        tool_uses=called(message.get("tool_calls")),
    )


OPENAI = Wire(build=build, read=read, credential=bearer)
