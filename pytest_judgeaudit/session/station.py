"""
Where a process of a run stands: on the controller's machine or on another, in its folder or in a copy.

That is not guessed from a worker's specification: the controller leaves a word in a folder of its own and
says which folder is its root, and the worker looks whether it sees the same.
"""

from __future__ import annotations

import json
import platform
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMITS = "judgeaudit_limits"
"""Key of a worker's input: the folder of the lock files that all workers of a run share."""
RUN = "judgeaudit_run"
"""Key of a worker's input: the name of the run, which the journals of all its processes carry."""
WHERE = "judgeaudit_where"
"""Key of a worker's input: which folders the controller's are."""

_WORD = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """
    What a process shares with the controller.

    ``limits`` is the controller's folder of limits where this process sees it, None elsewhere and on the
    controller. ``away`` is whether the snapshots of this process are not the controller's.
    """

    limits: Path | None = None
    away: bool = False

    @classmethod
    def of(cls, worker: Mapping[str, Any] | None, *, root: Path, snapshots: Path) -> Station:
        """Look around, with an xdist worker's input; None on the controller."""
        if worker is None or RUN not in worker:
            return cls()
        limits = Path(worker[LIMITS])
        if not _reads_word(limits, worker[RUN]):
            return cls(away=True)
        return cls(limits=limits, away=worker.get(WHERE) != whereabouts(root, snapshots))


def leave_word(limits: Path, run: str) -> None:
    """Leave in the controller's folder of limits what only processes of its machine can read."""
    (limits / _WORD).write_text(run, encoding="ascii")


def _reads_word(limits: Path, run: str) -> bool:
    try:
        return (limits / _WORD).read_text(encoding="ascii") == run
    except (OSError, UnicodeDecodeError):
        return False


def whereabouts(root: Path, snapshots: Path) -> str:
    """Describe a process' folders in one string, which is the same on one machine for the same folders."""
    found = root.stat()
    return json.dumps([found.st_dev, found.st_ino, str(snapshots.resolve())])


def folder_away(root: Path) -> Path:
    """
    Return where a worker that is away keeps its journal: beside its copy of the project.

    Not in it: xdist removes from the copy, at the start of each run, what the original does not have.
    """
    here = Path.cwd()
    below = root.relative_to(here).as_posix() if root.is_relative_to(here) else root.name
    return here / ".judgeaudit" / (below.replace("/", "_") or "_")


def place_of(folder: Path) -> str:
    """Name a folder of this host, for a person."""
    return f"{platform.node() or 'unknown host'}:{folder}"


class HostLimits:
    """The folder of limits of one host that cannot see the controller's: its workers share it."""

    def __init__(self, run: str, worker: str) -> None:
        self.folder = Path(tempfile.gettempdir()) / f"judgeaudit-{run}"
        self._present = self.folder / f"{worker}.present"

    def enter(self) -> Path:
        """Make the folder, and note that this worker uses it."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self._present.touch()
        return self.folder

    def leave(self) -> None:
        """Remove the folder, unless other workers use it."""
        self._present.unlink(missing_ok=True)
        if not any(self.folder.glob("*.present")):
            shutil.rmtree(self.folder, ignore_errors=True)
