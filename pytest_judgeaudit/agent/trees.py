"""
A clean copy of a corpus: regular files only, nothing of ours, nothing of the repository's history.

What is copied is decided here, once; everything that an agent is shown comes from the copy. Links are not
followed and not copied, so that no name in the copy can lead out of it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_judgeaudit.corpora.found import printable, quoted
from pytest_judgeaudit.records.errors import Refused

MOST_FILES = 50_000
MOST_BYTES = 2 * 2**30
MOST_DEPTH = 100
"""Bounds of a corpus; a larger one is refused rather than copied in part."""

HISTORY = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "cvs", ".fslckout", "_fossil_"})
"""Names, in lower case, that hold a repository's history; a worktree's ``.git`` is a file."""

OURS = frozenset({".judgeaudit", ".journal", ".pytest_cache", "__pycache__"})
"""Names, in lower case, of what a run of ours or of pytest leaves behind."""

_BLOCK = 2**20
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """
    What a copy holds.

    ``files`` maps relative names, with forward slashes, to their sizes in bytes; ``skipped`` names what
    was left out, with the reason; ``digest`` is SHA-256 over names and contents, 64 hexadecimal digits.
    """

    files: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    digest: str = hashlib.sha256().hexdigest()


def copy_corpus(source: Path, target: Path, *, hidden: Iterable[Path] = ()) -> Tree:
    """
    Copy the corpus below ``source`` into the empty folder ``target``.

    ``hidden`` are files and folders that no agent may see (question files, the key, snapshots, the
    configuration): they are left out, and so is every file that is the same one under another name or
    holds the same bytes. Refused: a source that is no folder or is itself hidden, one that is too large,
    a file that cannot be read.
    """
    root = source.resolve()
    if not root.is_dir():
        raise Refused(f"corpus {quoted(str(source))}: expected a folder. Correct its path.")
    secret = _Hidden(hidden)
    if secret.covers(root):
        raise Refused(f"corpus {quoted(str(source))}: lies in a folder that agents must not see. Move it.")
    files: dict[str, int] = {}
    skipped: dict[str, str] = {}
    whole, total = hashlib.sha256(), 0
    for name, path, reason in _walk(root, secret):
        if reason is not None:
            skipped[name] = reason
            continue
        content, size = _copied(path, target / name, most=MOST_BYTES - total)
        if secret.same(size, content):
            (target / name).unlink()
            skipped[name] = "holds the same as a hidden file"
            continue
        files[name], total = size, total + size
        if len(files) > MOST_FILES:
            raise Refused(
                f"corpus {quoted(str(source))}: more than {MOST_FILES} files. Choose a part of it."
            )
        whole.update(b"%s\0%s\0" % (name.encode("utf-8", "surrogateescape"), content.encode("ascii")))
    return Tree(files=files, skipped=skipped, digest=whole.hexdigest())


class _Hidden:
    """What agents must not see: by place, by identity, and by content."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = {path.resolve() for path in paths}
        stats = [(path, path.stat()) for path in self._paths if path.is_file()]
        self._identities = {(one.st_dev, one.st_ino) for _, one in stats if one.st_ino}
        self._contents = {(one.st_size, _digest(path)) for path, one in stats if one.st_size}

    def covers(self, path: Path) -> bool:
        return any(path == hidden or hidden in path.parents for hidden in self._paths)

    def holds(self, path: Path, status: os.stat_result) -> bool:
        return path in self._paths or (status.st_dev, status.st_ino) in self._identities

    def same(self, size: int, digest: str) -> bool:
        return (size, digest) in self._contents


def _walk(root: Path, secret: _Hidden) -> Iterator[tuple[str, Path, str | None]]:
    """Yield every file's name and path in the order of names, with the reason to leave it out."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        if len(folder.parts) - len(root.parts) > MOST_DEPTH:
            raise Refused(f"corpus {quoted(str(root))}: folders are nested deeper than {MOST_DEPTH}.")
        inner = []
        for path in sorted(folder.iterdir(), key=lambda one: os.fsencode(one.name)):
            name = path.relative_to(root).as_posix()
            status = path.lstat()
            reason = _reason(path, status, secret)
            if reason is None and stat.S_ISDIR(status.st_mode):
                inner.append(path)
            else:
                yield name, path, reason
        waiting += inner[::-1]


def _reason(path: Path, status: os.stat_result, secret: _Hidden) -> str | None:
    """Say why something is left out; None for a folder or a regular file that is copied."""
    # Windows takes "Name. " for "name", and macOS ".GIT" for ".git".
    plain = path.name.casefold().rstrip(" .")
    if stat.S_ISLNK(status.st_mode):
        return "symbolic link"
    if plain in HISTORY:
        return "repository's history"
    if plain in OURS:
        return "left by a run"
    if secret.holds(path, status):
        return "hidden from agents"
    if not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
        return "no regular file"
    return None


def _copied(source: Path, target: Path, *, most: int) -> tuple[str, int]:
    """Copy one file; return its SHA-256 and its size."""
    try:
        descriptor = os.open(source, os.O_RDONLY | _NO_FOLLOW)
        with os.fdopen(descriptor, "rb") as reading:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Refused(f"{printable(str(source))}: changed while it was copied. Run again.")
            target.parent.mkdir(parents=True, exist_ok=True)
            digest, size = hashlib.sha256(), 0
            with target.open("xb") as writing:
                while block := reading.read(_BLOCK):
                    size += len(block)
                    if size > most:
                        raise Refused(
                            f"{printable(str(source))}: the corpus is larger than {MOST_BYTES} bytes."
                        )
                    digest.update(block)
                    writing.write(block)
    except OSError as error:
        raise Refused(
            f"{printable(str(source), clip=200)}: cannot be copied ({error.strerror or error}). "
            "Make it readable, or remove it from the corpus."
        ) from None
    return digest.hexdigest(), size


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
