"""Files of the store: safe names below one folder, whole reads, atomic writes, one writer at a time."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pytest_judgeaudit.records.errors import Refused, Void
from pytest_judgeaudit.records.items import short_digest

JOURNAL_FOLDER = ".journal"
"""Below the snapshots folder: journals and lock files, nothing that belongs under version control."""

_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.+=@-]{0,98}[A-Za-z0-9_+=@-])?")
_OTHER = re.compile(r"[^A-Za-z0-9_+=@-]+")
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_OURS = re.compile(r"(?i).*\.(?:superseded|\d+of\d+)")
_SHARD = re.compile(r"([1-9]\d*)(?:/|of)([1-9]\d*)")


class DiskFailed(Void):
    """A file of ours could not be written: the disk is full, read-only, or not ours to write."""

    @classmethod
    def of(cls, path: Path, error: OSError) -> DiskFailed:
        """Word an error of the operating system for a person."""
        return cls(
            f"{shown(path)}: could not be written ({error.strerror or error}). "
            "Free space or allow writing there, then repeat the run: what is on disk is not asked again."
        )


def shown(path: Path) -> str:
    """Return a path as errors show it: relative to the working directory where it lies below that."""
    with suppress(ValueError, OSError):
        return path.relative_to(Path.cwd()).as_posix()
    return str(path)


def safe_name(text: str) -> str:
    """
    Return a file name for a judge or an agent: the text itself where it is plain, else a slug with a hash.

    Never a path, a hidden file, a device, or a name that reads as a shard's or a superseded file's.

    >>> safe_name("qwen2.5-32b"), safe_name("../../etc/passwd"), safe_name("qwen.1of2")
    ('qwen2.5-32b', 'etc_passwd-3754d6cb', 'qwen_1of2-b288e46f')
    """
    if _PLAIN.fullmatch(text) and not _DEVICE.fullmatch(text) and not _OURS.fullmatch(text):
        return text
    return f"{_OTHER.sub('_', text).strip('_-')[:60] or 'x'}-{short_digest(text)[:8]}"


def safe_module(module: str) -> str:
    """
    Return the folder of a test module, relative and with forward slashes, whatever the module's path.

    >>> safe_module("evals/test_support.py"), safe_module("/evals//./test_support.py")
    ('evals/test_support.py', 'evals/test_support.py')
    """
    parts = [part for part in re.split(r"[/\\]", module) if part not in ("", ".")]
    return "/".join(map(safe_name, parts)) or safe_name(module)


def shard_suffix(shard: str | None) -> str:
    """
    Return the part of a file name that says which shard recorded it; Refused for anything but I/N.

    >>> shard_suffix("1/2"), shard_suffix(None)
    ('.1of2', '')
    """
    if shard is None:
        return ""
    found = _SHARD.fullmatch(shard)
    if found is None or int(found[1]) > int(found[2]):
        raise Refused(
            f"shard: expected I/N with 1 <= I <= N, found {shard!r}. Write 1/2 for the first half."
        )
    return f".{int(found[1])}of{int(found[2])}"


def read_file(path: Path) -> bytes | None:
    """Read a regular file whole; None where there is none. Refused if it is anything else."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Refused(f"{shown(path)}: expected a file, found something else. Remove it.")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Refused(f"{shown(path)}: cannot be read ({error.strerror or error}).") from None


def write_atomically(folder: Path, target: Path, content: bytes) -> bool:
    """
    Replace a file below ``folder`` as a whole and bring it to the disk; False if it was the same already.

    A reader, or a power cut, sees the old content or the new. Refused: a target outside the folder, a
    symbolic link, anything that is not a regular file. DiskFailed: the disk would not take it.
    """
    _check_target(folder, target)
    if read_file(target) == content:
        return False
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, content)
        for parent in (target.parent, *target.parent.parents):
            sync_folder(parent)
            if parent == folder:
                break
    except OSError as error:
        raise DiskFailed.of(target, error) from None
    return True


def remove_file(folder: Path, target: Path) -> None:
    """Remove a file below ``folder``; Refused and DiskFailed as in :func:`write_atomically`."""
    _check_target(folder, target)
    try:
        target.unlink(missing_ok=True)
    except OSError as error:
        raise DiskFailed.of(target, error) from None


def _check_target(folder: Path, target: Path) -> None:
    """Refuse to follow a link out of the folder, whatever a working copy brought along."""
    if not target.parent.resolve().is_relative_to(folder.resolve()):
        raise Refused(
            f"{shown(target)}: leads out of {shown(folder)}. Remove the symbolic link on its way."
        )
    if target.is_symlink():
        raise Refused(f"{shown(target)}: is a symbolic link, which is not written through. Remove it.")


def _replace(target: Path, content: bytes) -> None:
    for left in target.parent.glob(f".{target.name}.*.tmp"):  # of a writer that was killed
        left.unlink(missing_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Bring a folder's entries to the disk, where the system can (Windows cannot)."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_journal_folder(folder: Path) -> Path:
    """Create the folder of journals and locks, ignored by git; DiskFailed where that is not possible."""
    journals = folder / JOURNAL_FOLDER
    if not journals.resolve().is_relative_to(folder.resolve()):
        raise Refused(f"{shown(journals)}: leads out of {shown(folder)}. Remove the symbolic link.")
    try:
        journals.mkdir(parents=True, exist_ok=True)
        ignore = journals / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        raise DiskFailed.of(journals, error) from None
    return journals


@contextmanager
def writing(folder: Path, *, timeout_s: float = 60.0) -> Iterator[None]:
    """
    Hold the folder's write lock: files are read, merged and replaced by one process at a time.

    Not reentrant. DiskFailed after ``timeout_s`` seconds, or if the lock file cannot be made.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - a replay holds no lock

    path = make_journal_folder(folder) / "write.lock"
    lock = FileLock(path, timeout=timeout_s)
    try:
        lock.acquire()
    except Timeout:
        raise DiskFailed(
            f"{shown(path)}: another run has been writing for {timeout_s:.0f} s. "
            "Wait for it to end, then repeat this one."
        ) from None
    except OSError as error:
        raise DiskFailed.of(path, error) from None
    try:
        yield
    finally:
        lock.release()
