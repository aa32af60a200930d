"""All wire formats."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_judgeaudit.ask.wire.anthropic import ANTHROPIC
from pytest_judgeaudit.ask.wire.local import LOCAL
from pytest_judgeaudit.ask.wire.ollama import OLLAMA
from pytest_judgeaudit.ask.wire.openai import OPENAI
from pytest_judgeaudit.ask.wire.shapes import Wire

WIRES: Mapping[str, Wire] = {"openai": OPENAI, "anthropic": ANTHROPIC, "ollama": OLLAMA, "local": LOCAL}
"""The value of ``api`` → its wire format."""
