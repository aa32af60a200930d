"""Tools in a conversation with a model: what is offered, and what the model calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool that is offered to a model; ``parameters`` is the JSON schema of its arguments, an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """
    A model's call of a tool.

    ``arguments`` is None where what the model wrote is no JSON object; ``raw`` is what it wrote.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | None
    raw: str = ""
