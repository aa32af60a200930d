"""One answer of one agent, whatever its kind: tries, their windows, and the reply that is kept of them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.ask.flights import UNWATCHED, Flight
from pytest_judgeaudit.ask.limiter import Limiter
from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.records.agents import AgentRequest
from pytest_judgeaudit.records.answers import Attempt, AttemptOutcome, Reply
from pytest_judgeaudit.records.errors import Unanswered
from pytest_judgeaudit.records.traces import (
    AgentOutcome,
    Enforcement,
    PolicyEvent,
    ToolCall,
    Trace,
)
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.settings.models import AgentSettings

STALL = 1.5
"""A timer of one second that fires after more than so many has measured the machine, not the agent."""

_AS_ATTEMPT: Mapping[AgentOutcome, AttemptOutcome] = {
    "ok": "answered",
    "refusal": "answered",
    "timeout": "timeout",
    "host_stalled": "host_stalled",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """What one try of one answer brought; ``status`` is that of the call that ended it in vain."""

    outcome: AgentOutcome
    text: str = ""
    served: str | None = None
    finish: str | None = None
    usage: Usage | None = None
    calls: Sequence[ToolCall] = ()
    events: Sequence[PolicyEvent] = ()
    error: str | None = None
    status: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


class Kind(Protocol):
    """One kind of agent: ``tools``, ``command`` or ``python``."""

    def describe(self, sandbox: Sandbox) -> Mapping[str, Any]:
        """Return the parts of a request that this kind knows: endpoint, tools, instructions, command."""

    def enforcement(self, sandbox: Sandbox) -> Enforcement:
        """Return what keeps the agent in a sandbox, probed once and then remembered."""

    def attempt(self, request: AgentRequest, sandbox: Sandbox) -> Try:
        """Try once; whatever an agent does wrong is an outcome, not an exception."""

    def stop(self) -> None:
        """Begin no new try, and end what can be ended."""

    def close(self) -> None:
        """Let go of what is held."""


@runtime_checkable
class Waiting(Protocol):
    """A kind that is made later."""

    def ready(self) -> None:
        """Make it now."""


class Agent:
    """
    One configured agent; as safe to use from several threads as its kind is.

    ``limiter`` bounds the tries of the whole run; it is for kinds that do not ask a service through one.
    """

    def __init__(
        self,
        settings: AgentSettings,
        kind: Kind,
        *,
        limiter: Limiter | None = None,
        world: World | None = None,
    ) -> None:
        self.settings = settings
        self._kind = kind
        self._limiter = limiter
        self._world = world or World()
        self._stopping = threading.Event()

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.settings.name

    def request(self, prompt: str, sandbox: Sandbox, *, replicate: int = 1) -> AgentRequest:
        """Return what :meth:`answer` is asked, for the fingerprint; nothing is started."""
        return AgentRequest(
            prompt=prompt,
            corpus=sandbox.digest,
            arm=sandbox.arm,
            model=self.settings.model or self.settings.name,
            decoder=self.settings.decoding,
            replicate=replicate,
            **self._kind.describe(sandbox),
        )

    def ready(self) -> None:
        """Make what will be asked; Refused, whatever its kind refuses. Nothing is asked yet."""
        if isinstance(self._kind, Waiting):
            self._kind.ready()

    def enforcement(self, sandbox: Sandbox) -> Enforcement:
        """Return what keeps this agent in a sandbox, and the probes that were run to see that."""
        return self._kind.enforcement(sandbox)

    def answer(self, request: AgentRequest, sandbox: Sandbox, flight: Flight = UNWATCHED) -> Reply:
        """
        Ask once, and again after a time-out for as long as ``limits.attempts`` allows.

        Only a time-out is repeated here: nothing that was said, and no error, which would come again. All
        tries are in the reply. Unanswered, with the attempts, where the run was stopped meanwhile.
        """
        enforcement = self._kind.enforcement(sandbox)
        attempts: list[Attempt] = []
        tries: list[Try] = []
        again = True
        while again:
            with self._limiter or nullcontext():
                self._refuse_when_stopped(attempts)
                flight.departs(attempts)
                started = self._world.clock()
                found = self._checked(self._kind.attempt(request, sandbox), sandbox)
                tries.append(found)
                attempts.append(self._record(started, found))
                again = found.outcome == "timeout" and len(tries) < self.settings.limits.attempts
                if not again:
                    flight.landed(attempts, found.served)
            self._refuse_when_stopped(attempts)
        return _reply(tries, attempts, request, enforcement)

    def stop(self) -> None:
        """Begin no new try; a program that runs is ended."""
        self._stopping.set()
        if self._limiter is not None:
            self._limiter.stop()
        self._kind.stop()

    def close(self) -> None:
        """Let go of connections and temporary files."""
        self._kind.close()

    def _refuse_when_stopped(self, attempts: Sequence[Attempt]) -> None:
        if self._stopping.is_set():
            raise Unanswered(f"{self.name}: the run was stopped before an answer came", tuple(attempts))

    def _checked(self, found: Try, sandbox: Sandbox) -> Try:
        """Note what the agent changed in the sandbox, which later answers would see."""
        changed = sandbox.changed()
        if not changed:
            return found
        detail = f"{len(changed)} files or folders, {changed[0]!a:.200} for one"
        return replace(found, events=(*found.events, PolicyEvent(code="changed-sandbox", detail=detail)))

    def _record(self, started: float, found: Try) -> Attempt:
        return Attempt(
            started=started,
            ended=max(started, self._world.clock()),
            outcome=_AS_ATTEMPT.get(found.outcome, "failed"),
            status=found.status,
            error=found.error,
            usage=found.usage,
            load=self._world.load(),
        )


def timed_out(*, limit_s: float, elapsed_s: float) -> AgentOutcome:
    """
    Tell a time-out, which counts against the agent, from a machine that stood still (METHODS 5).

    >>> timed_out(limit_s=1, elapsed_s=1.1), timed_out(limit_s=1, elapsed_s=3.4)
    ('timeout', 'host_stalled')
    """
    return "host_stalled" if elapsed_s > STALL * limit_s else "timeout"


def total(usages: Sequence[Usage | None]) -> Usage | None:
    """
    Add up the tokens of calls; those that stated none are counted, and None where no call stated any.

    >>> total([Usage(prompt=3, completion=1), None]), total([None, None])
    (Usage(prompt=3, completion=1, unknown_calls=1), None)
    """
    if all(usage is None for usage in usages):
        return None
    return sum((Usage(unknown_calls=1) if one is None else one for one in usages), start=Usage())


def _reply(
    tries: Sequence[Try], attempts: Sequence[Attempt], request: AgentRequest, enforcement: Enforcement
) -> Reply:
    """Put all tries into one reply; what was said is what the last one said."""
    last = tries[-1]
    return Reply(
        text=last.text,
        served=last.served,
        finish=last.finish,
        usage=total([one.usage for one in tries]),
        attempts=tuple(attempts),
        trace=Trace(
            outcome=last.outcome,
            arm=request.arm,
            corpus=request.corpus,
            enforcement=enforcement,
            tool_calls=tuple(call for one in tries for call in one.calls),
            policy_events=tuple(event for one in tries for event in one.events),
            error=last.error,
            facts=last.facts,
        ),
    )
