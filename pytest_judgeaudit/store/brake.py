"""
Judges that must not be asked further: known to all processes of a run through files in a folder.

A run of a single process keeps it in mind: it would look for the files twice a call, and each look lets
other threads take the interpreter.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pytest_judgeaudit.store.files import safe_name

EVERY = "every judge"


class FileBrake:
    """
    Holds for all processes that share a folder.

    ``folder`` returns the folder, which belongs to one run; None while nobody else takes part in it.
    """

    def __init__(self, folder: Callable[[], Path | None]) -> None:
        self._folder = folder
        self._places: dict[str, str] = {}
        self._own: dict[str, str] = {}

    def pull(self, judge: str, why: str) -> None:
        """Let nobody ask this judge any more; the first reason stays."""
        place = self._place(judge)
        if place is None:
            self._own.setdefault(judge, why)
            return
        try:
            with Path(place).open("x", encoding="utf-8", errors="backslashreplace") as file:
                file.write(why)
        except FileExistsError:
            return
        except OSError:
            # No file can tell the others: this process at least asks no more.
            self._own.setdefault(judge, why)

    def pull_all(self, why: str) -> None:
        """Let nobody ask anything any more."""
        self.pull(EVERY, why)

    def pulled(self, judge: str) -> str | None:
        """Return why this judge, or any, must not be asked; None if it may be."""
        for name in (EVERY, judge):
            if name in self._own:
                return self._own[name]
            place = self._place(name)
            # Before each call, and almost always in vain: a look is much cheaper than an attempt to read.
            if place and os.path.exists(place):  # noqa: PTH110 - a fifth of the time of its counterpart
                return Path(place).read_text("utf-8") or "the run is ending"
        return None

    def _place(self, judge: str) -> str | None:
        if judge not in self._places:
            folder = self._folder()
            if folder is None:
                return None
            self._places[judge] = str(folder / f"{safe_name(judge)}.brake")
        return self._places[judge]
