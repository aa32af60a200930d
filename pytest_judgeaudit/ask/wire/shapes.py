"""What the wire formats share: a call on its way out, and careful reading of what came back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.tools import ToolUse
from pytest_judgeaudit.records.verdicts import Usage, is_count

_LONGEST_FACT = 200


class Unreadable(Exception):  # noqa: N818 - reads as what it is: the body was unreadable
    """A body that is no answer; the message says why, perhaps in the service's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCall:
    """One call as it leaves: the path below the service's address, headers of the format, and the body."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


def bearer(key: str) -> Mapping[str, str]:
    """Return the header that most services take a key in."""
    return {"Authorization": f"Bearer {key}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """
    One wire format.

    ``build`` turns a request into a call, given the service's address and body keys of the user's; ``read``
    turns a body into a reply, or raises :class:`Unreadable`. ``credential`` makes the header for a key.
    A format of another plug-in declares a ``version``, which is part of every request's fingerprint, and
    may name the ``base_url`` that holds where the configuration names none.
    """

    build: Callable[[Request, str, Mapping[str, Any]], WireCall]
    read: Callable[[object], Reply]
    credential: Callable[[str], Mapping[str, str]] = bearer
    version: str = ""
    base_url: str = ""


def options(request: Request) -> dict[str, Any]:
    """Return the decoder of a request without its record of extra body keys, which are sent apart."""
    return {name: value for name, value in request.decoder.items() if name != "body"}


def called(calls: object) -> tuple[ToolUse, ...]:
    """
    Read the tool calls of a chat message, in the form that OpenAI defined and Ollama changed a little.

    A call without a name is none; an identity that is missing is made up, as the place in the list.

    >>> called([{"id": "c", "function": {"name": "read", "arguments": '{"path": "a"}'}}])[0].arguments
    {'path': 'a'}
    """
    return tuple(_called(calls)) if isinstance(calls, list) else ()


def _called(calls: list[object]) -> Iterator[ToolUse]:
    for number, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        name = text_or_none(function.get("name")) if isinstance(function, dict) else None
        if name is not None and isinstance(call, dict) and isinstance(function, dict):
            identity = text_or_none(call.get("id")) or f"call_{number}"
            yield tool_use(identity, name, function.get("arguments"))


def tool_use(identity: str, name: str, arguments: object) -> ToolUse:
    """Return a tool call whose arguments came as an object, or as text that should hold one."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, default=str)
    try:
        found = json.loads(raw) if raw.strip() else {}
    except (ValueError, RecursionError):
        found = None
    return ToolUse(id=identity, name=name, arguments=found if isinstance(found, dict) else None, raw=raw)


def table(value: object, what: str) -> Mapping[str, Any]:
    """Return an object of the body, or say that it is none."""
    if not isinstance(value, dict):
        raise Unreadable(f"{what} is {kind(value)}, expected an object")
    return value


def kind(value: object) -> str:
    """
    Name a JSON value's kind.

    >>> [kind(value) for value in (None, True, 1, "a", [], {})]
    ['null', 'a boolean', 'a number', 'a string', 'an array', 'an object']
    """
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return {**names, list: "an array", dict: "an object", type(None): "null"}.get(type(value), "no JSON")


def failure(body: Mapping[str, Any]) -> str | None:
    """
    Return what a body says went wrong, in any of the usual forms; None where it says nothing.

    >>> failure({"error": {"message": "overloaded"}}), failure({"error": "no such model"}), failure({})
    ('overloaded', 'no such model', None)
    """
    error = body.get("error")
    if isinstance(error, dict):
        error = error.get("message") or error.get("type") or "an error without a message"
    return None if error is None else str(error)


def text_or_none(value: object) -> str | None:
    """Return a string with something in it; anything else declares nothing."""
    return value if isinstance(value, str) and value.strip() else None


def joined(content: object, kinds: tuple[str, ...] = ("text", "output_text")) -> str:
    """
    Return the text of a message's content: a string, or the text blocks of a list in their order.

    Blocks of other kinds (reasoning, tool calls) are left out: they are no answer.

    >>> joined([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A"}, {"text": "B"}])
    'AB'
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise Unreadable(f"the message's content is {kind(content)}, expected a string or an array")
    blocks = [{"text": block} if isinstance(block, str) else block for block in content]
    return "".join(
        block["text"]
        for block in blocks
        if isinstance(block, dict)
        and block.get("type", "text") in kinds
        and isinstance(block.get("text"), str)
    )


def usage_of(prompt: object, completion: object) -> Usage | None:
    """Return the tokens of a call; None unless the service stated both: unknown is not 0."""
    counted = [_count(prompt), _count(completion)]
    if counted[0] is None or counted[1] is None:
        return None
    return Usage(prompt=counted[0], completion=counted[1])


def _count(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if is_count(value) else None


def facts(body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the small declared facts of these names that a body holds."""
    return {name: body[name][:_LONGEST_FACT] for name in names if text_or_none(body.get(name))}
