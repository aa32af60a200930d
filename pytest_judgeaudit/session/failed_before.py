"""``--lf`` after a gate failed: pytest knows the ids of items only, and a gate is none that it collects."""

from __future__ import annotations

from collections.abc import Generator, Iterator, MutableMapping
from typing import Any

import pytest

from pytest_judgeaudit.session.choices import without_gate


class FailedBefore:
    """
    Counts the trials of a test whose gate failed as failed.

    Without it ``--lf`` would leave the gate's trials out as soon as anything else failed as well, and end
    green. ``last_failed`` is pytest's own mapping, by which it chooses; ``tests`` are ids without
    parameters.
    """

    def __init__(self, last_failed: MutableMapping[Any, bool], tests: frozenset[str]) -> None:
        self._last_failed = last_failed
        self._tests = tests

    @pytest.hookimpl(wrapper=True)
    def pytest_pycollect_makeitem(self) -> Generator[None, object, object]:
        """Mark the items of such a test before pytest filters those of their module."""
        made = yield
        for item in made if isinstance(made, list) else ():
            if isinstance(item, pytest.Function) and _test(item) in self._tests:
                # Newer releases of pytest have keys that are no strings.
                self._last_failed[getattr(item, "id", item.nodeid)] = True
        return made


def _test(item: pytest.Function) -> str:
    return f"{item.parent.nodeid}::{item.originalname}" if item.parent else item.nodeid


def failed_before(config: pytest.Config) -> Iterator[tuple[str, FailedBefore]]:
    """Yield the part by name, with ``--lf`` and where a gate failed."""
    if not config.getoption("lf", False):
        return
    # Without a public way to say what failed.
    last_failed = getattr(config.pluginmanager.get_plugin("lfplugin"), "lastfailed", None) or {}
    named = {str(one): without_gate(str(one)) for one in last_failed}
    tests = frozenset(test for gate, test in named.items() if test != gate)
    if tests:
        yield "failed-before", FailedBefore(last_failed, tests)
