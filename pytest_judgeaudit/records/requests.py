"""What is asked of a model, before any wire format, and the fingerprint that makes answers stale."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from typing import Any

from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.tools import ToolSpec, ToolUse

REPLY = "reply instruction"
"""What the template says about the form of an answer: the part that follows from parser and words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """
    One chat message; ``role`` is ``system``, ``user``, ``assistant`` or ``tool``.

    An assistant's message may hold calls of tools, and then ``turn``: the message as the service wrote it,
    for the wire formats that want it back unchanged. A tool's message answers one of the calls.
    """

    role: str
    content: str
    tool_uses: tuple[ToolUse, ...] = ()
    answers: ToolUse | None = None
    turn: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """
    One call: messages, model, endpoint, decoder, order and replicate.

    ``endpoint`` is the API's name and the host (no port, path, user or query): ``openai 127.0.0.1``.
    ``ingredients`` holds the texts that the messages were made of, by name (``criterion``, ``prompt``,
    ``candidates``, ``template``, ``reply instruction``); they only serve to name what moved when an answer
    is stale, and no fingerprint depends on them. ``tools`` are offered to the model; a request without any
    has the fingerprint that it always had.
    """

    messages: tuple[Message, ...]
    model: str
    endpoint: str
    decoder: Mapping[str, Any]
    order: str = "AB"
    replicate: int = 1
    ingredients: Mapping[str, str] = field(default_factory=dict, compare=False)
    tools: tuple[ToolSpec, ...] = ()

    def fingerprint(self) -> str:
        """SHA-256 of the canonical request, as 64 hexadecimal digits."""
        return hashlib.sha256(self._canonical().encode("ascii")).hexdigest()

    def _canonical(self) -> str:
        # What a JSON encoder that sorts keys and leaves out white space writes, in half its time: a replay
        # makes one for every call.
        quoted = encode_basestring_ascii
        messages = ",".join([f"[{quoted(one.role)},{quoted(one.content)}]" for one in self.messages])
        return (
            f'{{"decoder":{_encode(self.decoder)},"endpoint":{quoted(self.endpoint)},'
            f'"messages":[{messages}],"model":{quoted(self.model)},"order":{quoted(self.order)},'
            f'"replicate":{self.replicate}{self._tooling()}}}'
        )

    def _tooling(self) -> str:
        """Return the part of the canonical request that only a conversation with tools has."""
        used = [
            [
                number,
                *([use.id, use.name, use.raw] for use in one.tool_uses),
                one.answers and one.answers.id,
            ]
            for number, one in enumerate(self.messages)
            if one.tool_uses or one.answers
        ]
        offered = [[tool.name, tool.description, tool.parameters] for tool in self.tools]
        return f',"tools":{_encode(offered)},"uses":{_encode(used)}' if used or offered else ""

    def moved(self, stored: Mapping[str, str]) -> list[str]:
        """
        Name the parts in which this request differs from the digests of a stored one.

        An answer that was stored before parts had a ``reply instruction`` does not tell whether it moved:
        it is named where nothing else accounts for another fingerprint.
        """
        now = self.parts()
        untold = [name for name in (REPLY,) if name in now and name not in stored]
        found = [name for name in {**now, **stored} if stored.get(name) != now.get(name)]
        return [name for name in found if name not in untold] or untold

    def parts(self) -> dict[str, str]:
        """Digest each part of the request, so that a stale answer can say which part moved."""
        named = {
            "model": self.model,
            "endpoint": self.endpoint,
            "decoder": json.dumps(self.decoder, sort_keys=True, default=str),
            "order": self.order,
            "replicate": str(self.replicate),
            **self.ingredients,
        }
        return {name: short_digest(text) for name, text in named.items()}


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str).encode
