"""Journals read and absorbed."""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store import recovery
from pytest_judgeaudit.store.files import DiskFailed
from pytest_judgeaudit.store.journal import Journal
from pytest_judgeaudit.store.lines import decode
from pytest_judgeaudit.store.recovery import absorb, read_journals
from pytest_judgeaudit.store.redact import Redactor
from pytest_judgeaudit.store.snapshots import Snapshots, answer_file, write_answers

MODULE = "evals/test_clones.py"


@pytest.fixture
def journal(folder):
    """Journals whose clock ticks in seconds: 100, 101, …; all closed at the end."""
    opened, ticks = [], itertools.count(100)

    def begin(run="run1", worker="main", **options):
        opened.append(Journal(folder, run, worker, clock=ticks.__next__, **options))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


def names(folder, judge="qwen"):
    return Snapshots(folder).names(MODULE, judge)


def ask(journal, answer, *called, judge="qwen"):
    for name in called:
        journal.intent(MODULE, judge, name, "f" * 64)
        journal.answer(MODULE, judge, answer(name))


def journal_files(folder):
    return sorted(path.name for path in (folder / ".journal").iterdir() if path.suffix == ".jsonl")


def test_without_journals_there_is_nothing_and_nothing_is_created(folder):
    assert read_journals(folder).answers == ()
    assert absorb(folder).answers == ()
    assert not folder.exists()


def test_reading_moves_nothing(folder, journal, answer):
    one = journal()
    ask(one, answer, "a", "b")
    one.close()
    before = one.path.read_bytes()
    found = read_journals(folder)
    assert [(row.module, row.judge, row.answer) for row in found.answers] == [
        (MODULE, "qwen", answer("a")),
        (MODULE, "qwen", answer("b")),
    ]
    assert (found.open_intents, found.torn, found.files) == ((), 0, (one.path,))
    assert one.path.read_bytes() == before
    assert names(folder) == frozenset()


def test_absorbing_moves_answers_and_removes_the_journal(folder, journal, answer):
    one = journal()
    ask(one, answer, "a", "b")
    one.failed(MODULE, "qwen", "c", "f" * 64, "refused: 401")
    one.close()
    found = absorb(folder)
    assert [row.answer.name for row in found.answers] == ["a", "b"]
    assert found.open_intents == ()
    assert names(folder) == {"a", "b"}
    assert sorted(path.name for path in (folder / ".journal").iterdir()) == [".gitignore", "write.lock"]


def test_absorbing_twice_is_absorbing_once(folder, journal, answer):
    one = journal()
    ask(one, answer, "a")
    one.close()
    kept = one.path.read_bytes()
    absorb(folder)
    before = answer_file(folder, MODULE, "qwen").read_bytes()
    one.path.write_bytes(kept)  # as if the power had gone before the journal was removed
    absorb(folder)
    assert answer_file(folder, MODULE, "qwen").read_bytes() == before
    assert not (folder / "evals" / "test_clones.py" / "qwen.superseded.jsonl").exists()


def test_workers_judges_and_shards_come_into_their_files(folder, journal, answer):
    ask(journal(worker="gw0"), answer, "a")
    ask(journal(worker="gw1"), answer, "b")
    ask(journal(worker="gw2"), answer, "c", judge="gpt")
    ask(journal(run="run2", shard="1/2"), answer, "d")
    for path in (folder / ".journal").glob("*.lock"):
        path.unlink()  # as if their owners had ended
    absorb(folder)
    files = {path.name for path in (folder / "evals" / "test_clones.py").iterdir()}
    assert files == {"qwen.jsonl", "gpt.jsonl", "qwen.1of2.jsonl"}
    assert names(folder) == {"a", "b", "d"}


def test_a_journal_whose_owner_lives_is_left_alone(folder, journal, answer):
    one, other = journal(run="run1"), journal(run="run2")
    ask(one, answer, "a")
    ask(other, answer, "b")
    other.intent(MODULE, "qwen", "c", "f" * 64)
    one.close()
    found = absorb(folder)
    assert (found.live, found.open_intents) == ((other.path,), ())
    assert names(folder) == {"a"}
    assert journal_files(folder) == ["run2-main.jsonl"]
    ask(other, answer, "d")
    other.close()
    assert {row.answer.name for row in absorb(folder).answers} == {"b", "d"}


def test_workers_of_this_run_are_waited_for_while_they_end(folder, journal, answer):
    ours, foreign = journal(run="run1", worker="gw0"), journal(run="run2")
    ask(ours, answer, "a")
    ask(foreign, answer, "b")
    ending = threading.Timer(0.7, ours.close)
    ending.start()
    found = absorb(folder, run="run1")
    ending.join()
    assert [row.answer.name for row in found.answers] == ["a"]
    assert found.live == (foreign.path,)


def test_a_worker_that_never_ends_is_waited_for_only_so_long(folder, journal, answer):
    hanging = journal(run="run1", worker="gw0")
    ask(hanging, answer, "a")
    assert absorb(folder, run="run1", patience_s=0.3).live == (hanging.path,)


def test_answers_of_a_live_journal_are_read_but_its_intents_are_not_open(folder, journal, answer):
    one = journal()
    ask(one, answer, "a")
    one.intent(MODULE, "qwen", "b", "f" * 64)
    found = read_journals(folder)
    assert [row.answer.name for row in found.answers] == ["a"]
    assert found.open_intents == ()


# Intents without an end


def test_an_intent_without_an_end_stays_and_is_named(folder, journal, answer):
    one = journal(run="run7", worker="gw1")
    ask(one, answer, "a")
    one.intent(MODULE, "qwen", "b", "0" * 64)
    one.close()
    found = absorb(folder)
    assert [(intent.name, intent.run, intent.worker, intent.at) for intent in found.open_intents] == [
        ("b", "run7", "gw1", 102)
    ]
    again = read_journals(folder)
    assert again.open_intents == found.open_intents
    assert again.answers == ()
    assert absorb(folder).open_intents == found.open_intents
    assert names(folder) == {"a"}


def test_a_refusal_ends_an_intent(folder, journal):
    one = journal()
    one.intent(MODULE, "qwen", "a", "f" * 64)
    one.failed(MODULE, "qwen", "a", "f" * 64, "HTTP 404")
    one.close()
    assert read_journals(folder).open_intents == ()


def test_an_intent_is_closed_once_its_call_has_been_repeated(folder, journal, answer):
    killed, later = journal(run="run1"), journal(run="run2")
    killed.intent(MODULE, "qwen", "a", "f" * 64)
    killed.close()
    assert len(absorb(folder).open_intents) == 1
    ask(later, answer, "a")
    later.close()
    assert read_journals(folder).open_intents == ()
    assert absorb(folder).open_intents == ()
    assert journal_files(folder) == []


def test_an_answer_from_before_the_intent_does_not_close_it(folder, journal, answer):
    write_answers(folder, MODULE, "qwen", {"a": answer("a", at=99.0)})
    one = journal()
    one.intent(MODULE, "qwen", "a", "new")
    one.close()
    assert len(read_journals(folder, snapshots=Snapshots(folder)).open_intents) == 1
    write_answers(folder, MODULE, "qwen", {"a": answer("a", at=101.0)})
    assert read_journals(folder, snapshots=Snapshots(folder)).open_intents == ()
    assert absorb(folder).open_intents == ()


def test_an_old_journal_does_not_bring_back_what_was_replaced_since(folder, journal, answer):
    one = journal()
    one.answer(MODULE, "qwen", answer("a", text="old", at=50.0))
    one.intent(MODULE, "qwen", "b", "f" * 64)
    one.close()
    absorb(folder)
    write_answers(folder, MODULE, "qwen", {"a": answer("a", text="new", at=60.0)})
    absorb(folder)
    assert Snapshots(folder).find(MODULE, "qwen", "a").reply.text == "new"


# Torn and strange lines


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_a_torn_last_line_is_left_aside_and_its_intent_is_open(folder, journal, answer, cut):
    one = journal()
    ask(one, answer, "a", "b")
    one.close()
    one.path.write_bytes(one.path.read_bytes()[: -1 - cut])
    found = read_journals(folder)
    assert [row.answer.name for row in found.answers] == ["a"]
    assert [intent.name for intent in found.open_intents] == ["b"]
    assert found.torn == 1


def test_kinds_that_are_not_known_are_left_aside(folder, journal, answer):
    one = journal()
    ask(one, answer, "a")
    one.close()
    with one.path.open("a", encoding="ascii") as file:
        file.write('{"kind": "heartbeat", "at": 3}\n\n')
    found = read_journals(folder)
    assert (len(found.answers), found.torn) == (1, 0)


@pytest.mark.parametrize(
    "line", ["null", "[]", "{}", '{"kind": []}', '{"kind": "intent"}', '{"kind": "answer"}', "\ud83d"]
)
def test_strange_lines_are_counted_and_do_not_end_the_reading(folder, journal, answer, line):
    one = journal()
    ask(one, answer, "a")
    one.close()
    with one.path.open("ab") as file:
        file.write(line.encode("utf-8", "surrogatepass") + b"\n")
    found = read_journals(folder)
    assert (len(found.answers), found.torn) == (1, 1)


# What stops an absorption


def test_an_unreadable_snapshot_keeps_its_journal_and_no_other(folder, journal, answer):
    one, other = journal(worker="gw0"), journal(worker="gw1")
    ask(one, answer, "a")
    ask(other, answer, "b", judge="gpt")
    one.close()
    other.close()
    path = answer_file(folder, MODULE, "qwen")
    path.parent.mkdir(parents=True)
    path.write_text("no header\n", "ascii")
    with pytest.raises(Refused, match=r"qwen\.jsonl:1: "):
        absorb(folder)
    assert journal_files(folder) == ["run1-gw0.jsonl"]
    assert names(folder, "gpt") == {"b"}
    path.unlink()
    absorb(folder)
    assert names(folder) == {"a"}


def test_a_disk_that_fails_keeps_every_journal(folder, journal, answer, monkeypatch):
    one = journal()
    ask(one, answer, "a")
    one.close()

    def fail(*_, **__):
        raise DiskFailed("full")

    with monkeypatch.context() as patch:
        patch.setattr(recovery, "merge_lines", fail)
        with pytest.raises(DiskFailed):
            absorb(folder)
    assert [row.answer.name for row in absorb(folder).answers] == ["a"]


def test_an_answer_with_a_key_in_it_is_not_absorbed(folder, journal, answer):
    one = journal()
    one.answer(MODULE, "qwen", answer("a", text="key-0123456789"))
    one.answer(MODULE, "qwen", answer("b"))
    one.close()
    with pytest.raises(Refused, match="configured key"):
        absorb(folder, redactor=Redactor(["key-0123456789"]))
    assert names(folder) == {"b"}
    assert journal_files(folder) == ["run1-main.jsonl"]


# Processes


WRITER = """
import sys
from pathlib import Path
from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.store.journal import Journal
folder, worker, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
journal = Journal(folder, "run1", worker)
for number in range(count):
    name = f"{worker}-{number}"
    journal.intent("evals/test_clones.py", "qwen", name, "f")
    attempt = Attempt(started=1.0, ended=2.0, outcome="answered")
    reply = Reply(text="x" * 2000, attempts=(attempt,))
    answer = StoredAnswer(name=name, fingerprint="f", parts={}, instrument="i", reply=reply)
    journal.answer("evals/test_clones.py", "qwen", answer)
    sys.stdout.write(name + "\\n")
    sys.stdout.flush()
"""


def start(folder, worker, count):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), worker, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_lose_nothing(folder):
    writers = [start(folder, worker, 40) for worker in ("gw0", "gw1")]
    told = {name for writer in writers for name in writer.communicate()[0].split()}
    absorb(folder)
    assert len(told) == 80
    assert names(folder) == told


@pytest.mark.parametrize("after_s", [0.0, 0.011, 0.037])
def test_a_killed_process_loses_at_most_the_call_in_flight(folder, after_s):
    writer = start(folder, "gw0", 10**6)
    told = [writer.stdout.readline().strip() for _ in range(5)]
    time.sleep(after_s)
    writer.send_signal(signal.SIGKILL)
    told += writer.stdout.read().split("\n")[:-1]
    writer.wait()
    writer.stdout.close()
    found = absorb(folder)
    assert set(told) <= names(folder)
    assert len(found.open_intents) <= 1
    assert len(names(folder)) - len(told) <= 1


def test_two_controllers_that_absorb_at_once_lose_nothing(folder, journal, answer):
    writers = [start(folder, f"gw{number}", 10) for number in range(2)]
    for writer in writers:
        writer.communicate()
    script = (
        "import sys; from pathlib import Path; from pytest_judgeaudit.store.recovery import absorb; "
        "absorb(Path(sys.argv[1]))"
    )
    both = [subprocess.Popen([sys.executable, "-c", script, str(folder)]) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert len(names(folder)) == 20
    assert journal_files(folder) == []


def test_absorbed_lines_are_those_of_the_journal(folder, journal, answer, rows):
    one = journal()
    stored = answer("a", text="\ud83d\x1b[31m", extra={"provider": "x"})
    one.answer(MODULE, "qwen", stored)
    one.close()
    absorb(folder)
    line = rows(answer_file(folder, MODULE, "qwen"))[1]
    assert decode(json.dumps(line)) == stored


EVENTS = st.lists(
    st.tuples(st.sampled_from(["intent", "answer", "failed"]), st.sampled_from("abc")), max_size=12
)


def write(journal, answer, events):
    for number, (kind, name) in enumerate(events):
        if kind == "intent":
            journal.intent(MODULE, "qwen", name, "f" * 64)
        elif kind == "answer":
            journal.answer(MODULE, "qwen", answer(name, text=str(number), at=1000.0 - number % 3))
        else:
            journal.failed(MODULE, "qwen", name, "f" * 64, "refused")


def everything(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(EVENTS)
def test_a_process_absorbs_its_own_journal_as_any_other_reads_it(tmp_path, answer, events):
    folder, other = tmp_path / "snapshots", tmp_path / "other"
    for place in (folder, other):
        shutil.rmtree(place, ignore_errors=True)
    own = Journal(folder, "run1", "main", shard="1/2", clock=itertools.count(100.25).__next__)
    write(own, answer, events)
    own.close()
    if folder.exists():
        shutil.copytree(folder, other)
    assert own.is_known == own.path.exists()
    assert absorb(folder, run="run1", own=own) == absorb(other, run="run1")
    assert everything(folder) == everything(other)


def test_a_process_does_not_read_its_own_journal_again(folder, journal, answer, monkeypatch):
    own, left = journal(), journal(worker="gw0")
    for one, name in ((own, "a"), (left, "b")):
        ask(one, answer, name)
        one.close()
    read = []
    real = recovery._read
    monkeypatch.setattr(recovery, "_read", lambda path: read.append(path) or real(path))
    absorb(folder, run="run1", own=own)
    assert read == [left.path]
    assert names(folder) == {"a", "b"}


def test_a_line_that_the_disk_took_after_all_is_absorbed(folder, journal, answer, monkeypatch):
    own = journal()
    ask(own, answer, "a")
    real = os.write

    def all_but_its_end(file, data):
        monkeypatch.setattr(os, "write", full)
        return real(file, data[:-1])

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", all_but_its_end)
    with pytest.raises(DiskFailed):
        own.answer(MODULE, "qwen", answer("b"))
    monkeypatch.setattr(os, "write", real)
    ask(own, answer, "c")
    own.close()
    absorb(folder, run="run1", own=own)
    assert names(folder) == {"a", "b", "c"}


def test_a_journal_that_is_opened_again_is_absorbed_whole(folder, journal, answer):
    own = journal()
    ask(own, answer, "a")
    own.close()
    ask(own, answer, "b")
    own.close()
    absorb(folder, run="run1", own=own)
    assert names(folder) == {"a", "b"}


def test_what_was_absorbed_is_not_absorbed_again(folder, journal, answer):
    own = journal()
    ask(own, answer, "a")
    own.close()
    absorb(folder, run="run1", own=own)
    answer_file(folder, MODULE, "qwen").unlink()
    ask(own, answer, "b")
    own.close()
    absorb(folder, run="run1", own=own)
    assert names(folder) == {"b"}


def test_copied_lines_are_read(folder, answer):
    theirs, ours = Journal(folder / "theirs", "run1", "gw0"), Journal(folder, "run1-gw0", "sent")
    ask(theirs, answer, "a")
    theirs.close()
    ours.copy(theirs.path.read_text("ascii").splitlines())
    ours.close()
    absorb(folder, run="run1", own=ours)
    assert names(folder) == {"a"}


@pytest.mark.parametrize("ours", [(), ("a",)])
def test_what_a_forked_process_wrote_is_absorbed(folder, journal, answer, ours):
    own, theirs = journal(), journal()  # of one name
    for one, names_ in ((own, ours), (theirs, ["theirs"])):
        ask(one, answer, *names_)
        one.close()
    absorb(folder, run="run1", own=own)
    assert names(folder) == {*ours, "theirs"}


@pytest.mark.parametrize("write", ["answer", "failed"])
def test_a_signal_between_a_line_and_its_meaning_loses_nothing(folder, journal, answer, monkeypatch, write):
    own = journal()
    ask(own, answer, "a")
    own.intent(MODULE, "qwen", "b", "f" * 16)
    real = os.write

    def interrupted(file, data):
        real(file, data)
        raise KeyboardInterrupt

    ended = {
        "answer": lambda: own.answer(MODULE, "qwen", answer("b")),
        "failed": lambda: own.failed(MODULE, "qwen", "b", "f" * 16, "refused"),
    }
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ended[write]()
    ask(own, answer, "c")
    own.close()
    absorbed = absorb(folder, run="run1", own=own)
    assert absorbed.open_intents == ()
    assert names(folder) == {"a", "c", *(["b"] if write == "answer" else [])}
    assert not own.path.exists()


def no_folder(path):
    shutil.rmtree(path.parent)


def no_lines(path):
    path.write_bytes(b"")


def fewer_lines(path):
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))


def another_file(path):
    other = path.with_suffix(".other")
    shutil.copy(path, other)
    other.replace(path)


@pytest.mark.parametrize("harm", [Path.unlink, no_folder, no_lines, fewer_lines, another_file])
@pytest.mark.parametrize("again", [False, True])
def test_answers_are_absorbed_whatever_happened_to_their_journal(folder, journal, answer, harm, again):
    own = journal()
    for name in ("a", "b", "c"):
        ask(own, answer, name)
    if again:
        own.close()
    harm(own.path)
    if again:
        ask(own, answer, "d")
    own.close()
    absorbed = absorb(folder, run="run1", own=own)
    assert names(folder) == {"a", "b", "c", *(["d"] if again else [])}
    assert absorbed.open_intents == ()
    assert absorb(folder, run="run1", own=own).answers == ()


def test_a_file_of_the_same_size_in_its_place_is_read_too(folder, answer):
    own, theirs = (Journal(folder, "run1", "main", clock=lambda: 100.25) for _ in range(2))
    for one, name in ((own, "a"), (theirs, "b")):
        own.path.unlink(missing_ok=True)
        ask(one, answer, name)
        one.close()
    assert own.path.stat().st_size == own.contents.size
    absorb(folder, run="run1", own=own)
    assert names(folder) == {"a", "b"}
