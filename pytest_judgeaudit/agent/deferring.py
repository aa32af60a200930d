"""A kind of agent that is made when it is first asked: a replay needs no program, module, key or client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from pytest_judgeaudit.agent.answering import Kind, Try
from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.records.agents import AgentRequest
from pytest_judgeaudit.records.traces import Enforcement


class Deferred:
    """
    Stands for a kind until it is asked. Safe to use from several threads.

    ``describe`` returns the parts of a request without making anything, ``make`` the kind itself; what it
    refuses is refused each time alike.
    """

    def __init__(self, describe: Callable[[Sandbox], Mapping[str, Any]], make: Callable[[], Kind]) -> None:
        self._describe = describe
        self._make = make
        self._made: Kind | None = None
        self._lock = threading.Lock()

    def describe(self, sandbox: Sandbox) -> Mapping[str, Any]:
        """Return what the kind would."""
        return self._describe(sandbox)

    def ready(self) -> None:
        """Make the kind."""
        self._kind()

    def enforcement(self, sandbox: Sandbox) -> Enforcement:
        """Return what keeps the agent in a sandbox."""
        return self._kind().enforcement(sandbox)

    def attempt(self, request: AgentRequest, sandbox: Sandbox) -> Try:
        """Try once."""
        return self._kind().attempt(request, sandbox)

    def stop(self) -> None:
        """Stop what was made."""
        if self._made is not None:
            self._made.stop()

    def close(self) -> None:
        """Let go of what was made."""
        if self._made is not None:
            self._made.close()

    def _kind(self) -> Kind:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made
