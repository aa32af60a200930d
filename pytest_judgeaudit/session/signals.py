"""A cancelled CI job: SIGTERM ends a live run as Ctrl-C does, with everything kept that came."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

import pytest


class Termination:
    """Turns SIGTERM into the interruption that pytest reports, for the length of a session."""

    def __init__(self) -> None:
        self._before: Any = None

    def pytest_sessionstart(self) -> None:
        """Take the signal; only a main thread may."""
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, _interrupt)

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Give the signal back: everything is written, and what is left is to look for garbage."""
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)
            self._before = None


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    # A second signal ends the process at once, if draining takes too long for whoever sent it.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise KeyboardInterrupt
