"""Whether a stored answer of an agent still answers what is asked, and which part moved where not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pytest_judgeaudit.records.agents import AgentRequest
from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.traces import REPEATED

State = Literal["current", "stale", "unverifiable", "missing", "void"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """
    How a stored answer stands to a request.

    ``current``: it answers just this. ``stale``: another request, ``moved`` names the parts in which it
    differs. ``unverifiable``: the line holds no fingerprint or no digest of its prompt, so nothing can be
    said. ``void``: this request, but nothing was measured; a live run asks again. ``missing``: no line.
    """

    state: State
    moved: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether a run may grade it; a void answer is shown as what it is."""
        return self.state in ("current", "void")

    @property
    def asks_again(self) -> bool:
        """Whether a live run has to ask."""
        return self.state != "current"

    def line(self, name: str) -> str:
        """Say it in one line, with what to do."""
        told = f"the stored answer for {name}"
        moved = ", ".join(self.moved)
        said = {
            "missing": f"no stored answer for {name}. Ask for it",
            "stale": f"{told} is stale: {moved or 'the request'} moved. Ask again",
            "unverifiable": f"{told} holds no {moved}: nothing shows what it answered. Ask again",
            "void": f"{told} measured nothing. Ask again",
            "current": f"{told} is current. Ask again",
        }[self.state]
        return f"{said} with {'--judge-live-all' if self.state == 'current' else '--judge-live'}."


def standing(stored: StoredAnswer | None, request: AgentRequest) -> Standing:
    """
    Compare a stored answer with what is asked now: prompt, corpus, arm, tools, model, endpoint, decoder,
    command, instructions, replicate.

    What cannot be checked is not taken as checked: an answer without a fingerprint, or without the digest
    of its prompt, is refused even where everything else agrees.
    """
    if stored is None:
        return Standing(state="missing")
    lacking = [
        what
        for what, value in (
            ("fingerprint", stored.fingerprint),
            ("prompt digest", stored.parts.get("prompt")),
        )
        if not value
    ]
    if lacking:
        return Standing(state="unverifiable", moved=tuple(lacking))
    now = request.parts()
    moved = tuple(name for name in {**now, **stored.parts} if stored.parts.get(name) != now.get(name))
    if moved or stored.fingerprint != request.fingerprint():
        return Standing(state="stale", moved=moved)
    trace = stored.reply.trace
    void = trace is not None and trace.outcome in REPEATED
    return Standing(state="void" if void else "current")
