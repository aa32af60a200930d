"""Bodies of eval tests that need nothing but our fixtures and direct parameters, and their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pytest_judgeaudit.session.seating import SEATED
from pytest_judgeaudit.session.trial import SLOT


class Bodies:
    """The plain bodies among the collected items of a session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._parameters: dict[object, Mapping[str, bool] | None] = {}

    def is_plain(self, item: pytest.Function) -> bool:
        """Whether an item's body can be called without any set-up of its own."""
        return self._parameters_of(item) is not None

    def arguments(self, item: pytest.Function) -> dict[str, Any]:
        """What an item's plain body is called with."""
        slot = item.stash[SLOT]
        given = item.callspec.params
        return {
            name: SEATED[name](self._config, slot) if ours else given[name]
            for name, ours in (self._parameters_of(item) or {}).items()
        }

    def _parameters_of(self, item: pytest.Function) -> Mapping[str, bool] | None:
        # The items of one test share their function, and there are many.
        body = item.obj
        if body not in self._parameters:
            self._parameters[body] = _plain_parameters(item)
        return self._parameters[body]


def _plain_parameters(item: pytest.Function) -> Mapping[str, bool] | None:
    """
    Name the parameters of a body that takes only our fixtures and direct parameters; None for others.

    Each with whether one of our fixtures fills it.
    """
    if (
        item.cls is not None
        or not hasattr(item, "callspec")
        or inspect.iscoroutinefunction(item.obj)
        or inspect.isgeneratorfunction(item.obj)
        or any(item.get_closest_marker(name) for name in ("skip", "skipif"))
    ):
        return None
    # pytest has no public way to ask what stands behind a fixture's name.
    info = getattr(item, "_fixtureinfo", None)
    known: Mapping[str, Sequence[Any]] = getattr(info, "name2fixturedefs", {})
    ours = {name for name in SEATED if _is_ours(known.get(name, ()))}
    given = ours | {name for name in item.callspec.params if _is_direct(known.get(name, ()))}
    parameters = tuple(inspect.signature(item.obj).parameters)
    if not set(parameters) <= given:
        return None
    others = set(item.fixturenames) - given - {"request"}
    if all(name in known and known[name][-1].scope != "function" for name in others):
        return {name: name in ours for name in parameters}
    return None


def _is_ours(definitions: Sequence[Any]) -> bool:
    """Whether one of our fixtures stands behind a name, and nobody has put another in its place."""
    modules = [getattr(found.func, "__module__", "") for found in definitions]
    return bool(modules) and modules[-1].startswith("pytest_judgeaudit.")


def _is_direct(definitions: Sequence[Any]) -> bool:
    """Whether a parameter is handed over as it is: pytest itself stands behind its name, or nobody."""
    return all(getattr(found.func, "__module__", "").startswith("_pytest.") for found in definitions)
