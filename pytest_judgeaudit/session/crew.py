"""The agents of a session: which are selected, what is known of them, and how each is reached."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.plans import AgentPlan
from pytest_judgeaudit.store.files import safe_name

if TYPE_CHECKING:
    from pytest_judgeaudit.agent.answering import Agent
    from pytest_judgeaudit.agent.conversations import Asker
    from pytest_judgeaudit.agent.streams import TraceFormat
    from pytest_judgeaudit.ask.limiter import Limiter
    from pytest_judgeaudit.settings.models import AgentSettings, Configuration

NO_AGENT = """no agent is configured. Write judgeaudit.toml beside your ini-file:
[[agent]]
name = "reader"
kind = "tools"
api = "openai"
model = "qwen2.5:32b"
base_url = "http://127.0.0.1:11434/v1"
tools = ["list", "read", "grep"]"""


class Crew:
    """
    The configured agents, narrowed by ``--agent``.

    ``asker`` opens the way to a model, ``limits`` names the folder of the lock files that all processes of
    a run share; ``traces`` are the trace formats of plug-ins. Raises UsageError for a name that is not
    configured, with the nearest one.
    """

    def __init__(
        self,
        configuration: Configuration,
        *,
        selected: Sequence[str],
        root: Path,
        asker: Callable[[AgentSettings], Asker],
        limits: Callable[[], Path],
        traces: Mapping[str, TraceFormat] | None = None,
    ) -> None:
        self._traces = traces or {}
        every = configuration.agents
        self._known = known = [agent.name for agent in every]
        for name in selected:
            if name not in known:
                names = ", ".join(known) or "none"
                raise pytest.UsageError(
                    f"--agent {name}: not configured; there are {names}.{nearest(name, known)}"
                )
        self._root = root
        self._asker, self._limits = asker, limits
        self._selected = {agent.name: agent for agent in every if not selected or agent.name in selected}
        self._built: dict[str, Agent] = {}
        self._lock = threading.Lock()
        self._opened: set[str] = set()

    def names(self, wanted: Sequence[str] | None = None) -> Sequence[str]:
        """Every selected agent, or those of the given names; Refused where none is configured."""
        if not self._known:
            raise Refused(NO_AGENT)
        for name in wanted or ():
            if name not in self._known:
                there = ", ".join(self._known)
                raise Refused(
                    f"agents: found {name!r}, expected configured agents; there are {there}."
                    f"{nearest(name, self._known)}"
                )
        found = [name for name in self._selected if wanted is None or name in wanted]
        self._opened.update(found)
        return found

    def plans(self) -> Sequence[AgentPlan]:
        """What the analysis needs to know of each selected agent."""
        chosen = [agent for name, agent in self._selected.items() if name in self._opened]
        return tuple(
            AgentPlan(
                name=agent.name,
                kind=agent.kind,
                family=agent.family or "",
                requested=agent.requested,
                served=agent.kind == "tools",
                price=_price(agent),
            )
            for agent in chosen
        )

    def settings(self, name: str) -> AgentSettings:
        """What is configured of a selected agent."""
        return self._selected[name]

    def to_ask(self) -> Sequence[AgentSettings]:
        """The selected agents that may have to be asked."""
        return tuple(agent for name, agent in self._selected.items() if name in self._opened)

    def models(self) -> Sequence[AgentSettings]:
        """The selected agents that are a model behind an API."""
        return tuple(agent for agent in self._selected.values() if agent.kind == "tools")

    def agent(self, name: str) -> Agent:
        """Return a selected agent, built once."""
        from pytest_judgeaudit.agent.building import build_agent
        from pytest_judgeaudit.agent.streams import TRACES

        with self._lock:
            if name not in self._built:
                self._built[name] = build_agent(
                    self._selected[name],
                    root=self._root,
                    environ=_environment(),
                    asker=self._asker,
                    limiter=self._limiter(self._selected[name]),
                    traces={**TRACES, **self._traces},
                )
            return self._built[name]

    def ready(self) -> None:
        """Make every agent that tests ask for. Refused, before anything is asked: what cannot be made."""
        for name in self._opened:
            self.agent(name).ready()

    def _limiter(self, agent: AgentSettings) -> Limiter:
        from pytest_judgeaudit.ask.limiter import Limiter

        limits = agent.limits
        return Limiter(
            self._limits(), f"agent-{safe_name(agent.name)}", limits.in_flight, limits.per_minute
        )

    def stop(self) -> None:
        """Begin no new try of any agent."""
        with self._lock:
            for agent in self._built.values():
                agent.stop()

    def pytest_unconfigure(self) -> None:
        """Let go of connections and of programs."""
        with self._lock:
            for agent in self._built.values():
                agent.close()


def _environment() -> Mapping[str, str]:
    return os.environ


def _price(agent: AgentSettings) -> tuple[float, float] | None:
    prompt, completion = agent.price.prompt, agent.price.completion
    return None if prompt is None or completion is None else (prompt, completion)
