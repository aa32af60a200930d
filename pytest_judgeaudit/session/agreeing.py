"""Whether all processes of a run know the same of other plug-ins, from the start of the session on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_judgeaudit.session.refusing import refuse
from pytest_judgeaudit.session.registry import Registry, implementations

REGISTERED = "judgeaudit_registered"
"""Key of a worker's input: what the plug-ins of the controller registered."""


class Agreement:
    """
    Refuses, after collection, a worker whose plug-ins register something else than the controller's, and a
    hook that was found too late to be asked.
    """

    def __init__(self, registry: Registry, config: pytest.Config) -> None:
        self._own = registry.listed
        self._asked = implementations(config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell an xdist worker what is registered here."""
        node.workerinput[REGISTERED] = json.dumps(self._own)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Look whether everybody agrees: conftests below the evals are loaded by now."""
        faults = [*self._late(config), *self._different(getattr(config, "workerinput", {}))]
        if faults:
            refuse(config, items, faults)

    def _late(self, config: pytest.Config) -> Iterator[str]:
        for hook, plugin in implementations(config):
            if (hook, plugin) not in self._asked:
                yield (
                    f'plug-in "{plugin}": {hook} was found too late: plug-ins are asked when a session '
                    "starts. Move it into a plug-in, or into the conftest.py beside the ini-file."
                )

    def _different(self, told: dict[str, Any]) -> Iterator[str]:
        theirs = json.loads(told.get(REGISTERED, "null"))
        if theirs is not None and theirs != self._own:
            here, there = (", ".join(one) or "nothing" for one in (self._own, theirs))
            yield (
                f"worker {told.get('workerid')}: its plug-ins register {here}, those of the controller "
                f"{there}. Install the same plug-ins everywhere; let their hooks always return the same."
            )


class Unstarted:
    """Stands in a worker of xdist for an audit that could not start there, and tells the controller why."""

    def __init__(self, faults: str) -> None:
        self._faults = faults.splitlines()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Run nothing."""
        refuse(config, items, self._faults)
