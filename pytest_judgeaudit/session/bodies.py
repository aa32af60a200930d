"""Bodies of eval tests that need nothing but our fixtures and direct parameters, and their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from pytest_judgeaudit.session.judging import Bench
from pytest_judgeaudit.session.trial import SLOT

OURS = frozenset({"judge", "pair"})


class Bodies:
    """The plain bodies among the collected items. ``bench`` returns the seated judges."""

    def __init__(self, bench: Callable[[], Bench]) -> None:
        self._bench = bench
        self._parameters: dict[object, Sequence[str] | None] = {}

    def is_plain(self, item: pytest.Function) -> bool:
        """Whether an item's body can be called without any set-up of its own."""
        return self._parameters_of(item) is not None

    def arguments(self, item: pytest.Function) -> dict[str, Any]:
        """What an item's plain body is called with."""
        slot = item.stash[SLOT]
        given = item.callspec.params
        values: dict[str, Any] = {}
        for name in self._parameters_of(item) or ():
            if name == "judge" and slot.seat is not None:
                values[name] = self._bench().judge(slot.seat, slot)
            else:
                values[name] = given[name]
        return values

    def _parameters_of(self, item: pytest.Function) -> Sequence[str] | None:
        # The items of one test share their function, and there are many.
        body = item.obj
        if body not in self._parameters:
            self._parameters[body] = _plain_parameters(item)
        return self._parameters[body]


def _plain_parameters(item: pytest.Function) -> Sequence[str] | None:
    """Name the parameters of a body that takes only our fixtures and direct parameters; None for others."""
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
    given = OURS | {name for name in item.callspec.params if _is_direct(known.get(name, ()))}
    parameters = tuple(inspect.signature(item.obj).parameters)
    if not set(parameters) <= given:
        return None
    others = set(item.fixturenames) - given - {"request"}
    if all(name in known and known[name][-1].scope != "function" for name in others):
        return parameters
    return None


def _is_direct(definitions: Sequence[Any]) -> bool:
    """Whether a parameter is handed over as it is: pytest itself stands behind its name, or nobody."""
    return all(getattr(found.func, "__module__", "").startswith("_pytest.") for found in definitions)
