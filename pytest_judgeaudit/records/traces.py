"""What an agent did while it answered, what it was not allowed to do, and how that was made sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

AgentOutcome = Literal["ok", "timeout", "error", "refusal", "unavailable", "contaminated", "host_stalled"]
"""
How an item ended. ``timeout`` and ``refusal`` count against the agent; ``error``, ``unavailable``,
``contaminated`` and ``host_stalled`` are void.
"""

VOID: frozenset[AgentOutcome] = frozenset({"error", "unavailable", "contaminated", "host_stalled"})
"""What is outside every rate."""

REPEATED: frozenset[AgentOutcome] = frozenset({"error", "host_stalled"})
"""What the next live run asks again: nothing was measured, and the answer is not to blame."""

SILENT: frozenset[AgentOutcome] = frozenset({"timeout", "error", "host_stalled"})
"""Tries that brought no reply: none that could state a model or tell of tools."""

ToolOutcome = Literal["ok", "denied", "failed", "unknown"]
"""``unknown``: a foreign trace that does not say."""

PolicyCode = Literal[
    "denied-tool",
    "outside-path",
    "link",
    "special-file",
    "outside-open",
    "outside-list",
    "write",
    "network",
    "process",
    "thread",
    "native-code",
    "introspection",
    "descriptor",
    "changed-sandbox",
    "late-action",
    "denied-permission",
]

EnforcementState = Literal["enforced", "in process", "not enforced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool: its arguments, cut where they are long, and the length of what came back."""

    tool: str
    arguments: str = ""
    outcome: ToolOutcome = "ok"
    characters: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEvent:
    """Something that an agent tried and was not allowed; ``detail`` is bounded and printable."""

    code: PolicyCode
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One probe that was really run: an attempt that has to fail, or the view that has to be there."""

    name: str
    held: bool
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enforcement:
    """
    What kept an agent in its sandbox, and how that was verified.

    ``mechanism`` is ``tool surface``, ``bubblewrap``, ``audit hook`` or ``none``. ``in process`` is no
    boundary: code that means to get out can. ``reason`` says why something is not enforced.
    """

    mechanism: str
    state: EnforcementState
    network: bool = False
    checks: tuple[Check, ...] = ()
    reason: str = ""

    @property
    def verified(self) -> bool:
        """Whether something is enforced, was probed, and every probe held."""
        return self.state != "not enforced" and bool(self.checks) and all(one.held for one in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """An agent's doings of one answer, over all of its attempts."""

    outcome: AgentOutcome
    arm: str
    corpus: str
    enforcement: Enforcement
    tool_calls: tuple[ToolCall, ...] = ()
    policy_events: tuple[PolicyEvent, ...] = ()
    error: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_tool(self) -> Mapping[str, int]:
        """How often each tool was called, denied calls too, in the order of their names."""
        return dict(sorted(Counter(call.tool for call in self.tool_calls).items()))
