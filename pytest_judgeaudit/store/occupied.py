"""Judges that a live run is asking into a folder of snapshots: a second run would pay for them twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.files import (
    DiskFailed,
    make_journal_folder,
    safe_name,
    shard_suffix,
    shown,
    writing,
)

_SUFFIX = ".asking"


def occupy(folder: Path, judges: Iterable[str], *, shard: str | None = None) -> Callable[[], None]:
    """
    Hold these judges, or the ``shard`` (I/N) of each, for a live run; call what is returned when it ends.

    By lock files, which the system lets go when the process dies. Other judges, and other shards of the
    same N, may be asked at the same time. Nothing is held in a folder that cannot be written: the first
    call says so. Refused: another live run holds one of them.
    """
    with ExitStack() as held:
        try:
            # Under the write lock: of two runs that begin at the same time, one goes on.
            with writing(folder):
                for judge in judges:
                    _occupy(folder, judge, shard, held)
        except DiskFailed:
            return lambda: None
        return held.pop_all().close


def _occupy(folder: Path, judge: str, shard: str | None, held: ExitStack) -> None:
    from filelock import FileLock, Timeout  # noqa: PLC0415 - a replay holds no lock

    own = make_journal_folder(folder) / f"{safe_name(judge)}{shard_suffix(shard)}{_SUFFIX}"
    for path in (own, *_sharing(own, safe_name(judge), shard)):
        lock = FileLock(path, blocking=False, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            raise Refused(
                f'{shown(folder)}: another live run is asking "{judge}" into this folder: the same calls '
                "would cost twice. Wait for it to end, or leave out --judge-live."
            ) from None
        except (OSError, NotImplementedError):
            continue  # no locks here
        if path == own:
            held.callback(lock.release)
        else:
            lock.release()


def _sharing(own: Path, judge: str, shard: str | None) -> Iterator[Path]:
    """Name the other lock files of a judge whose run may make the same calls as ours."""
    apart = f"of{own.name.removesuffix(_SUFFIX).rpartition('of')[2]}{_SUFFIX}" if shard else None
    for path in sorted(own.parent.glob(f"*{_SUFFIX}")):
        share = path.name.removeprefix(judge).removesuffix(_SUFFIX)
        if path == own or not path.name.startswith(judge) or not _is_share(share):
            continue
        if apart is None or not path.name.endswith(apart):
            yield path


def _is_share(text: str) -> bool:
    """Whether what stands between a judge's name and the suffix names all of it, or a shard."""
    part, _, parts = text.removeprefix(".").partition("of")
    return not text or (text.startswith(".") and part.isdigit() and parts.isdigit())
