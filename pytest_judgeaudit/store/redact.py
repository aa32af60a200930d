"""Secrets out of everything that is kept or graded, before a byte is written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.traces import Trace

REDACTED = "[redacted]"
_CENSORED = r"\g<1>" + REDACTED

_SECRET_NAME = re.compile(r"(?i)(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD)$")
_SECRET_FIELD = re.compile(r"(?i)(?:.*[-_])?(?:authorization|cookie|api[-_]?key|token|secret|password)")

# What stands where a client insists on some key. Scrubbed, they would eat plain words.
_PLACEHOLDERS = """
changeme dummy empty fake local localhost lm-studio no-key none not-needed null ollama password placeholder
postgres secret sk-no-key-required test token-abc123 undefined unused vllm
"""

# Headers, in any case: looked for only in texts whose lower-cased form holds all the words beside them.
_RUN = r"[A-Za-z0-9._~+/=-]"
_SCHEME = r"\s{1,8})(?=[A-Za-z._~+/=-]{0,200}\d)" + _RUN + "{16,}"
_HEADER = r"[\"'\\]{0,4}\s{0,8}[:=]\s{0,8}[\"'\\]{0,4}(?:bearer|basic|token)\s{1,8})" + _RUN + "{8,}"
_HEADERS = tuple(
    (words, re.compile("(?i)" + pattern))
    for words, pattern in (
        (("authorization",), "(authorization" + _HEADER),
        (("api", "key"), "(api[-_]key" + _HEADER),
        (("bearer",), "((?<![A-Za-z0-9])bearer" + _SCHEME),
        (("basic",), "((?<![A-Za-z0-9])basic" + _SCHEME),
    )
)

# Shapes of keys, as they are: looked for only in texts that hold all the strings beside them, rarest first.
# All patterns are linear: each begins where a run of its characters begins, so that a run is read once, and
# look-aheads are bounded. The look-behind stands after the literal for the sake of a fast search.
_SHAPES = tuple(
    (needles, re.compile(pattern))
    for needles, pattern in (
        ((":", "://", "@"), r"(://)[^\s/?#@\"'<>]{1,1000}(?=@)"),
        (("-", "sk-"), r"()sk-(?<![A-Za-z0-9_-]sk-)(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{16,}"),
        (("-", "xox"), r"()xox[a-z]-(?<![A-Za-z0-9_-]xox.-)[A-Za-z0-9-]{10,}"),
        (("_", "gh"), r"()gh[opsur]_(?<![A-Za-z0-9_-]gh._)[A-Za-z0-9]{20,}"),
        (("_", "github_pat_"), r"()github_pat_[A-Za-z0-9_]{20,}"),
        (("_", "hf_"), r"()hf_(?<![A-Za-z0-9_-]hf_)[A-Za-z0-9]{20,}"),
        (("A", "IA"), r"()A[KS]IA(?<![A-Za-z0-9_-]A.IA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        (("A", "AIza"), r"()AIza(?<![A-Za-z0-9_-]AIza)[A-Za-z0-9_-]{30,}"),
        (
            ("J", ".", "eyJ"),
            r"()eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]+",
        ),
    )
)


class Redactor:
    """
    Scrubs secrets from text, always in the same way: what is graded live equals what is graded again.

    ``secrets`` are the values of configured keys: they are scrubbed wherever they stand (also URL-quoted
    or written with escapes), and a line that still holds one is refused. ``others`` (values of the
    environment that look like secrets by name) are scrubbed, not refused. Values below four characters and
    the placeholders that local servers are given are no secrets.
    """

    def __init__(self, secrets: Iterable[str], *, others: Iterable[str] = ()) -> None:
        keys = _values(secrets, shortest=4)
        self._keys = _spellings(keys)
        self._bare = tuple(key.replace("\\", "") for key in keys)
        self._literals = tuple(sorted(set(self._keys) | set(_values(others, shortest=8)), key=len)[::-1])
        self._escaped = re.compile("|".join(map(_with_escapes, keys))) if keys else None
        self._code = "\\u00" if all(character < "\u0100" for key in keys for character in key) else "\\u"

    @classmethod
    def of(cls, environ: Mapping[str, str], key_names: Iterable[str]) -> Redactor:
        """
        Take the keys' values from the environment, and all ``*_KEY``, ``*_TOKEN``, ``*_SECRET`` and
        ``*_PASSWORD`` of eight characters and more.
        """
        keys = frozenset(key_names)
        return cls(
            (environ[name] for name in keys if name in environ),
            others=(value for name, value in environ.items() if _SECRET_NAME.search(name)),
        )

    def scrub(self, text: str) -> str:
        """
        Return the text without secrets. Idempotent, and linear in the text's length.

        >>> Redactor(["my-own-key"]).scrub("my-own-key, Bearer abcdefghijklmnop0")
        '[redacted], Bearer [redacted]'
        """
        for value in self._literals:
            if value in text:
                text = text.replace(value, REDACTED)
        if self._escaped is not None and self._may_escape(text):
            text = self._escaped.sub(REDACTED, text)
        text = _scrub_shapes(_HEADERS, text, text.lower())
        return _scrub_shapes(_SHAPES, text, text)

    def scrub_json(self, value: Any) -> Any:
        """Scrub all strings of a JSON value; a field named like a secret loses its value altogether."""
        return _walk(value, self.scrub, depth=0)

    def contains_secret(self, text: str) -> bool:
        r"""
        Whether a text, or a line of JSON, still holds a configured key's value, also by escapes.

        >>> Redactor(["key-0001"]).contains_secret(r'{"text": "key\u002d0001"}')
        True
        """
        if any(value in text for value in self._keys):
            return True
        return self._escaped is not None and self._may_escape(text) and bool(self._escaped.search(text))

    def _may_escape(self, text: str) -> bool:
        """Whether the slower search for keys written with escapes can find anything."""
        if "\\" not in text:
            return False
        if self._code in text or "\\x" in text:
            return True
        bare = text.replace("\\", "")
        return any(key in bare for key in self._bare)


def _scrub_shapes(
    shapes: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...], text: str, searched: str
) -> str:
    for needles, pattern in shapes:
        for needle in needles:
            if needle not in searched:
                break
        else:
            text = pattern.sub(_CENSORED, text)
    return text


def _values(secrets: Iterable[str], *, shortest: int) -> list[str]:
    stripped = (value.strip() for value in secrets)
    placeholders = _PLACEHOLDERS.split()
    return sorted(
        {
            value
            for value in stripped
            if len(value) >= shortest and value.lower() not in placeholders and value not in REDACTED
        }
    )


def _spellings(values: Iterable[str]) -> tuple[str, ...]:
    """Return values with the other ways in which they are commonly written out."""
    ways: tuple[Callable[[str], str], ...] = (
        str,
        lambda value: quote(value, safe=""),
        lambda value: json.dumps(value)[1:-1],
        lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    )
    return tuple(sorted({way(value) for value in values for way in ways}))


def _with_escapes(value: str) -> str:
    """Return a pattern of the value with any of its characters written as an escape of JSON or Python."""
    return "".join(map(_character, value))


def _character(character: str) -> str:
    code = ord(character)
    spelled = [re.escape(character), rf"u(?i:{code:04x})"] if code < 0x10000 else [re.escape(character)]
    if code < 0x100:
        spelled.append(rf"x(?i:{code:02x})")
    return rf"(?:{re.escape(character)}|\\{{1,4}}(?:{'|'.join(spelled)}))"


def _walk(value: Any, scrub: Callable[[str], str], *, depth: int) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if depth > 50:
        return REDACTED  # nobody declares facts this deep
    if isinstance(value, Mapping):
        return {
            scrub(str(key)): REDACTED
            if _SECRET_FIELD.fullmatch(str(key)) and isinstance(item, str)
            else _walk(item, scrub, depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_walk(item, scrub, depth=depth + 1) for item in value]
    return value


def redact_reply(redactor: Redactor, reply: Reply) -> Reply:
    """Return the reply as it is kept and graded: text, served model, finish, errors and extra scrubbed."""
    return replace(
        reply,
        text=redactor.scrub(reply.text),
        served=None if reply.served is None else redactor.scrub(reply.served),
        finish=None if reply.finish is None else redactor.scrub(reply.finish),
        attempts=tuple(
            attempt if attempt.error is None else replace(attempt, error=redactor.scrub(attempt.error))
            for attempt in reply.attempts
        ),
        extra=redactor.scrub_json(reply.extra),
        trace=None if reply.trace is None else _redacted_trace(redactor, reply.trace),
    )


def _redacted_trace(redactor: Redactor, trace: Trace) -> Trace:
    """Return the trace with everything scrubbed that an agent, a program or a file wrote."""
    return replace(
        trace,
        error=None if trace.error is None else redactor.scrub(trace.error),
        tool_calls=tuple(
            replace(call, tool=redactor.scrub(call.tool), arguments=redactor.scrub(call.arguments))
            for call in trace.tool_calls
        ),
        policy_events=tuple(
            replace(event, detail=redactor.scrub(event.detail)) for event in trace.policy_events
        ),
        facts=redactor.scrub_json(trace.facts),
    )
