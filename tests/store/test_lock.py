"""The protocol lock."""

from __future__ import annotations

import hashlib
import json

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.lock import Lock, compare, part_digest, protocol_digest, read_lock, write_lock

PARTS = {"items": "a" * 64, "schedule": "b" * 64}
FROZEN = "2026-11-29T12:00:00Z"


def test_without_a_freeze_there_is_no_lock(folder):
    assert read_lock(folder) is None


def test_what_was_frozen_is_read(folder):
    lock = write_lock(folder, PARTS, FROZEN, notes={"gates": ["evals/test_a.py::test_a::clone_gate[qwen]"]})
    assert read_lock(folder) == lock
    assert lock == Lock(
        sha256=protocol_digest(PARTS),
        parts=PARTS,
        frozen_at=FROZEN,
        notes={"gates": ["evals/test_a.py::test_a::clone_gate[qwen]"]},
    )


def test_the_digest_is_sha256_over_canonical_json():
    expected = hashlib.sha256(b'{"a":[1,"\\u00fc"],"b":null}').hexdigest()
    assert part_digest({"b": None, "a": (1, "ü")}) == expected
    assert protocol_digest({"b": "2", "a": "1"}) == hashlib.sha256(b'{"a":"1","b":"2"}').hexdigest()


def test_the_file_is_ascii_and_the_same_whatever_the_order(folder):
    write_lock(folder, {"b": "2", "ü": "1"}, FROZEN)
    first = (folder / "protocol.lock.json").read_bytes()
    (folder / "protocol.lock.json").unlink()
    write_lock(folder, {"ü": "1", "b": "2"}, FROZEN)
    assert (folder / "protocol.lock.json").read_bytes() == first
    assert first.isascii()


def test_freezing_the_same_protocol_again_keeps_the_time_of_its_freeze(folder):
    write_lock(folder, PARTS, FROZEN)
    assert write_lock(folder, PARTS, "2027-01-01T00:00:00Z").frozen_at == FROZEN
    moved = {**PARTS, "schedule": "c" * 64}
    assert write_lock(folder, moved, "2027-01-01T00:00:00Z").frozen_at == "2027-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("parts", "moved"),
    [
        (PARTS, []),
        ({**PARTS, "items": "0"}, ["items"]),
        ({"items": PARTS["items"]}, ["schedule"]),
        ({**PARTS, "families": "1"}, ["families"]),
        ({}, ["items", "schedule"]),
    ],
)
def test_the_parts_that_moved_are_named(folder, parts, moved):
    assert compare(write_lock(folder, PARTS, FROZEN), parts) == moved


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (
            lambda lock: {**lock, "parts": {**lock["parts"], "items": "edited"}},
            "sha256: does not belong to the parts",
        ),
        (lambda lock: {**lock, "format": 2}, "format: found version 2, expected 1"),
        (lambda lock: {**lock, "parts": []}, r"parts: expected dict, found \[\]"),
        (lambda lock: {**lock, "frozen_at": 3}, "frozen_at: expected str, found 3"),
        (lambda lock: [lock], "is no protocol lock"),
        (lambda lock: {"sha256": lock["sha256"]}, "is no protocol lock"),
    ],
)
def test_a_lock_that_cannot_be_trusted_is_refused_in_one_line(folder, edit, told):
    write_lock(folder, PARTS, FROZEN)
    path = folder / "protocol.lock.json"
    path.write_text(json.dumps(edit(json.loads(path.read_bytes()))), "ascii")
    with pytest.raises(Refused, match=told) as refusal:
        read_lock(folder)
    assert str(refusal.value).startswith("snapshots/protocol.lock.json: ")
    assert "--judge-freeze" in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000])
def test_bytes_that_are_no_json_are_refused_and_replaced_by_a_freeze(folder, content):
    folder.mkdir()
    (folder / "protocol.lock.json").write_bytes(content)
    with pytest.raises(Refused, match="is no protocol lock"):
        read_lock(folder)
    write_lock(folder, PARTS, FROZEN)
    assert read_lock(folder).parts == PARTS
