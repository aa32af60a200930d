"""Bodies of eval tests that need nothing but our fixtures and direct parameters, and their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from pytest_judgeaudit.session.seating import SEATED
from pytest_judgeaudit.session.trial import SLOT

DECIDING = frozenset({"skip", "skipif", "xfail"})
"""Marks that set-up reads, and that a conftest may put on single items of a test."""


class Plain(NamedTuple):
    """
    What a body takes of ours and of direct parameters, each with whether one of our fixtures fills it.

    ``alone`` is whether it takes nothing else. ``shared`` names the fixtures beside them that its item
    shares with others of its module; None where one of them has parameters, or is set up for each item
    after all.
    """

    parameters: Mapping[str, bool]
    alone: bool
    shared: tuple[str, ...] | None


class Bodies:
    """The plain bodies among the collected items of a session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._known: dict[tuple[object, object], Plain | None] = {}

    def is_plain(self, item: pytest.Function) -> bool:
        """Whether an item's body can be called without any set-up of its own."""
        found = self._plain(item)
        return found is not None and found.alone

    def shared(self, item: pytest.Function) -> tuple[str, ...] | None:
        """
        Name the fixtures that an item needs beside its arguments, all of them kept for other items.

        None where one may be set up anew for it, or where more than fixtures decides how it runs.
        """
        found = self._plain(item)
        return None if found is None else found.shared

    def arguments(self, item: pytest.Function) -> dict[str, Any]:
        """What an item's plain body is called with: our fixtures and direct parameters."""
        slot = item.stash[SLOT]
        given = item.callspec.params
        found = self._plain(item)
        return {
            name: SEATED[name](self._config, slot) if ours else given[name]
            for name, ours in (found.parameters if found else {}).items()
        }

    def _plain(self, item: pytest.Function) -> Plain | None:
        # The items of one test share their function, and there are many. So may modules, by importing it,
        # and each has fixtures of its own.
        body = (item.obj, item.parent)
        if body not in self._known:
            self._known[body] = _plain(item)
        return self._known[body]


def is_decided(item: pytest.Item) -> bool:
    """Whether a mark may decide in its set-up whether an item's body is run."""
    return any(mark.name in DECIDING for mark in item.iter_markers())


def _plain(item: pytest.Function) -> Plain | None:
    """Find out what a body takes; None where it has a fixture or a way of its own."""
    if (
        item.cls is not None
        or not hasattr(item, "callspec")
        or inspect.iscoroutinefunction(item.obj)
        or inspect.isgeneratorfunction(item.obj)
    ):
        return None
    # pytest has no public way to ask what stands behind a fixture's name.
    info = getattr(item, "_fixtureinfo", None)
    known: Mapping[str, Sequence[Any]] = getattr(info, "name2fixturedefs", {})
    ours = {name for name in SEATED if _is_ours(known.get(name, ()))}
    given = ours | {name for name in item.callspec.params if _is_direct(known.get(name, ()))}
    parameters = tuple(inspect.signature(item.obj).parameters)
    others = {name for name in item.fixturenames if name not in given and name != "request"}
    scopes = {name: known[name][-1].scope if name in known else "function" for name in others}
    if "function" in scopes.values() or "request" in parameters:
        return None
    # Of a plain function the scope of a class is its own.
    shared = "class" not in scopes.values() and not others & set(item.callspec.params)
    return Plain(
        {name: name in ours for name in parameters if name in given},
        set(parameters) <= given,
        tuple(sorted(others)) if shared else None,
    )


def _is_ours(definitions: Sequence[Any]) -> bool:
    """Whether one of our fixtures stands behind a name, and nobody has put another in its place."""
    modules = [getattr(found.func, "__module__", "") for found in definitions]
    return bool(modules) and modules[-1].startswith("pytest_judgeaudit.")


def _is_direct(definitions: Sequence[Any]) -> bool:
    """Whether a parameter is handed over as it is: pytest itself stands behind its name, or nobody."""
    return all(getattr(found.func, "__module__", "").startswith("_pytest.") for found in definitions)
