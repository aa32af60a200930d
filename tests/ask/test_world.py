"""What an asker takes from the outside world."""

from __future__ import annotations

import os

import pytest

from pytest_judgeaudit.ask.world import World


@pytest.fixture
def looks(monkeypatch):
    """The looks at the system's load average, and a clock that a test moves."""
    taken, now = [], [100.0]

    def look():
        taken.append(now[0])
        return (len(taken), 0.0, 0.0)

    monkeypatch.setattr(os, "getloadavg", look, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return taken, now


def test_the_load_is_that_of_one_processor(looks):
    assert World().load() == 0.5


def test_the_load_is_read_again_after_a_second(looks):
    taken, now = looks
    world = World()
    seen = []
    for at in (100.0, 100.9, 101.0, 101.5):
        now[0] = at
        seen.append(world.load())
    assert seen == [0.5, 0.5, 1.0, 1.0]
    assert taken == [100.0, 101.0]


def test_a_system_without_a_load_average_has_none(monkeypatch):
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert World().load() is None
