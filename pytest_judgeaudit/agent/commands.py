"""
Agents of kind ``command``: a program that gets the prompt as an argument and prints its answer.

It runs in a box of bubblewrap's where that works (:mod:`~pytest_judgeaudit.agent.boxes`), and is probed
there before it is let in. Elsewhere it runs in the sandbox's folder with a scrubbed environment, and its
answers say that nothing was enforced.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from pytest_judgeaudit.agent.answering import Try, timed_out
from pytest_judgeaudit.agent.boxes import Box, checked_binds, parts_of, refuse_hidden
from pytest_judgeaudit.agent.boxprobe import clean_environment, probe_box
from pytest_judgeaudit.agent.probing import Remembered
from pytest_judgeaudit.agent.processes import Finished, Processes
from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.agent.streams import TRACES, TraceFormat
from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.corpora.found import printable, quoted
from pytest_judgeaudit.records.agents import AgentRequest
from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.traces import Enforcement
from pytest_judgeaudit.settings.models import AgentSettings

PROMPT = "{prompt}"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SHOWN = 300


class CommandKind:
    """
    A program of the user's. Safe to use from several threads.

    Refused: a program that is not there, a bind that is missing or shows too much, a declared variable
    that is not set, a trace format that nobody knows, a command without ``{prompt}``.
    """

    def __init__(
        self,
        settings: AgentSettings,
        *,
        environ: Mapping[str, str],
        world: World | None = None,
        traces: Mapping[str, TraceFormat] = TRACES,
        bubblewrap: str | None = None,
    ) -> None:
        who = f"agent {settings.name}"
        if not any(PROMPT in argument for argument in settings.command):
            raise Refused(f'{who}: command: no argument holds "{PROMPT}". Write it where the prompt goes.')
        name = settings.trace or "none"
        if name not in traces:
            raise Refused(
                f"{who}: trace: no format is called {quoted(name)}; there are {', '.join(traces)}."
                f"{nearest(name, traces)}"
            )
        self._settings = settings
        self._trace = traces[name]
        self._world = world or World()
        self._declared = _declared(settings, environ)
        self._search = _absolute_folders(environ.get("PATH", os.defpath))
        self._parts = parts_of(settings.command, path=self._search)
        self._program = str(Path(shutil.which(settings.command[0], path=self._search) or "").absolute())
        self._bubblewrap = bubblewrap or shutil.which("bwrap", path=self._search)
        self._known = Remembered()
        self._processes = Processes()

    def describe(self, sandbox: Sandbox) -> Mapping[str, Any]:  # noqa: ARG002 - as every kind
        """Return the program's name and its arguments, absolute paths reduced to their last part."""
        return describe_command(self._settings)

    def enforcement(self, sandbox: Sandbox) -> Enforcement:
        """Return the process boundary of this sandbox, probed by a program of ours in the same box."""
        box = self._box(sandbox)
        return self._known.get(sandbox, lambda: probe_box(box, sandbox, program=self._bubblewrap))

    def attempt(self, request: AgentRequest, sandbox: Sandbox) -> Try:
        """Run the program once."""
        command = [argument.replace(PROMPT, request.prompt) for argument in self._settings.command[1:]]
        limit, begun = self._settings.limits.timeout, self._world.monotonic()
        try:
            done = self._run([self._program, *command], sandbox, limit)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            return Try(outcome="error", error=f"the program could not be started: {printable(reason)}")
        elapsed = self._world.monotonic() - begun
        if done.timed_out:
            return Try(
                outcome=timed_out(limit_s=limit, elapsed_s=elapsed),
                error=f"no answer within {limit:g} s, ended after {elapsed:.1f} s",
                calls=self._trace.read(_text(done.output)).calls,
            )
        return self._read(done)

    def _run(self, command: Sequence[str], sandbox: Sandbox, limit_s: float) -> Finished:
        boxed = self.enforcement(sandbox).mechanism == "bubblewrap"
        if boxed and self._bubblewrap is not None:
            box = self._box(sandbox)
            whole = box.arguments(self._bubblewrap, command)
            return self._processes.run(
                [_bytes(one) for one in whole], folder=sandbox.path, env=box.env, limit_s=limit_s
            )
        with tempfile.TemporaryDirectory(prefix="home-", ignore_cleanup_errors=True) as home:
            env = clean_environment(self._declared, path=self._path(), home=home)
            return self._processes.run(
                [_bytes(one) for one in command], folder=sandbox.path, env=env, limit_s=limit_s
            )

    def _box(self, sandbox: Sandbox) -> Box:
        binds = checked_binds(self._settings.binds, hidden=sandbox.hidden)
        refuse_hidden(self._parts, hidden=sandbox.hidden)
        return Box(
            sandbox=sandbox.path,
            binds=tuple(dict.fromkeys([*self._parts, *binds])),
            hidden=sandbox.hidden,
            keep_out=(*sandbox.sources, *sandbox.keep_out),
            network=self._settings.network,
            env=clean_environment(self._declared, path=self._path()),
        )

    def _path(self) -> str:
        return f"{Path(self._program).parent}:{_PATH}"

    def _read(self, done: Finished) -> Try:
        stream = self._trace.read(_text(done.output))
        error = stream.error
        if done.overflow:
            error = "the program wrote too much and was ended"
        elif done.code != 0:
            said = printable(_text(done.errors).strip()[-_SHOWN:], clip=_SHOWN)
            error = f"the program ended with status {done.code}: {said or stream.error or 'no message'}"
        return Try(
            outcome="ok" if error is None else "error",
            text=stream.text if error is None else "",
            # Without a model of its own the agent is its program, and that is what serves.
            served=stream.served or (None if self._settings.model else self._settings.name),
            usage=stream.usage,
            calls=stream.calls,
            events=stream.events,
            error=error,
            facts=stream.facts,
        )

    def stop(self) -> None:
        """End the programs that run."""
        self._processes.stop()

    def close(self) -> None:
        """Do nothing: nothing is held between two answers."""


def describe_command(settings: AgentSettings) -> Mapping[str, Any]:
    """Return a program's name and its arguments, absolute paths reduced to their last part."""
    command = tuple(_portable(argument) for argument in settings.command)
    trace = settings.versioned("trace") if settings.trace else "none"
    return {"endpoint": f"command {command[0]}", "tools": (), "command": (*command, f"trace={trace}")}


def _declared(settings: AgentSettings, environ: Mapping[str, str]) -> dict[str, str]:
    for name in settings.env:
        if name not in environ:
            raise Refused(
                f"agent {settings.name}: env: the environment variable {name} is not set. "
                "Set it where pytest runs."
            )
    return {name: environ[name] for name in settings.env}


def _absolute_folders(path: str) -> str:
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if Path(folder).is_absolute())


def _portable(argument: str) -> str:
    """
    Return an argument without the folders that differ between machines.

    >>> _portable("/usr/bin/python3"), _portable("--file=/home/me/x.toml"), _portable("{prompt}")
    ('python3', '--file=x.toml', '{prompt}')
    """
    head, equals, tail = argument.rpartition("=") if argument.startswith("-") else ("", "", argument)
    return f"{head}{equals}{PurePath(tail).name}" if PurePath(tail).is_absolute() else argument


def _bytes(text: str) -> bytes:
    # Lone surrogates, which a prompt may hold, have no place in the system's own encoding.
    return text.encode("utf-8", "surrogatepass")


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")
