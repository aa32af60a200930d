"""Makers of the nouns that these tests are about: a pair, a judge's settings, a configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.settings.models import JudgeSettings


@pytest.fixture(scope="session")
def pair_of() -> Callable[..., Pair]:
    """A signal pair, changed as said."""
    values: dict[str, Any] = {
        "id": "t1",
        "prompt": "Which is better?",
        "first": "one answer",
        "second": "another",
        "target": "first",
        "kind": "signal",
    }
    return lambda **changes: Pair(**{**values, **changes})


@pytest.fixture(scope="session")
def judge_of() -> Callable[..., JudgeSettings]:
    """A judge behind an OpenAI-compatible service, changed as said."""
    values: dict[str, Any] = {
        "name": "mine",
        "family": "qwen",
        "api": "openai",
        "model": "qwen2.5:32b",
        "base_url": "http://user@127.0.0.1:11434/v1?x=1",
        "decoder": {"temperature": 0},
    }
    return lambda **changes: JudgeSettings(**{**values, **changes})
