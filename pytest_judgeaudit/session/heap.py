"""
Keep the garbage collector away from what lives as long as the run.

Items, slots, pairs and reports are many, and none of them is ever garbage. Python's collector does not know
that: it walks over all of them again whenever there are a quarter more.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

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
