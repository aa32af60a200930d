"""
What a coding agent's program says of itself: its JSON stream, read as documented.

Both formats were read from their documentation and are untried with the programs themselves. Lines that are
no JSON, and events that are not known, are left aside: programs add events.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_judgeaudit.ask.wire.shapes import text_or_none, usage_of
from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.records.traces import PolicyEvent, ToolCall
from pytest_judgeaudit.records.verdicts import Usage

_MOST = 1000
_LONGEST = 500

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What a stream told; ``error`` where it ended without an answer."""

    text: str = ""
    served: str | None = None
    usage: Usage | None = None
    calls: tuple[ToolCall, ...] = ()
    events: tuple[PolicyEvent, ...] = ()
    error: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFormat:
    """
    One format: how the output is read, where that is documented, and whether it was tried.

    A format of another plug-in declares a ``version``, which is part of an answer's fingerprint: what was
    read is kept, so that another way of reading needs another answer.
    """

    read: Callable[[str], Stream]
    source: str = ""
    tried: bool = False
    version: str = ""


def read_text(output: str) -> Stream:
    """Take the whole output as the answer; nothing is known of tools and tokens."""
    return Stream(text=output.strip())


def read_claude_code(output: str) -> Stream:
    """
    Read ``claude -p --output-format stream-json --verbose``.

    The last event, ``result``, holds the answer, the tokens of the whole session and the tools that were
    denied; ``assistant`` and ``user`` events hold calls and their results.
    """
    calls: dict[str, ToolCall] = {}
    served: Counter[str] = Counter()
    last: Event | None = None
    for event in _events(output):
        if event.get("type") == "result":
            last = event
        message = _table(event.get("message"))
        if event.get("type") == "assistant" and (model := text_or_none(message.get("model"))):
            served[model] += not model.startswith("<")  # "<synthetic>": the program itself speaks
        for block in _tables(message.get("content")):
            _claude_block(block, calls)
    if last is None:
        return Stream(calls=_calls(calls), error="the stream ended without a result")
    text = last.get("result") if isinstance(last.get("result"), str) else ""
    failed = last.get("is_error") is True or last.get("subtype", "success") != "success"
    models = [model for model, count in served.items() if count]
    return Stream(
        text="" if failed else str(text).strip(),
        served=models[-1] if models else None,
        usage=_claude_usage(_table(last.get("usage"))),
        calls=_calls(calls),
        events=tuple(_denials(last)),
        error=f"{last.get('subtype')}: {printable(str(text), clip=300)}" if failed else None,
        facts={"served": {model: served[model] for model in models}},
    )


def read_codex(output: str) -> Stream:
    """
    Read ``codex exec --json``.

    The last ``agent_message`` is the answer; ``turn.completed`` states tokens, cached ones among them. The
    stream does not say which model answered.
    """
    calls: dict[str, ToolCall] = {}
    text, error, usages = "", None, list[Usage | None]()
    for number, event in enumerate(_events(output)):
        kind, item = event.get("type"), _table(event.get("item"))
        if kind == "item.completed" and item.get("type") == "agent_message":
            text = str(item.get("text") or "")
        elif kind == "item.completed" and item.get("type") in _CODEX_TOOLS:
            calls[str(item.get("id") or number)] = _codex_call(item)
        elif kind == "turn.completed":
            counts = _table(event.get("usage"))
            usages.append(usage_of(counts.get("input_tokens"), counts.get("output_tokens")))
        elif kind in ("turn.failed", "error"):
            said = _table(event.get("error")).get("message") or event.get("message") or kind
            error = printable(str(said), clip=300)
    known = [usage for usage in usages if usage is not None]
    if not text and error is None:
        error = "the stream ended without an agent_message"
    return Stream(
        text=text.strip() if error is None else "",
        usage=sum(known, start=Usage(unknown_calls=len(usages) - len(known))) if known else None,
        calls=_calls(calls),
        error=error,
    )


TRACES: Mapping[str, TraceFormat] = {
    "none": TraceFormat(read=read_text, source="standard output is the answer", tried=True),
    "claude-code": TraceFormat(
        read=read_claude_code, source="https://code.claude.com/docs/en/headless", tried=False
    ),
    "codex": TraceFormat(
        read=read_codex, source="https://github.com/openai/codex/blob/main/docs/exec.md", tried=False
    ),
}
"""The value of ``trace`` → its format."""

_CODEX_TOOLS = ("command_execution", "file_change", "mcp_tool_call", "web_search")


def _events(output: str) -> Iterator[Event]:
    for line in output.splitlines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _table(value: object) -> Event:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> list[Event]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _claude_block(block: Event, calls: dict[str, ToolCall]) -> None:
    if block.get("type") == "tool_use":
        arguments = json.dumps(block.get("input") or {}, default=str)
        calls[str(block.get("id") or len(calls))] = _call(block.get("name"), arguments)
    elif block.get("type") == "tool_result":
        known = calls.get(str(block.get("tool_use_id")))
        if known is not None:
            content = block.get("content")
            size = len(content) if isinstance(content, str) else len(json.dumps(content, default=str))
            calls[str(block.get("tool_use_id"))] = ToolCall(
                tool=known.tool,
                arguments=known.arguments,
                outcome="failed" if block.get("is_error") is True else "ok",
                characters=size,
            )


def _call(name: object, arguments: str) -> ToolCall:
    return ToolCall(
        tool=printable(str(name or "unnamed"), clip=100),
        arguments=printable(arguments, clip=_LONGEST),
        outcome="unknown",
    )


def _codex_call(item: Event) -> ToolCall:
    told = {name: item[name] for name in ("command", "server", "tool", "query", "changes") if name in item}
    output = item.get("aggregated_output")
    return ToolCall(
        tool=str(item["type"]),
        arguments=printable(json.dumps(told, default=str), clip=_LONGEST),
        outcome={"completed": "ok", "failed": "failed", "declined": "denied"}.get(  # type: ignore[arg-type]
            str(item.get("status")), "unknown"
        ),
        characters=len(output) if isinstance(output, str) else None,
    )


def _calls(calls: Mapping[str, ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(calls.values())[:_MOST]


def _claude_usage(counts: Event) -> Usage | None:
    """All tokens of the prompts: those that were cached are counted apart."""
    usage = usage_of(counts.get("input_tokens"), counts.get("output_tokens"))
    names = ("cache_creation_input_tokens", "cache_read_input_tokens")
    cached = [usage_of(counts.get(name), 0) for name in names]
    return usage and sum((more for more in cached if more), start=usage)


def _denials(result: Event) -> Iterator[PolicyEvent]:
    for denial in _tables(result.get("permission_denials"))[:_MOST]:
        told = f"{denial.get('tool_name')} {json.dumps(denial.get('tool_input'), default=str)}"
        yield PolicyEvent(code="denied-permission", detail=printable(told, clip=300))
