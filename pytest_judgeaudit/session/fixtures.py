"""The fixtures that eval tests ask for. Every run of pytest imports it: keep it light."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_judgeaudit.agent.sandboxes import Sandbox
    from pytest_judgeaudit.records.questions import Question
    from pytest_judgeaudit.session.answering import ItemAgent
    from pytest_judgeaudit.session.judging import Judge


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """One selected judge under one criterion; parametrised over all of them."""
    from pytest_judgeaudit.session.seating import seated

    found: Judge = seated("judge", request)
    return found


@pytest.fixture
def judges(request: pytest.FixtureRequest) -> tuple[Judge, ...]:
    """All selected judges, for one answer."""
    from pytest_judgeaudit.session.seating import seated

    found: tuple[Judge, ...] = seated("judges", request)
    return found


@pytest.fixture
def agent(request: pytest.FixtureRequest) -> ItemAgent:
    """One selected agent; parametrised over all of them."""
    from pytest_judgeaudit.session.seating import seated

    found: ItemAgent = seated("agent", request)
    return found


@pytest.fixture
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """What the agent of the item can see."""
    from pytest_judgeaudit.session.seating import seated

    found: Sandbox = seated("sandbox", request)
    return found


@pytest.fixture
def question(request: pytest.FixtureRequest) -> Question:
    """The question of the item; parametrised by the marker ``questions``."""
    from pytest_judgeaudit.session.seating import seated

    found: Question = seated("question", request)
    return found


@pytest.fixture
def arm(request: pytest.FixtureRequest) -> str:
    """What the agent of the item can see, in a word: ``sighted``, ``blind``, ``renamed-blind``, …"""
    from pytest_judgeaudit.session.seating import seated

    return str(seated("arm", request))


@pytest.fixture
def replicate(request: pytest.FixtureRequest) -> int:
    """How often the item's question is asked with this item, from 1."""
    from pytest_judgeaudit.session.seating import seated

    return int(seated("replicate", request))
