"""Stored agent runs against the actions that were expected of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_judgeaudit.records.grades import Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A call of a tool with its arguments, as JSON values."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def action_of(name: str, arguments: object) -> Action | None:
    """
    Read a call whose arguments are an object, or its JSON text; None for one that is neither.

    >>> action_of("book", '{"seats": 2}')
    Action(name='book', arguments={'seats': 2})
    """
    value = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    return Action(name=name, arguments=value) if isinstance(value, dict) else None


def actions_done(calls: Sequence[Action], expected: Sequence[Action]) -> Grade:
    """
    Grade a run by the share of expected actions that some call did, with equal arguments.

    Numbers compare as JSON has them, 1 as 1.0, and a boolean is no number. A run of which nothing was
    expected is not graded: it cannot pass by doing nothing, nor fail by doing something.
    """
    if not expected:
        return Grade(score=None, state="nothing expected", reason="no action was expected of this run")
    done = {_canonical(call) for call in calls}
    found = {
        f"{number} {one.name}": _canonical(one) in done for number, one in enumerate(expected, start=1)
    }
    share = sum(found.values()) / len(found)
    missing = tuple(name for name, hit in found.items() if not hit)
    return Grade(score=share, base=share, per_fact=found, missing=missing)


def _canonical(action: Action) -> str:
    return json.dumps([action.name, _as_json(action.arguments)], sort_keys=True)


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _as_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
