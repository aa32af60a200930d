"""One pure module a wire format: a request becomes a body, a body becomes a reply."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_judgeaudit.ask.wire.anthropic import ANTHROPIC
from pytest_judgeaudit.ask.wire.ollama import OLLAMA
from pytest_judgeaudit.ask.wire.openai import OPENAI
from pytest_judgeaudit.ask.wire.shapes import Unreadable, Wire, WireCall

WIRES: Mapping[str, Wire] = {"openai": OPENAI, "anthropic": ANTHROPIC, "ollama": OLLAMA}
"""The value of ``api`` → its wire format."""

__all__ = ["WIRES", "Unreadable", "Wire", "WireCall"]
