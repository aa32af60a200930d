"""From an ``[[agent]]`` table to an agent that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_judgeaudit.agent.answering import Agent, Kind
from pytest_judgeaudit.agent.commands import CommandKind
from pytest_judgeaudit.agent.conversations import Asker, ToolsKind
from pytest_judgeaudit.agent.functions import PythonKind
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
    Return the agent of a table; a function is imported now, nothing else is started.

    ``root`` is where its module is imported from. ``asker`` opens the way to a model, for ``tools`` agents
    only, whose every request then passes the asker's own limiter; ``limiter`` bounds the others. Refused:
    whatever the kind refuses.
    """
    kind: Kind
    if settings.kind == "tools":
        return Agent(settings, ToolsKind(settings, asker(settings), world=world), world=world)
    if settings.kind == "command":
        kind = CommandKind(settings, environ=environ, world=world, traces=traces)
    else:
        kind = PythonKind(settings, root=root, world=world)
    return Agent(settings, kind, limiter=limiter, world=world)
