"""Journals that travel: every line is sent once, and copied as it is."""

from __future__ import annotations

import json

import pytest

from pytest_judgeaudit.store.files import DiskFailed
from pytest_judgeaudit.store.journal import Journal
from pytest_judgeaudit.store.parcels import Inbox, Outbox, Parcel
from pytest_judgeaudit.store.recovery import absorb, read_journals
from pytest_judgeaudit.store.snapshots import Snapshots

MODULE, JUDGE = "evals/test_a.py", "qwen"


@pytest.fixture
def away(tmp_path):
    return tmp_path / "w" / ".judgeaudit" / "project"


def outbox(away):
    made = Outbox(away, place="there:/w")
    made.claim()
    return made


def journal(away, sent, *, run="run1", worker="gw0"):
    return Journal(away, run, worker, told=lambda line: sent.post(f"{run}-{worker}", line))


def inbox(folder, run="run1"):
    return Inbox(folder, run=run, journal=lambda folder, name: Journal(folder, name, "sent"))


def record(one, answer, *names):
    for name in names:
        one.intent(MODULE, JUDGE, name, "f" * 64)
        one.answer(MODULE, JUDGE, answer(name, text="\ud83d"))


def test_a_parcel_is_one_ascii_string(away, answer):
    sent = outbox(away)
    record(journal(away, sent), answer, "a")
    text = sent.parcel()
    assert text.isascii()
    assert [json.loads(line)["kind"] for line in Parcel.from_json(text).journals["run1-gw0"]] == [
        "journal",
        "intent",
        "answer",
    ]


def test_every_line_is_sent_once_and_the_first_parcel_introduces(away, answer):
    sent = outbox(away)
    assert Parcel.from_json(sent.parcel()) == Parcel(place="there:/w")
    assert sent.parcel() is None
    one = journal(away, sent)
    record(one, answer, "a")
    first = Parcel.from_json(sent.parcel()).journals["run1-gw0"]
    record(one, answer, "b")
    second = Parcel.from_json(sent.parcel()).journals["run1-gw0"]
    assert [*first, *second] == one.path.read_text("ascii").splitlines()


def test_what_was_sent_is_absorbed_as_if_it_had_been_recorded_here(away, folder, answer):
    sent, here = outbox(away), inbox(folder)
    one = journal(away, sent)
    record(one, answer, "a", "b")
    here.take(Parcel.from_json(sent.parcel()))
    one.intent(MODULE, JUDGE, "c", "f" * 64)
    here.take(Parcel.from_json(sent.parcel()))
    here.close()
    found = absorb(folder, run="run1")
    assert Snapshots(folder).find(MODULE, JUDGE, "b") == answer("b", text="\ud83d")
    assert [(intent.name, intent.worker) for intent in found.open_intents] == [("c", "gw0")]
    assert here.recovered == 0


def test_the_same_parcel_twice_changes_nothing(away, folder, answer):
    sent, here = outbox(away), inbox(folder)
    record(journal(away, sent), answer, "a")
    parcel = Parcel.from_json(sent.parcel())
    here.take(parcel)
    here.take(parcel)
    here.close()
    absorb(folder, run="run1")
    assert Snapshots(folder).names(MODULE, JUDGE) == {"a"}
    assert [path.name for path in folder.rglob("*.superseded.jsonl")] == []


def test_what_an_ended_process_left_behind_is_sent_by_the_next_one(away, folder, answer):
    dead = Journal(away, "run0", "gw0")
    record(dead, answer, "a", "b")
    dead.close()
    sent, here = outbox(away), inbox(folder)
    here.take(Parcel.from_json(sent.parcel()))
    here.close()
    absorb(folder, run="run1")
    assert (here.recovered, Snapshots(folder).names(MODULE, JUDGE)) == (2, {"a", "b"})


def test_the_journal_of_a_living_process_is_left_to_it(away, answer):
    living = Journal(away, "run1", "gw1")
    record(living, answer, "a")
    sent = outbox(away)
    assert Parcel.from_json(sent.parcel()).journals == {}
    own = journal(away, sent)
    record(own, answer, "b")
    own.close()
    sent.delivered(own.path, {"run1-gw0": 3})
    assert len(read_journals(away).answers) == 1
    living.close()


def test_what_was_delivered_leaves_nothing_behind(away, answer, tmp_path):
    dead = Journal(away, "run0", "gw0")
    record(dead, answer, "a")
    dead.close()
    sent = outbox(away)
    own = journal(away, sent)
    record(own, answer, "b")
    own.close()
    sent.delivered(own.path, {"run1-gw0": 3, "run0-gw0": 3})
    assert list((tmp_path / "w").iterdir()) == []


@pytest.mark.parametrize("kept", [{}, {"run0-gw0": 2, "run1-gw0": 2}], ids=["nothing", "a part"])
def test_what_the_receiver_does_not_have_stays_and_is_sent_again(away, folder, answer, kept):
    dead = Journal(away, "run0", "gw0")
    record(dead, answer, "a")
    dead.close()
    sent = outbox(away)
    own = journal(away, sent)
    record(own, answer, "b")
    sent.parcel()
    own.close()
    sent.delivered(own.path, kept)
    here = inbox(folder, run="run2")
    here.take(Parcel.from_json(outbox(away).parcel()))
    here.close()
    absorb(folder, run="run2")
    assert Snapshots(folder).names(MODULE, JUDGE) == {"a", "b"}


def test_the_receiver_counts_what_is_on_its_disk(away, folder, answer):
    sent, here = outbox(away), inbox(folder)
    one = journal(away, sent)
    record(one, answer, "a")
    here.take(Parcel.from_json(sent.parcel()), sender="gw0")
    record(one, answer, "b")
    here.take(Parcel.from_json(sent.parcel()), sender="gw0")
    assert here.kept["gw0"] == {"run1-gw0": 5}
    one.close()
    sent.delivered(one.path, here.kept["gw0"])
    assert not away.exists()


def test_what_a_dead_worker_had_sent_does_not_count_for_the_one_in_its_place(away, folder, answer):
    first, here = outbox(away), inbox(folder)
    dead = journal(away, first)
    record(dead, answer, "a")
    here.take(Parcel.from_json(first.parcel()), sender="gw0")
    dead.close()
    second = outbox(away)
    second.delivered(away / "none", here.kept["gw1"])
    assert len(read_journals(away).answers) == 1
    third = outbox(away)
    here.take(Parcel.from_json(third.parcel()), sender="gw1")
    third.delivered(away / "none", here.kept["gw1"])
    assert not away.exists()


def test_what_the_disk_does_not_take_is_tried_again_and_then_said(away, folder, answer):
    sent, here = outbox(away), inbox(folder)
    record(journal(away, sent), answer, "a")
    folder.write_text("in the way")
    here.take(Parcel.from_json(sent.parcel()))
    assert here.kept == {}
    with pytest.raises(DiskFailed):
        here.close()
