"""What an asking process writes down, before a request leaves and when its answer arrives."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time

import pytest

from pytest_judgeaudit.records.errors import Refused, Void
from pytest_judgeaudit.store import journal as module
from pytest_judgeaudit.store.files import DiskFailed
from pytest_judgeaudit.store.journal import Journal, hold
from pytest_judgeaudit.store.lines import decode
from pytest_judgeaudit.store.redact import Redactor

CALL = ("evals/test_a.py", "qwen", "a", "f" * 64)


@pytest.fixture
def journal(folder):
    journal = Journal(folder, "run1", "main", clock=iter(range(100, 1000)).__next__)
    yield journal
    journal.close()


def test_nothing_is_created_before_the_first_write(folder):
    Journal(folder, "run1", "main").close()
    assert not folder.exists()


def test_an_intent_is_on_the_disk_when_the_call_returns(folder, journal, rows):
    journal.intent(*CALL)
    head, intent = rows(folder / ".journal" / "run1-main.jsonl")
    assert head["kind"] == "journal"
    assert (head["run"], head["worker"], head["shard"]) == ("run1", "main", None)
    assert intent == {
        "kind": "intent",
        "module": "evals/test_a.py",
        "judge": "qwen",
        "at": 100,
        "name": "a",
        "asks": "f" * 64,
    }


def test_an_answer_is_kept_whole(journal, answer, rows):
    stored = answer("a", text="\ud83d {\n}")
    journal.answer("evals/test_a.py", "qwen", stored)
    line = rows(journal.path)[1]
    assert (line["kind"], line["module"], line["judge"]) == ("answer", "evals/test_a.py", "qwen")
    assert decode(json.dumps(line["answer"])) == stored


def test_no_line_of_a_journal_reads_as_a_line_of_a_snapshot(journal, answer, rows):
    journal.intent(*CALL)
    journal.answer("evals/test_a.py", "qwen", answer())
    journal.failed(*CALL, "refused")
    assert [line for line in rows(journal.path) if "fingerprint" in line] == []


def test_every_line_is_synchronised_before_the_call_returns(journal, answer, monkeypatch):
    synced = []
    monkeypatch.setattr(module, "_sync", lambda file: synced.append(os.fstat(file).st_size))
    journal.intent(*CALL)
    assert synced == [journal.path.stat().st_size]
    journal.answer("evals/test_a.py", "qwen", answer())
    assert synced[1:] == [journal.path.stat().st_size]
    journal.failed(*CALL, "gave up")
    assert synced[2:] == [journal.path.stat().st_size]


def test_the_name_of_a_journal_stays_in_its_folder(folder):
    path = Journal(folder, "../../run", "gw/0").path
    assert path.parent == folder / ".journal"


def test_threads_lose_no_line_and_tear_none(journal, answer, rows):
    def ask(thread):
        for call in range(25):
            journal.intent("m", "qwen", f"{thread}-{call}", "f")
            journal.answer("m", "qwen", answer(f"{thread}-{call}"))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = rows(journal.path)[1:]
    assert len(lines) == 400
    assert {line["answer"]["name"] for line in lines if line["kind"] == "answer"} == {
        f"{thread}-{call}" for thread in range(8) for call in range(25)
    }


def test_threads_share_a_synchronisation(journal, monkeypatch):
    journal.intent(*CALL)
    started, released, synced = threading.Event(), threading.Event(), []

    def slow(file):
        synced.append(file)
        started.set()
        released.wait(10)

    monkeypatch.setattr(module, "_sync", slow)
    threads = [threading.Thread(target=journal.failed, args=(*CALL, "gave up")) for _ in range(6)]
    threads[0].start()
    started.wait(10)
    for thread in threads[1:]:
        thread.start()
    while journal._written < 7:
        time.sleep(0.01)
    released.set()
    for thread in threads:
        thread.join()
    assert len(synced) == 2


def test_an_intent_waits_for_no_other_synchronisation(journal, monkeypatch):
    journal.intent(*CALL)
    together, released = threading.Barrier(3), threading.Event()

    def slow(_):
        together.wait(10)
        released.wait(10)

    monkeypatch.setattr(module, "_sync", slow)
    threads = [
        threading.Thread(target=journal.intent, args=CALL),
        threading.Thread(target=journal.intent, args=CALL),
        threading.Thread(target=journal.failed, args=(*CALL, "gave up")),
    ]
    for thread in threads:
        thread.start()
    released.set()
    for thread in threads:
        thread.join()
    assert not together.broken


def test_the_disk_tells_those_who_wait_for_it_side_by_side_apart_from_those_who_share(journal, monkeypatch):
    files = []
    monkeypatch.setattr(module, "_sync", files.append)
    journal.intent(*CALL)
    journal.failed(*CALL, "gave up")
    assert len(set(files)) == 2
    journal.close()
    for file in files:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(file)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fails_is_told_in_one_line(journal, answer, monkeypatch, number):
    journal.intent(*CALL)

    def fail(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(module.os, "write", fail)
    with pytest.raises(DiskFailed) as failure:
        journal.answer("evals/test_a.py", "qwen", answer("a"))
    assert isinstance(failure.value, Void)
    assert str(failure.value).startswith("snapshots/.journal/run1-main.jsonl: could not be written (")
    assert "\n" not in str(failure.value)


def test_a_full_disk_that_has_room_again_continues_on_a_new_line(journal, answer, monkeypatch):
    journal.intent(*CALL)
    real = os.write

    def half(file, data):
        monkeypatch.setattr(module.os, "write", full)
        return real(file, data[: len(data) // 2])

    def full(file, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module.os, "write", half)
    with pytest.raises(DiskFailed, match="No space left"):
        journal.answer("m", "qwen", answer("a"))
    monkeypatch.setattr(module.os, "write", real)
    journal.answer("m", "qwen", answer("b"))
    lines = journal.path.read_text("ascii").split("\n")
    assert json.loads(lines[3])["answer"]["name"] == "b"


def test_a_disk_that_was_full_at_the_start_gets_the_header_first(folder, answer, monkeypatch, rows):
    journal = Journal(folder, "run1", "main", shard="1/2")
    real = os.write

    def full(file, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module.os, "write", full)
    with pytest.raises(DiskFailed):
        journal.intent(*CALL)
    monkeypatch.setattr(module.os, "write", real)
    journal.intent(*CALL)
    journal.close()
    head, intent = rows(journal.path)
    assert (head["shard"], intent["kind"]) == ("1/2", "intent")


def test_a_synchronisation_that_failed_is_never_trusted_again(journal, monkeypatch):
    journal.intent(*CALL)

    def fail(file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(module, "_sync", fail)
    with pytest.raises(DiskFailed):
        journal.intent(*CALL)
    monkeypatch.setattr(module, "_sync", os.fsync)
    with pytest.raises(DiskFailed):
        journal.intent(*CALL)


def test_a_device_that_is_always_full_is_told_in_one_line(journal, monkeypatch):
    real = os.open
    monkeypatch.setattr(module.os, "open", lambda *_: real("/dev/full", os.O_WRONLY))
    with pytest.raises(DiskFailed, match="No space left on device"):
        journal.intent(*CALL)


def test_a_folder_that_may_not_be_written_is_told_in_one_line(tmp_path, monkeypatch):
    (tmp_path / "snapshots").write_text("a file in its place", "ascii")
    journal = Journal(tmp_path / "snapshots", "run1", "main")
    with pytest.raises(DiskFailed, match="could not be written"):
        journal.intent(*CALL)


def test_a_key_in_an_answer_is_refused_and_never_on_the_disk(folder, answer):
    journal = Journal(folder, "run1", "main", redactor=Redactor(["key-0123456789"]))
    journal.intent(*CALL)
    with pytest.raises(Refused, match="a: the answer contains the value of a configured key"):
        journal.answer("evals/test_a.py", "qwen", answer("a", text=r"k\u0065y-0123456789"))
    journal.failed(*CALL, "401: wrong key key-0123456789")
    journal.close()
    kept = journal.path.read_text("ascii")
    assert "0123456789" not in kept
    assert [json.loads(line)["kind"] for line in kept.splitlines()] == [
        "journal",
        "intent",
        "failed",
        "failed",
    ]


def test_the_owner_holds_the_lock_until_it_closes(journal):
    journal.intent(*CALL)
    assert hold(journal.path) is None
    journal.close()
    lock = hold(journal.path)
    assert lock is not None
    lock.release()


def test_a_journal_that_was_closed_opens_again(journal, rows):
    journal.intent(*CALL)
    journal.close()
    journal.failed(*CALL, "interrupted")
    assert [line["kind"] for line in rows(journal.path)] == ["journal", "intent", "journal", "failed"]


OWNER = """
import sys, time
from pathlib import Path
from pytest_judgeaudit.store.journal import Journal
journal = Journal(Path(sys.argv[1]), "run1", "gw0")
journal.intent("m", "qwen", "a", "f")
sys.stdout.write("!")
sys.stdout.flush()
time.sleep(60)
"""


def test_the_lock_of_a_process_that_was_killed_is_free(folder):
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(folder)], stdout=subprocess.PIPE)
    owner.stdout.read(1)
    path = folder / ".journal" / "run1-gw0.jsonl"
    assert hold(path) is None
    owner.kill()
    owner.wait()
    owner.stdout.close()
    lock = hold(path)
    assert lock is not None
    lock.release()
