"""Names and writes below the snapshots folder."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.errors import Refused, Void
from pytest_judgeaudit.store import files
from pytest_judgeaudit.store.files import (
    DiskFailed,
    read_file,
    remove_file,
    safe_module,
    safe_name,
    shard_suffix,
    write_atomically,
    writing,
)

HOSTILE = [
    "..",
    "../../x",
    "/etc/passwd",
    "a/../../b",
    "C:\\x\\y",
    "\\\\host\\share",
    "a\x00b",
    ".journal",
    "",
    ".",
]


@pytest.mark.parametrize("module", HOSTILE)
def test_no_module_leads_out_of_the_folder(module):
    parts = safe_module(module).split("/")
    assert all(part and part not in (".", "..") and not part.startswith(".") for part in parts)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_a_file_name_is_short_plain_ascii_whatever_the_judge_is_called(text):
    name = safe_name(text)
    assert name.isascii()
    assert 0 < len(name) <= 100
    assert not set(name) & set('/\\:*?"<>|\0')
    assert name[0] not in ".-"
    assert name[-1] not in ". "


@pytest.mark.parametrize("name", ["qwen", "qwen2.5-32b", "gpt-4.1", "claude-sonnet-4-6@20260101", "_x"])
def test_plain_names_stay_as_they_are(name):
    assert safe_name(name) == name


@pytest.mark.parametrize(
    "name", ["a.superseded", "a.1of2", "CON", "nul.txt", ".hidden", "a.", "a b", "Ж", "x" * 101]
)
def test_names_that_would_read_as_something_else_get_a_hash(name):
    assert safe_name(name) != name
    assert safe_name(name).rpartition("-")[2].isalnum()


def test_different_judges_get_different_files():
    names = ["a/b", "a b", "a_b", "a\\b", "a:b", "Ж", "Я"]
    assert len({safe_name(name) for name in names}) == len(names)


def test_a_module_keeps_its_path():
    assert safe_module("evals/nested/test_a.py") == "evals/nested/test_a.py"


@pytest.mark.parametrize(
    ("shard", "suffix"), [(None, ""), ("1/2", ".1of2"), ("2of2", ".2of2"), ("10/12", ".10of12")]
)
def test_a_shard_is_part_of_the_file_name(shard, suffix):
    assert shard_suffix(shard) == suffix


@pytest.mark.parametrize("shard", ["", "0/2", "3/2", "1/0", "a/b", "1", "../1/2", "1/2/3"])
def test_anything_else_is_no_shard(shard):
    with pytest.raises(Refused, match=r"Write 1/2"):
        shard_suffix(shard)


def test_a_write_replaces_the_whole_file_and_leaves_nothing_else(folder):
    target = folder / "evals" / "a.jsonl"
    assert write_atomically(folder, target, b"one")
    assert write_atomically(folder, target, b"two")
    assert target.read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["a.jsonl"]


def test_the_same_content_is_not_written_again(folder):
    target = folder / "a"
    write_atomically(folder, target, b"one")
    before = target.stat()
    assert not write_atomically(folder, target, b"one")
    assert (target.stat().st_ino, target.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_left_over_temporary_files_are_cleared_away(folder):
    target = folder / "a.jsonl"
    write_atomically(folder, target, b"one")
    (folder / ".a.jsonl.77.tmp").write_bytes(b"torn")
    write_atomically(folder, target, b"two")
    assert [path.name for path in folder.iterdir()] == ["a.jsonl"]


WRITER = """
import sys
from pathlib import Path
from pytest_judgeaudit.store.files import write_atomically
folder = Path(sys.argv[1])
for number in range(10**6):
    write_atomically(folder, folder / "a.jsonl", (f"{number % 10}" * 200_000).encode())
    sys.stdout.write(".")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("after_s", [0.0, 0.013, 0.029])
def test_a_writer_that_is_killed_leaves_a_whole_file(folder, after_s):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE)
    writer.stdout.read(3)
    time.sleep(after_s)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    content = (folder / "a.jsonl").read_bytes()
    assert len(content) == 200_000
    assert len(set(content)) == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_failing_disk_is_told_in_one_line_and_loses_nothing(folder, monkeypatch, number):
    target = folder / "a.jsonl"
    write_atomically(folder, target, b"old")

    def fail(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(DiskFailed) as failure:
        write_atomically(folder, target, b"new")
    assert str(failure.value).startswith(
        f"snapshots/a.jsonl: could not be written ({os.strerror(number)})."
    )
    assert "\n" not in str(failure.value)
    assert isinstance(failure.value, Void)
    assert [path.name for path in folder.iterdir()] == ["a.jsonl"]
    assert target.read_bytes() == b"old"


def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    folder.mkdir()
    (folder / "evals").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="leads out of snapshots"):
        write_atomically(folder, folder / "evals" / "a.jsonl", b"x")
    with pytest.raises(Refused, match="leads out of snapshots"):
        remove_file(folder, folder / "evals" / "a.jsonl")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_linked_file_is_not_written_through(folder, tmp_path):
    outside = tmp_path / "precious"
    outside.write_bytes(b"mine")
    folder.mkdir()
    (folder / "a.jsonl").symlink_to(outside)
    with pytest.raises(Refused, match="symbolic link"):
        write_atomically(folder, folder / "a.jsonl", b"x")
    assert outside.read_bytes() == b"mine"


def test_a_pipe_or_a_folder_in_place_of_a_file_is_refused_and_not_waited_for(folder):
    folder.mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "folder.jsonl").mkdir()
    for name in ("pipe.jsonl", "folder.jsonl"):
        with pytest.raises(Refused, match="expected a file"):
            read_file(folder / name)
        with pytest.raises(Refused, match="expected a file"):
            write_atomically(folder, folder / name, b"x")


def test_no_file_is_none(folder):
    assert read_file(folder / "nothing" / "here") is None


def test_one_writer_at_a_time(folder):
    second = writing(folder, timeout_s=0.1)
    with writing(folder), pytest.raises(DiskFailed, match="another run has been writing"), second:
        pytest.fail("two writers")
    with writing(folder, timeout_s=0.1):
        assert (folder / ".journal" / ".gitignore").read_text(encoding="ascii") == "*\n"


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("", encoding="ascii")
    lock = writing(tmp_path / "file" / "snapshots")
    with pytest.raises(DiskFailed, match="could not be written"), lock:
        pytest.fail("there is no folder")
