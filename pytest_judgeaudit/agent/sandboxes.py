"""Sandboxes: a clean copy of a corpus for sighted arms, an empty folder for blind ones."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pytest_judgeaudit.agent.paths import shown
from pytest_judgeaudit.agent.trees import HISTORY, Tree, copy_corpus
from pytest_judgeaudit.records.errors import Refused

_NAME = "workspace-"
"""Says nothing about what runs here: an agent sees it."""

_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run")  # noqa: S108 - only folders made by mkdtemp are used


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """
    What one arm of a corpus shows.

    ``path`` is the folder: absolute, without links on its way, ours. ``hidden`` (question files, the key,
    snapshots) no agent may ever see, ``sources`` (where corpora really lie) neither, and ``keep_out`` (the
    project) is out of sight but for the files that a program is made of. ``names`` maps what tools show of
    a name, and the name itself, to the name. Everything that is copied is in ``tree``.
    """

    path: Path
    arm: str
    corpus: str | None
    tree: Tree
    hidden: tuple[Path, ...] = ()
    sources: tuple[Path, ...] = ()
    keep_out: tuple[Path, ...] = ()
    names: Mapping[str, str]
    stamp: Mapping[str, tuple[int, int]]

    @property
    def digest(self) -> str:
        """SHA-256 of the files that an agent can see, 64 hexadecimal digits."""
        return self.tree.digest

    @property
    def blind(self) -> bool:
        """Whether there is nothing to see."""
        return self.corpus is None

    def __repr__(self) -> str:
        return f"<sandbox {self.arm}, {len(self.tree.files)} files>"

    def changed(self) -> list[str]:
        """Name what is no longer as it was made: files that were added, removed or written to."""
        now = _stamp(self.path)
        return sorted(name for name in {*now, *self.stamp} if now.get(name) != self.stamp.get(name))


@contextmanager
def sighted(
    source: Path,
    *,
    corpus: str,
    arm: str = "sighted",
    hidden: Iterable[Path] = (),
    sources: Iterable[Path] = (),
    keep_out: Iterable[Path] = (),
) -> Iterator[Sandbox]:
    """
    Make a clean copy of the corpus below ``source``, and remove it at the end.

    ``hidden`` is left out of the copy (see :func:`~pytest_judgeaudit.agent.trees.copy_corpus`). Refused: a
    corpus that cannot be copied, a machine without a place for the copy. ``sources`` are further folders
    of corpora: that from which ``source`` was renamed, say.
    """
    concealed = _Concealed(tuple(hidden), (source, *sources), tuple(keep_out))
    with _folder(concealed) as path:
        yield _sandbox(path, arm, corpus, copy_corpus(source, path, hidden=concealed.hidden), concealed)


@contextmanager
def blind(
    *,
    arm: str = "blind",
    hidden: Iterable[Path] = (),
    sources: Iterable[Path] = (),
    keep_out: Iterable[Path] = (),
) -> Iterator[Sandbox]:
    """Make an empty folder outside any repository, and remove it at the end."""
    concealed = _Concealed(tuple(hidden), tuple(sources), tuple(keep_out))
    with _folder(concealed) as path:
        yield _sandbox(path, arm, None, Tree(), concealed)


class _Concealed(NamedTuple):
    hidden: tuple[Path, ...]
    sources: tuple[Path, ...]
    keep_out: tuple[Path, ...]


def _sandbox(path: Path, arm: str, corpus: str | None, tree: Tree, concealed: _Concealed) -> Sandbox:
    return Sandbox(
        path=path,
        arm=arm,
        corpus=corpus,
        tree=tree,
        hidden=_resolved(concealed.hidden),
        sources=_resolved(concealed.sources),
        keep_out=_resolved(concealed.keep_out),
        # A name itself comes before what another one is shown as.
        names={**{shown(name): name for name in tree.files}, **{name: name for name in tree.files}},
        stamp=_stamp(path),
    )


def _resolved(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(path.resolve() for path in paths))


@contextmanager
def _folder(concealed: _Concealed) -> Iterator[Path]:
    made = _made(_resolved(path for paths in concealed for path in paths))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _made(concealed: tuple[Path, ...]) -> Path:
    """Make an empty folder below the first place that lies in no repository and in nothing concealed."""
    for place in (tempfile.gettempdir(), *_PLACES):
        parent = Path(place).resolve()
        inside = any(one == parent or one in parent.parents for one in concealed)
        if parent.is_dir() and os.access(parent, os.W_OK) and not inside and not in_repository(parent):
            return Path(tempfile.mkdtemp(prefix=_NAME, dir=parent))
    raise Refused(
        "sandbox: no folder for temporary files lies outside every repository and the project. Set TMPDIR."
    )


def in_repository(path: Path) -> bool:
    """Whether a folder, or one above it, holds a repository's history."""
    return any((folder / name).exists() for folder in (path, *path.parents) for name in HISTORY)


def _stamp(root: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of change of everything below a folder, links not followed."""
    found: dict[str, tuple[int, int]] = {}
    for place, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(place, name)
            status = path.lstat()
            # A folder's own time moves with its entries, which are listed.
            is_folder = name in folders and not path.is_symlink()
            found[path.relative_to(root).as_posix()] = (
                (-1, 0) if is_folder else (status.st_size, status.st_mtime_ns)
            )
    return found
