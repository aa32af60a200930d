"""
Keep the garbage collector away from what lives as long as the run.

Items, slots, pairs and reports are many, and none of them is ever garbage. Python's collector does not know
that: it walks over all of them again whenever there are a quarter more, and at the end of the process.
"""

from __future__ import annotations

import atexit
import gc
import io
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROUNDS = 5
"""How often, at most, garbage is looked for that the end of other garbage made."""

_WRITE_LATER = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


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
        if ends_with_pytest():
            atexit.unregister(leave)
            atexit.register(leave)

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


def leave() -> None:
    """
    Set aside whatever there is when the process ends: walking over it takes a second for 10,000 items.

    What Python's own end would then not come to is written out before: files left open in a cycle of
    objects. Beside a thread that still runs Python ends as ever: it may hold a file for good, with a pipe
    that nobody reads, and Python's end waits for none.
    """
    if len(sys._current_frames()) > 1:
        return
    for one in gc.get_objects():
        if issubclass(type(one), _WRITE_LATER):
            with suppress(Exception):
                one.flush()
    gc.freeze()


def ends_with_pytest() -> bool:
    """Whether the process is pytest's own, not a program that calls it, and nobody looks for leaks."""
    program = Path(sys.argv[0] if sys.argv else "")
    is_pytest = program.stem in ("pytest", "py.test") or program.parts[-2:] == ("pytest", "__main__.py")
    return is_pytest and not sys.flags.dev_mode
