"""
Keep the garbage collector away from what lives as long as the run.

Items, slots, pairs and reports are many, and none of them is ever garbage. Python's collector does not know
that: it walks over all of them again whenever there are a quarter more.
"""

from __future__ import annotations

import atexit
import gc
import sys
import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_judgeaudit.session.accept import forget

ROUNDS = 5
"""How often, at most, garbage is looked for that the end of other garbage made."""


@contextmanager
def keeping() -> Iterator[None]:
    """Look for no garbage while what is made is to stay."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Heap:
    """Sets aside what has been collected while items run."""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Take it back when all is over: what is added before others do so is done after theirs."""
        config.add_cleanup(gc.unfreeze)
        part_at_exit(config)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pycollect_makeitem(self) -> Generator[None, object, object]:
        """Make all items of a function without looking for garbage among them."""
        with keeping():
            return (yield)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """Set aside whatever there is by now."""
        gc.freeze()

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """
        Look for garbage in all that was set aside, when every plug-in has ended and before pytest looks.

        pytest looks several times at the end of a run, and tells of what went wrong in what is found.
        """
        config.add_cleanup(look)


def look() -> None:
    """Look for garbage once, then in what came of it, and set aside what is left."""
    gc.unfreeze()
    gc.collect()
    for _ in range(ROUNDS):
        if not gc.collect(1):
            break
    gc.freeze()


def part_at_exit(config: pytest.Config) -> None:
    """
    Let go of the run when Python ends, so that its items end then, once, while all else is still there.

    A module of a plug-in keeps pytest's import hook as its loader, and the hook keeps the whole run; so
    does syrupy. numpy keeps functions where Python's end does not look, and those keep all modules: the
    items would outlive them, and be walked over four times. In a process that goes on nothing is let go.
    """
    atexit.register(_part, weakref.ref(config))


def _part(found: weakref.ref[pytest.Config]) -> None:
    run = found()
    hook: Any = getattr(getattr(run, "pluginmanager", None), "rewrite_hook", None)
    if run is None or hook in sys.meta_path or not gc.isenabled():
        return
    keeps = getattr(hook, "config", None) is run
    if keeps:
        hook.config = None  # it imports nothing any more
    forget(run)
    del run
    gc.collect()
    if keeps:
        hook.config = found()  # who is kept by others ends as ever
