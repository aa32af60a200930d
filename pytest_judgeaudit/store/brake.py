"""Judges that must not be asked further: known to all processes of a run through files in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pytest_judgeaudit.store.files import safe_name

EVERY = "every judge"


class FileBrake:
    """
    Holds for all processes that share a folder.

    ``folder`` returns the folder, which belongs to one run; it is asked for at the first call.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._places: dict[str, str] = {}
        self._own: dict[str, str] = {}

    def pull(self, judge: str, why: str) -> None:
        """Let nobody ask this judge any more; the first reason stays."""
        try:
            with self._file(judge).open("x", encoding="utf-8", errors="backslashreplace") as file:
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
            # Before each call, and almost always in vain: a look is much cheaper than an attempt to read.
            if os.path.exists(self._place(name)):  # noqa: PTH110 - a fifth of the time of its counterpart
                return self._file(name).read_text("utf-8") or "the run is ending"
        return None

    def _file(self, judge: str) -> Path:
        return Path(self._place(judge))

    def _place(self, judge: str) -> str:
        if judge not in self._places:
            self._places[judge] = str(self._folder() / f"{safe_name(judge)}.brake")
        return self._places[judge]
