"""The fixtures that eval tests ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_judgeaudit.session.judging import Judge


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Judge:
    """One selected judge under one criterion; parametrised over all of them."""
    from pytest_judgeaudit.session.judging import judge_for

    return judge_for(request)


@pytest.fixture
def judges() -> Any:
    """All selected judges, for one answer."""
    pytest.fail("the fixture `judges` is not built yet", pytrace=False)


@pytest.fixture
def agent() -> Any:
    """One configured agent."""
    pytest.fail("the fixture `agent` is not built yet", pytrace=False)


@pytest.fixture
def sandbox() -> Any:
    """What an agent can see."""
    pytest.fail("the fixture `sandbox` is not built yet", pytrace=False)
