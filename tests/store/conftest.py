"""Answers to store, and what lies on the disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.verdicts import Usage


def recorded(
    name: str = "t-qwen-neutral-c1-clone-AB-1", text: str = '{"winner": "tie"}', **changes: Any
) -> StoredAnswer:
    """An answer as it is stored; ``at`` is when it arrived, ``extra``, ``served`` and so on its reply's."""
    at = changes.pop("at", 1000.0)
    fingerprint = changes.pop("fingerprint", "f" * 64)
    usage = Usage(prompt=11, completion=7)
    attempt = Attempt(started=at - 0.5, ended=at, outcome="answered", status=200, usage=usage)
    reply = {"served": "qwen-1", "finish": "stop", "usage": usage, "attempts": (attempt,), **changes}
    return StoredAnswer(
        name=name,
        fingerprint=fingerprint,
        parts={"model": "0" * 16, "prompt": "1" * 16},
        instrument="2" * 16,
        reply=Reply(text=text, **reply),
    )


@pytest.fixture
def answer() -> Callable[..., StoredAnswer]:
    return recorded


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The snapshots folder of a project, seen from its root; nothing is there yet."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "snapshots"


@pytest.fixture
def rows() -> Callable[[Path], list[dict[str, Any]]]:
    def read(path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text(encoding="ascii").split("\n") if line]

    return read
