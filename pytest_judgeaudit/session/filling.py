"""
Hand plain bodies their arguments directly.

pytest sets up every fixture and every parameter of every item anew, each as a fixture with a request, a
cache and finalizers of its own: a good third of an item's time, where nothing needs it. What is filled in
already it leaves alone.
"""

from __future__ import annotations

import pytest

from pytest_judgeaudit.session.bodies import Bodies
from pytest_judgeaudit.session.trial import SLOT

DEAF = ("_pytest.", "anyio.")
"""Whose hooks around the set-up of a fixture do nothing for ours, but with the options of :data:`SHOWN`."""

SHOWN = ("setupshow", "setuponly", "setupplan")


class Filling:
    """Fills in the arguments of plain bodies, unless somebody watches how fixtures are set up."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._watched = True

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Find out who watches; everybody is registered by now."""
        self._watched = is_watched(session.config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fill in what a plain body takes."""
        if (
            not self._watched
            and SLOT in item.stash
            and isinstance(item, pytest.Function)
            and self._bodies.is_plain(item)
        ):
            item.funcargs.update(self._bodies.arguments(item))
            # In the closure for the sake of our own fixture only, and dear to make. Private to pytest.
            request = getattr(item, "_request", None)
            if request is not None:
                item.funcargs["request"] = request


def is_watched(config: pytest.Config) -> bool:
    """Whether somebody other than pytest's own parts follows how fixtures are set up."""
    watchers = (
        *config.hook.pytest_fixture_setup.get_hookimpls(),
        *config.hook.pytest_fixture_post_finalizer.get_hookimpls(),
    )
    return any(config.getoption(name, False) for name in SHOWN) or not all(
        f"{found.function.__module__}.".startswith(DEAF) for found in watchers
    )
