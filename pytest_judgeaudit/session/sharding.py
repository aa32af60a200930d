"""``--judge-shard``: a session that runs a share of the tasks."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.session.choices import Shard
from pytest_judgeaudit.session.trial import SLOT


class Sharding:
    """Deselects the trials of tasks that fall in another shard."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep what is no trial, and the trials of this shard's tasks."""
        others = [item for item in items if not self._holds(item)]
        if others:
            config.hook.pytest_deselected(items=others)
            items[:] = [item for item in items if self._holds(item)]

    def _holds(self, item: pytest.Item) -> bool:
        slot = item.stash.get(SLOT, None)
        return slot is None or self._shard.holds(slot.task)
