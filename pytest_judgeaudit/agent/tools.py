"""
The sandbox's tools: ``list``, ``read`` and ``grep``, offered to a model and answered from the clean copy.

Whatever a model writes gets an answer in words. What it was not allowed is denied when it calls, and noted.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_judgeaudit.agent.paths import Denied, located, shown
from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.agent.searching import LONGEST_LINE, NotSearched, search
from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.records.tools import ToolSpec, ToolUse
from pytest_judgeaudit.records.traces import PolicyCode, PolicyEvent, ToolCall, ToolOutcome

MOST_ENTRIES = 1000
MOST_LINES = 500
MOST_HITS = 200
MOST_CHARACTERS = 60_000
"""Bounds of one result; what is cut says so, and how to get the rest."""

MOST_BYTES = 16 * 2**20
"""A file above this is listed, but neither read nor searched."""

MOST_RECORDED = 1000
_LONGEST_ARGUMENTS = 500
_SNIFFED = 8192

_PATH = {"type": "string", "description": "relative to the root of the workspace; '.' is the root"}
SPECS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec(
            name="list",
            description="List the files and folders below a folder, with sizes in bytes.",
            parameters={"type": "object", "properties": {"path": _PATH}, "required": []},
        ),
        ToolSpec(
            name="read",
            description=f"Read a text file with line numbers, {MOST_LINES} lines from 'start' on.",
            parameters={
                "type": "object",
                "properties": {"path": _PATH, "start": {"type": "integer", "minimum": 1}},
                "required": ["path"],
            },
        ),
        ToolSpec(
            name="grep",
            description="Find the lines that match a regular expression, in one file or below a folder.",
            parameters={
                "type": "object",
                "properties": {"pattern": {"type": "string"}, "path": _PATH},
                "required": ["pattern"],
            },
        ),
    )
}
"""The tools by name; what an agent is offered is part of its answers' fingerprint."""


class _Refusal(Exception):  # noqa: N818 - a result in words, not a fault
    """A result that is no result: for the model, and where ``code`` is given for the record too."""

    def __init__(self, said: str, code: PolicyCode | None = None) -> None:
        super().__init__(said)
        self.code = code


class Toolbox:
    """
    The tools that one try of one answer may use; keeps what was called and what was denied.

    A blind sandbox grants none, whatever ``granted`` says. Not for several threads.
    """

    def __init__(self, sandbox: Sandbox, granted: Sequence[str]) -> None:
        self._sandbox = sandbox
        self.granted = () if sandbox.blind else tuple(name for name in SPECS if name in granted)
        self.calls: list[ToolCall] = []
        self.events: list[PolicyEvent] = []

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What to offer."""
        return tuple(SPECS[name] for name in self.granted)

    def call(self, use: ToolUse) -> str:
        """Return a tool's result, or what is wrong with the call; nothing that a model writes raises."""
        outcome: ToolOutcome = "ok"
        try:
            result = self._run(use)
        except _Refusal as error:
            outcome = "denied" if error.code else "failed"
            result = f"{'denied' if error.code else 'error'}: {error}"
            if error.code and len(self.events) < MOST_RECORDED:
                self.events.append(PolicyEvent(code=error.code, detail=_told(use)))
        if len(self.calls) < MOST_RECORDED:
            self.calls.append(
                ToolCall(
                    tool=printable(use.name, clip=100),
                    arguments=printable(use.raw, clip=_LONGEST_ARGUMENTS),
                    outcome=outcome,
                    characters=len(result),
                )
            )
        return result

    def _run(self, use: ToolUse) -> str:
        if use.name not in self.granted:
            there = ", ".join(self.granted) or "none"
            raise _Refusal(
                f"no tool {json.dumps(printable(use.name))} was granted; there are: {there}", "denied-tool"
            )
        if use.arguments is None:
            raise _Refusal("the arguments are no JSON object")
        result = _TOOLS[use.name](self._sandbox, use.arguments)
        if len(result) > MOST_CHARACTERS:
            result = f"{result[:MOST_CHARACTERS]}\n[cut after {MOST_CHARACTERS} characters]"
        return result


def _told(use: ToolUse) -> str:
    return f"{printable(use.name, clip=100)} {printable(use.raw, clip=200)}".strip()


def _path(sandbox: Sandbox, arguments: Mapping[str, Any]) -> str:
    """Return the name that the argument ``path`` means, the root where there is none."""
    written = arguments.get("path", ".")
    if not isinstance(written, str):
        raise _Refusal("path: expected a text")
    name = located(sandbox.names.get(written, written), sandbox.tree.files)
    if isinstance(name, Denied):
        raise _Refusal(f"{name.reason}; paths are relative to the root, '.' is the root", name.code)
    reason = next((why for left, why in sandbox.tree.skipped.items() if _within(name, left)), None)
    if reason == "symbolic link":
        raise _Refusal(f"{shown(name)} is a symbolic link, which is not followed", "link")
    if reason == "no regular file":
        raise _Refusal(f"{shown(name)} is no regular file", "special-file")
    # Whatever else was left out is not there: its name must not tell that it exists elsewhere.
    return sandbox.names.get(name, name)


def _within(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}/")


def _below(sandbox: Sandbox, folder: str) -> list[str]:
    prefix = f"{folder}/" if folder else ""
    return [name for name in sandbox.tree.files if name == folder or name.startswith(prefix)]


def list_files(sandbox: Sandbox, arguments: Mapping[str, Any]) -> str:
    """List what is below a folder, one line each."""
    folder = _path(sandbox, arguments)
    found = _below(sandbox, folder)
    if not found and folder:
        raise _Refusal(f"there is no {shown(folder)}")
    lines = [f"{shown(name)} ({sandbox.tree.files[name]} bytes)" for name in found[:MOST_ENTRIES]]
    more = len(found) - len(lines)
    return "\n".join([*lines, *([f"[{more} more: list a folder below]"] if more else [])]) or "(empty)"


def read_lines(sandbox: Sandbox, arguments: Mapping[str, Any]) -> str:
    """Read a file from a line on, every line with its number."""
    name = _path(sandbox, arguments)
    if name not in sandbox.tree.files:
        is_folder = bool(_below(sandbox, name))
        raise _Refusal(f"{shown(name) or '.'} is a folder" if is_folder else f"there is no {shown(name)}")
    start = arguments.get("start", 1)
    if not isinstance(start, int) or isinstance(start, bool) or start < 1:
        raise _Refusal("start: expected a whole number from 1 on")
    lines = _lines(sandbox, name)
    chosen = lines[start - 1 : start - 1 + MOST_LINES]
    if not chosen and lines:
        raise _Refusal(f"{shown(name)} has only {len(lines)} lines")
    numbered = [f"{number}\t{line[:LONGEST_LINE]}" for number, line in enumerate(chosen, start=start)]
    after = start + len(chosen)
    more = [f"[{len(lines) - after + 1} more lines: start = {after}]"] if after <= len(lines) else []
    return "\n".join([*numbered, *more]) or "(empty)"


def grep(sandbox: Sandbox, arguments: Mapping[str, Any]) -> str:
    """Find matching lines, each with file and number."""
    pattern, name = arguments.get("pattern"), _path(sandbox, arguments)
    if not isinstance(pattern, str):
        raise _Refusal("pattern: expected a text")
    names = _below(sandbox, name)
    texts = [[line[:LONGEST_LINE] for line in _searchable(sandbox, one)] for one in names]
    try:
        hits = search(pattern, texts, most=MOST_HITS)
    except NotSearched as error:
        raise _Refusal(f"pattern: {error}") from None
    lines = [
        f"{shown(names[hit.text])}:{hit.line + 1}:{texts[hit.text][hit.line]}" for hit in hits[:MOST_HITS]
    ]
    more = [f"[more than {MOST_HITS} lines match: narrow the pattern or the path]"]
    return "\n".join([*lines, *(more if len(hits) > MOST_HITS else [])]) or "(no line matches)"


def _searchable(sandbox: Sandbox, name: str) -> list[str]:
    try:
        return _lines(sandbox, name)
    except _Refusal:
        return []


def _lines(sandbox: Sandbox, name: str) -> list[str]:
    """Return a text file's lines; only a line feed ends one."""
    if sandbox.tree.files[name] > MOST_BYTES:
        raise _Refusal(f"{shown(name)} is larger than {MOST_BYTES >> 20} MiB and is not read")
    content = _content(sandbox, name)
    if b"\0" in content[:_SNIFFED]:
        raise _Refusal(f"{shown(name)} is a binary file of {len(content)} bytes and is not shown")
    text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _content(sandbox: Sandbox, name: str) -> bytes:
    """Read a file of the copy, which must still be the regular file that was copied."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(sandbox.path / name, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _Refusal(f"{shown(name)} is no regular file any more", "special-file")
            return file.read(MOST_BYTES)
    except OSError:
        raise _Refusal(f"{shown(name)} cannot be read") from None


_TOOLS: Mapping[str, Callable[[Sandbox, Mapping[str, Any]], str]] = {
    "list": list_files,
    "read": read_lines,
    "grep": grep,
}
