"""
Agents of kind ``python``: ``callable = "module:function"``, called with the prompt and the sandbox.

What the function gets of the sandbox is a :class:`View`: its ``path``, ``arm``, and the tools as methods.

The function returns the answer's text, or a mapping with ``text`` and, optionally, ``served``, ``usage``
(``{"prompt": …, "completion": …}`` in tokens) and ``tools`` (calls by tool). It runs in this process, in a
thread of its own, behind an audit hook (:mod:`~pytest_judgeaudit.agent.guards`), which its answers say.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_judgeaudit.agent.answering import Try, timed_out
from pytest_judgeaudit.agent.guards import Guard, guarded, ours
from pytest_judgeaudit.agent.probing import Remembered, canary
from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.agent.tools import SPECS, Toolbox
from pytest_judgeaudit.ask.functions import load_function, worded
from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.corpora.found import found, printable
from pytest_judgeaudit.records.agents import AgentRequest
from pytest_judgeaudit.records.tools import ToolUse
from pytest_judgeaudit.records.traces import Check, Enforcement, PolicyEvent, ToolCall
from pytest_judgeaudit.records.verdicts import Usage, is_count
from pytest_judgeaudit.settings.models import AgentSettings

KEYS = ("text", "served", "usage", "tools")
_MOST_CALLS = 1000


class _Wrong(Exception):  # noqa: N818 - reads as what it is
    """A result of another form; the message says which."""


class View:
    """
    The sandbox as a function sees it.

    ``path`` is the folder, to be read by whatever means; the tools answer in words, as they do to a model,
    and what is called is counted.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.path = sandbox.path
        self.arm = sandbox.arm
        self._box = Toolbox(sandbox, tuple(SPECS))

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<sandbox {self.arm}>"

    def list(self, path: str = ".") -> str:
        """List the files below a folder."""
        return self._call("list", path=path)

    def read(self, path: str, *, start: int = 1) -> str:
        """Read a file, with line numbers, from a line on."""
        return self._call("read", path=path, start=start)

    def grep(self, pattern: str, path: str = ".") -> str:
        """Find the lines that match a regular expression."""
        return self._call("grep", pattern=pattern, path=path)

    def _call(self, tool: str, **arguments: Any) -> str:
        raw = json.dumps(arguments, default=str)
        with ours():
            return self._box.call(ToolUse(id=tool, name=tool, arguments=arguments, raw=raw))

    def used(self) -> tuple[tuple[ToolCall, ...], tuple[PolicyEvent, ...]]:
        """Return what was called, and what of it was denied."""
        return tuple(self._box.calls), tuple(self._box.events)


class PythonKind:
    """
    A function of the user's; as safe to use from several threads as it is itself.

    Refused: a ``callable`` that is malformed, cannot be imported from ``root``, or is no function.
    """

    def __init__(self, settings: AgentSettings, *, root: Path, world: World | None = None) -> None:
        self._settings = settings
        self._function = load_function(settings.callable or "", who=f'agent "{settings.name}"', root=root)
        self._world = world or World()
        self._known = Remembered()

    def describe(self, sandbox: Sandbox) -> Mapping[str, Any]:  # noqa: ARG002 - as every kind
        """Return the function's name."""
        return describe_function(self._settings)

    def enforcement(self, sandbox: Sandbox) -> Enforcement:
        """Return the audit hook, probed with attempts to leave this very sandbox."""
        return self._known.get(sandbox, lambda: self._probed(sandbox))

    def attempt(self, request: AgentRequest, sandbox: Sandbox) -> Try:
        """Call the function once; after its time is up it may run on, but do nothing more."""
        guard, limit, view = self._guard(sandbox), self._settings.limits.timeout, View(sandbox)
        outcome: list[Any] = []
        thread = threading.Thread(
            target=_called, args=(self._function, request.prompt, view, guard, outcome), daemon=True
        )
        begun = self._world.monotonic()
        thread.start()
        thread.join(limit)
        elapsed = self._world.monotonic() - begun
        if not outcome:
            guard.closed = True
            brought = Try(
                outcome=timed_out(limit_s=limit, elapsed_s=elapsed),
                error=f"no answer within {limit:g} s, given up after {elapsed:.1f} s",
            )
        else:
            brought = self._read(*outcome)
        calls, events = view.used()
        return replace(brought, calls=(*calls, *brought.calls), events=(*guard.events, *events))

    def _guard(self, sandbox: Sandbox) -> Guard:
        hidden = (*sandbox.hidden, *sandbox.sources)
        return Guard(sandbox.path, hidden=hidden, network=self._settings.network)

    def _read(self, error: BaseException | None, result: object) -> Try:
        name = self._settings.callable
        if error is not None:
            return Try(outcome="error", error=f"{name} raised {worded(error)}")
        fields: Any = {"text": result} if isinstance(result, str) else result
        try:
            text, served = _texts(fields)
            return Try(
                outcome="ok",
                text=text,
                # Without a model of its own the agent is its function, and that is what serves.
                served=served or (None if self._settings.model else self._settings.name),
                usage=_usage(fields.get("usage")),
                calls=_calls(fields.get("tools")),
            )
        except _Wrong as wrong:
            return Try(outcome="error", error=f"{name} returned {wrong}")

    def _probed(self, sandbox: Sandbox) -> Enforcement:
        with canary(sandbox) as bird:
            checks = tuple(_attempts(self._guard(sandbox), bird.file, sandbox, self._settings.network))
        failed = [check.name for check in checks if not check.held]
        return Enforcement(
            mechanism="audit hook",
            state="not enforced" if failed else "in process",
            network=self._settings.network,
            checks=checks,
            reason=f"a probe found: {', '.join(failed)}" if failed else "",
        )

    def stop(self) -> None:
        """Do nothing: a function cannot be ended from outside."""

    def close(self) -> None:
        """Do nothing: nothing is held between two answers."""


def describe_function(settings: AgentSettings) -> Mapping[str, Any]:
    """Return a function's name."""
    return {"endpoint": f"python {settings.callable}", "tools": ()}


def _called(
    function: Callable[[str, View], object],
    prompt: str,
    view: View,
    guard: Guard,
    outcome: list[Any],
) -> None:
    """Run in a thread of its own, so that no frame below holds the question and its key."""
    try:
        with guarded(guard):
            result = function(prompt, view)
        outcome[:] = [None, result]
    # pytest.fail and pytest.skip are no Exceptions, and a thread's exception would be printed.
    except BaseException as error:  # noqa: BLE001
        outcome[:] = [error, None]


def _attempts(guard: Guard, file: Path, sandbox: Sandbox, network: bool) -> Iterator[Check]:
    """Try to get out in every way that the hook should see."""
    ways: dict[str, Callable[[], object]] = {
        "opening a file outside is denied": lambda: file.read_text(encoding="ascii"),
        "opening one by a descriptor is denied": lambda: os.open(file, os.O_RDONLY),
        "listing a folder outside is denied": lambda: os.listdir(file.parent),  # noqa: PTH208
        "writing into the sandbox is denied": lambda: (sandbox.path / "probe.txt").write_text("x"),
        "starting a program is denied": lambda: subprocess.run([sys.executable, "-V"], check=True),
        "changing the folder to one outside is denied": lambda: os.chdir(file.parent),
    }
    if not network:
        ways["reaching the network is denied"] = lambda: sys.audit("socket.connect", None, ("192.0.2.1", 9))
    for name, way in ways.items():
        with guarded(guard):
            guard.closed = False
            before = len(guard.events)
            with suppress(OSError):
                way()
        yield Check(name=name, held=len(guard.events) == before + 1)


def _texts(fields: Any) -> tuple[str, str | None]:
    if not isinstance(fields, Mapping) or not isinstance(fields.get("text"), str):
        raise _Wrong(f"{found(fields)}, expected a text or a mapping with text")
    unknown = next((key for key in fields if key not in KEYS), None)
    if unknown is not None:
        raise _Wrong(f"the key {found(unknown)}; there are {', '.join(KEYS)}")
    served = fields.get("served")
    if not isinstance(served, str | None):
        raise _Wrong(f"served {found(served)}, expected a text")
    return fields["text"], served


def _usage(stated: object) -> Usage | None:
    if stated is None:
        return None
    counts = stated if isinstance(stated, Mapping) else {}
    numbers = {name: counts.get(name, 0) for name in ("prompt", "completion")}
    whole = all(map(is_count, numbers.values()))
    if not counts or not whole or any(key not in numbers for key in counts):
        raise _Wrong(f"usage {found(stated)}, expected prompt and completion in tokens")
    return Usage(**numbers)


def _calls(stated: object) -> tuple[ToolCall, ...]:
    if stated is None:
        return ()
    counts = stated if isinstance(stated, Mapping) else {}
    if not counts or not all(map(is_count, counts.values())):
        raise _Wrong(f"tools {found(stated)}, expected how often each tool was called")
    calls = [
        ToolCall(tool=printable(str(tool), clip=100), outcome="unknown")
        for tool, count in counts.items()
        for _ in range(min(count, _MOST_CALLS))
    ]
    return tuple(calls[:_MOST_CALLS])
