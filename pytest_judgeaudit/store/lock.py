"""The protocol lock: digests of what was fixed before the first call, and when."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.files import read_file, shown, write_atomically, writing

NAME = "protocol.lock.json"
FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """
    A frozen protocol.

    ``parts`` maps each part (items, templates, configurations, schedule, thresholds, families,
    predictions, …) to its digest, ``sha256`` is the digest of them all, ``frozen_at`` an ISO 8601 time in
    UTC. ``notes`` holds what a reader wants to see beside the digests (the gates by name, say) and is part
    of no digest.
    """

    sha256: str
    parts: Mapping[str, str]
    frozen_at: str
    notes: Mapping[str, Any] = field(default_factory=dict)


def part_digest(value: Any) -> str:
    """
    Return SHA-256 over the canonical JSON of a part: 64 hexadecimal digits, whatever the order of keys.

    >>> part_digest({"b": 1, "a": 2}) == part_digest({"a": 2, "b": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def protocol_digest(parts: Mapping[str, str]) -> str:
    """Return the digest of a whole protocol from those of its parts."""
    return part_digest(dict(parts))


def compare(lock: Lock, parts: Mapping[str, str]) -> list[str]:
    """
    Name the parts that moved since the freeze: changed, added or gone; sorted, empty if none did.

    >>> compare(Lock(sha256="", parts={"items": "1", "schedule": "2"}, frozen_at=""), {"items": "3"})
    ['items', 'schedule']
    """
    names = {*lock.parts, *parts}
    return sorted(name for name in names if lock.parts.get(name) != parts.get(name))


def read_lock(folder: Path) -> Lock | None:
    """Read the lock below a snapshots folder; None without one. Refused if it cannot be trusted."""
    path = folder / NAME
    content = read_file(path)
    if content is None:
        return None
    try:
        found = json.loads(content)
        version = found["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _refused(path, "is no protocol lock") from None
    if version != FORMAT:
        raise _refused(path, f"format: found version {version!r:.40}, expected {FORMAT}")
    lock = _lock(path, found)
    if lock.sha256 != protocol_digest(lock.parts):
        raise _refused(path, "sha256: does not belong to the parts, so one of them was edited")
    return lock


def _lock(path: Path, found: Mapping[str, Any]) -> Lock:
    expected = {"sha256": str, "parts": dict, "frozen_at": str}
    for key, kind in expected.items():
        if not isinstance(found.get(key), kind):
            raise _refused(path, f"{key}: expected {kind.__name__}, found {found.get(key)!r:.40}")
    notes = found.get("notes")
    return Lock(
        sha256=found["sha256"],
        parts=found["parts"],
        frozen_at=found["frozen_at"],
        notes=notes if isinstance(notes, dict) else {},
    )


def _refused(path: Path, what: str) -> Refused:
    return Refused(f"{shown(path)}: {what}. Restore the file, or freeze anew with --judge-freeze.")


def write_lock(
    folder: Path, protocol: Mapping[str, str], frozen_at: str, *, notes: Mapping[str, Any] | None = None
) -> Lock:
    """
    Freeze a protocol: ``protocol`` maps parts to digests (:func:`part_digest`), ``frozen_at`` is UTC.

    A lock of the same protocol stays as it is, and keeps the time of its freeze. Returns the lock that is
    in force. DiskFailed where it cannot be written.
    """
    digest = protocol_digest(protocol)
    with writing(folder):
        known = _known(folder)
        if known is not None and known.sha256 == digest:
            frozen_at = known.frozen_at
        lock = Lock(sha256=digest, parts=dict(protocol), frozen_at=frozen_at, notes=dict(notes or {}))
        write_atomically(folder, folder / NAME, _text(lock).encode("ascii"))
    return lock


def _known(folder: Path) -> Lock | None:
    try:
        return read_lock(folder)
    except Refused:  # a freeze replaces what cannot be read
        return None


def _text(lock: Lock) -> str:
    body = {
        "format": FORMAT,
        "sha256": lock.sha256,
        "frozen_at": lock.frozen_at,
        "parts": lock.parts,
        "notes": lock.notes,
    }
    return json.dumps(body, indent=1, sort_keys=True, default=str) + "\n"
