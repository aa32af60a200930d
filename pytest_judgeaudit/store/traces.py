"""An agent's trace as JSON inside the line of its answer, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pytest_judgeaudit.records.traces import (
    AgentOutcome,
    Check,
    Enforcement,
    EnforcementState,
    PolicyEvent,
    ToolCall,
    Trace,
)

_OUTCOMES = frozenset(get_args(AgentOutcome))
_STATES = frozenset(get_args(EnforcementState))


def trace_json(trace: Trace) -> dict[str, Any]:
    """Return a trace as plain JSON; ``tools`` counts calls by tool for whoever reads the file."""
    enforcement = trace.enforcement
    return {
        "outcome": trace.outcome,
        "arm": trace.arm,
        "corpus": trace.corpus,
        "tools": dict(trace.by_tool),
        "tool_calls": [
            {
                "tool": one.tool,
                "arguments": one.arguments,
                "outcome": one.outcome,
                "characters": one.characters,
            }
            for one in trace.tool_calls
        ],
        "policy_events": [{"code": one.code, "detail": one.detail} for one in trace.policy_events],
        "enforcement": {
            "mechanism": enforcement.mechanism,
            "state": enforcement.state,
            "network": enforcement.network,
            "checks": [
                {"name": one.name, "held": one.held, "detail": one.detail} for one in enforcement.checks
            ],
            "reason": enforcement.reason,
        },
        "error": trace.error,
        "facts": dict(trace.facts),
    }


def trace_of(found: Mapping[str, Any]) -> Trace:
    """Read what :func:`trace_json` wrote; KeyError or TypeError where it is something else."""
    if found["outcome"] not in _OUTCOMES:
        raise TypeError
    return Trace(
        outcome=found["outcome"],
        arm=_text(found["arm"]),
        corpus=_text(found["corpus"]),
        enforcement=_enforcement(found["enforcement"]),
        tool_calls=tuple(
            ToolCall(
                tool=_text(one["tool"]),
                arguments=_text(one.get("arguments", "")),
                outcome=one.get("outcome", "unknown"),
                characters=one.get("characters"),
            )
            for one in found["tool_calls"]
        ),
        policy_events=tuple(
            PolicyEvent(code=one["code"], detail=_text(one["detail"])) for one in found["policy_events"]
        ),
        error=None if found.get("error") is None else _text(found["error"]),
        facts=dict(found.get("facts") or {}),
    )


def _enforcement(found: Mapping[str, Any]) -> Enforcement:
    if found["state"] not in _STATES:
        raise TypeError
    return Enforcement(
        mechanism=_text(found["mechanism"]),
        state=found["state"],
        network=found["network"] is True,
        checks=tuple(
            Check(name=_text(one["name"]), held=one["held"] is True, detail=_text(one.get("detail", "")))
            for one in found["checks"]
        ),
        reason=_text(found.get("reason", "")),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
