"""From an ``[[agent]]`` table to an agent that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pytest_judgeaudit.agent.answering import Agent, Kind
from pytest_judgeaudit.agent.commands import CommandKind, describe_command
from pytest_judgeaudit.agent.conversations import Asker, ToolsKind, describe_model
from pytest_judgeaudit.agent.deferring import Deferred
from pytest_judgeaudit.agent.functions import PythonKind, describe_function
from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.agent.streams import TRACES, TraceFormat
from pytest_judgeaudit.ask.limiter import Limiter
from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.settings.models import AgentSettings


def build_agent(
    settings: AgentSettings,
    *,
    root: Path,
    environ: Mapping[str, str],
    asker: Callable[[AgentSettings], Asker],
    limiter: Limiter | None = None,
    world: World | None = None,
    traces: Mapping[str, TraceFormat] = TRACES,
) -> Agent:
    """
    Return the agent of a table. Nothing is imported, opened or looked for until it is asked.

    ``root`` is where a function's module is imported from. ``asker`` opens the way to a model, for
    ``tools`` agents only, whose every request then passes the asker's own limiter; ``limiter`` bounds the
    others. ``traces`` are all trace formats. What the kind refuses is refused when the agent is asked.
    """

    def make() -> Kind:
        if settings.kind == "tools":
            return ToolsKind(settings, asker(settings), world=world)
        if settings.kind == "command":
            return CommandKind(settings, environ=environ, world=world, traces=traces)
        return PythonKind(settings, root=root, world=world)

    described = partial(_describe, settings)
    own = None if settings.kind == "tools" else limiter
    return Agent(settings, Deferred(described, make), limiter=own, world=world)


def _describe(settings: AgentSettings, sandbox: Sandbox) -> Mapping[str, Any]:
    if settings.kind == "tools":
        return describe_model(settings, sandbox)
    return describe_command(settings) if settings.kind == "command" else describe_function(settings)
