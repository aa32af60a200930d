"""What an item's body is handed under the names of our fixtures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_judgeaudit.session.answering import DESK, ItemAgent
from pytest_judgeaudit.session.judging import BENCH
from pytest_judgeaudit.session.trial import SLOT, Slot


def _judge(config: pytest.Config, slot: Slot) -> Any:
    return None if slot.seat is None else config.stash[BENCH].judge(slot.seat, slot)


def _judges(config: pytest.Config, slot: Slot) -> Any:
    return config.stash[BENCH].panel(slot)


def _agent(config: pytest.Config, slot: Slot) -> Any:
    return None if slot.asked is None else ItemAgent(slot.asked, slot, config.stash[DESK])


def _sandbox(config: pytest.Config, slot: Slot) -> Any:
    return None if slot.asked is None else config.stash[DESK].sandbox(slot.asked)


SEATED: Mapping[str, Callable[[pytest.Config, Slot], Any]] = {
    "judge": _judge,
    "judges": _judges,
    "agent": _agent,
    "sandbox": _sandbox,
    "question": lambda _, slot: slot.asked and slot.asked.question,
    "arm": lambda _, slot: slot.asked and slot.asked.arm,
    "replicate": lambda _, slot: slot.asked and slot.asked.replicate,
}
"""Our fixtures and what stands behind them; None where collection chose nothing for the item."""


def seated(name: str, request: pytest.FixtureRequest) -> Any:
    """Return the value of one of our fixtures for the item that asks for it."""
    slot = request.node.stash.get(SLOT, None)
    found = None if slot is None else SEATED[name](request.config, slot)
    if found is None:
        needed = "eval tests" if name in {"judge", "judges"} else "tests marked with questions"
        pytest.fail(f"the fixture `{name}` works in {needed}, run with --judge-audit", pytrace=False)
    return found
