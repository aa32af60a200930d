"""Files of stored answers."""

from __future__ import annotations

import json
import time

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.lines import Journaled, encode
from pytest_judgeaudit.store.redact import Redactor
from pytest_judgeaudit.store.snapshots import Snapshots, answer_file, prune, write_answers

MODULE = "evals/test_clones.py"


def write(folder, *answers, judge="qwen", **options):
    write_answers(folder, MODULE, judge, {answer.name: answer for answer in answers}, **options)


def find(folder, name, **options):
    return Snapshots(folder).find(MODULE, "qwen", name, **options)


def test_what_was_written_is_found(folder, answer):
    one, other = answer("a", text="\ud83d\u2028\x00"), answer("b", usage=None, served=None)
    write(folder, one, other)
    assert find(folder, "a") == one
    assert find(folder, "b") == other
    assert find(folder, "c") is None
    assert Snapshots(folder).names(MODULE, "qwen") == {"a", "b"}


def test_a_judge_without_a_file_has_no_answers(folder):
    snapshots = Snapshots(folder)
    assert snapshots.find(MODULE, "qwen", "a") is None
    assert snapshots.names(MODULE, "qwen") == frozenset()
    assert snapshots.files() == []
    assert not folder.exists()


def test_a_file_has_a_header_and_one_line_a_call_sorted_by_name(folder, answer, rows):
    write(folder, answer("b"), answer("a"), answer("c"))
    header, *lines = rows(folder / "evals" / "test_clones.py" / "qwen.jsonl")
    assert header["format"] == 1
    assert "fingerprint" not in header
    assert [line["name"] for line in lines] == ["a", "b", "c"]


def test_the_order_of_writing_does_not_matter(folder, answer):
    write(folder, answer("b"))
    write(folder, answer("a"))
    path = answer_file(folder, MODULE, "qwen")
    one_by_one = path.read_bytes()
    path.unlink()
    write(folder, answer("a"), answer("b"))
    assert path.read_bytes() == one_by_one


def test_an_answer_that_is_replaced_moves_aside(folder, answer, rows):
    write(folder, answer("a", at=1.0), answer("b", at=1.0))
    write(folder, answer("a", text="new", at=2.0))
    write(folder, answer("a", text="newest", at=3.0))
    aside = rows(folder / "evals" / "test_clones.py" / "qwen.superseded.jsonl")
    assert [line["text"] for line in aside[1:]] == ['{"winner": "tie"}', "new"]
    assert find(folder, "a").reply.text == "newest"
    assert Snapshots(folder).names(MODULE, "qwen") == {"a", "b"}
    assert Snapshots(folder).files() == [(MODULE, "qwen")]


def test_an_answer_that_arrived_earlier_does_not_replace_a_later_one(folder, answer, rows):
    write(folder, answer("a", text="late", at=9.0))
    write(folder, answer("a", text="early", at=5.0))
    aside = rows(folder / "evals" / "test_clones.py" / "qwen.superseded.jsonl")
    assert find(folder, "a").reply.text == "late"
    assert [line["text"] for line in aside[1:]] == ["early"]


def test_writing_the_same_again_changes_nothing(folder, answer):
    write(folder, answer("a"))
    before = answer_file(folder, MODULE, "qwen").stat()
    write(folder, answer("a"))
    after = answer_file(folder, MODULE, "qwen").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not (folder / "evals" / "test_clones.py" / "qwen.superseded.jsonl").exists()


def test_keys_of_a_later_version_survive_a_merge(folder, answer, rows):
    write(folder, answer("a"))
    path = answer_file(folder, MODULE, "qwen")
    path.write_text(path.read_text("ascii").replace('"extra": {}', '"extra": {}, "load": 3'), "ascii")
    write(folder, answer("b"))
    assert rows(path)[1]["load"] == 3


def test_several_judges_and_modules_do_not_touch_each_other(folder, answer):
    write(folder, answer("a"), judge="qwen")
    write(folder, answer("a", text="other"), judge="gpt-4.1")
    write_answers(folder, "evals/deep/test_x.py", "qwen", {"z": answer("z")})
    snapshots = Snapshots(folder)
    assert snapshots.find(MODULE, "gpt-4.1", "a").reply.text == "other"
    assert snapshots.files() == [("evals/deep/test_x.py", "qwen"), (MODULE, "gpt-4.1"), (MODULE, "qwen")]


def test_a_judge_with_an_odd_name_is_listed_by_its_name(folder, answer):
    write(folder, answer("a"), judge="my judge/ü.1of2")
    snapshots = Snapshots(folder)
    assert snapshots.files() == [(MODULE, "my judge/ü.1of2")]
    assert snapshots.names(MODULE, "my judge/ü.1of2") == {"a"}


def test_other_files_in_the_folder_are_not_listed(folder, answer):
    write(folder, answer("a"))
    (folder / "evals" / "notes.jsonl").write_text('{"a": 1}\n', "ascii")
    (folder / ".journal" / "run-main.jsonl").write_text('{"kind": "journal"}\n', "ascii")
    (folder / "protocol.lock.json").write_text("{}", "ascii")
    assert Snapshots(folder).files() == [(MODULE, "qwen")]


# Shards


def test_shards_are_files_of_their_own_and_their_union_is_read(folder, answer):
    write(folder, answer("a"), shard="1/2")
    write(folder, answer("b"), shard="2/2")
    write(folder, answer("c"))
    names = {path.name for path in answer_file(folder, MODULE, "qwen").parent.iterdir()}
    assert names == {"qwen.jsonl", "qwen.1of2.jsonl", "qwen.2of2.jsonl"}
    assert Snapshots(folder).names(MODULE, "qwen") == {"a", "b", "c"}
    assert Snapshots(folder).files() == [(MODULE, "qwen")]
    assert find(folder, "b") == answer("b")


def test_equal_answers_in_two_shards_are_fine(folder, answer):
    write(folder, answer("a", at=1.0), shard="1/2")
    write(folder, answer("a", at=2.0), shard="2/2")
    assert find(folder, "a") == answer("a", at=2.0)


def test_two_answers_under_one_name_and_fingerprint_name_both_files(folder, answer):
    write(folder, answer("a", text="A"), shard="1/2")
    write(folder, answer("a", text="B"), shard="2/2")
    snapshots = Snapshots(folder)
    for ask in (lambda: snapshots.find(MODULE, "qwen", "a"), lambda: snapshots.names(MODULE, "qwen")):
        with pytest.raises(Refused) as refusal:
            ask()
        told = str(refusal.value)
        assert "snapshots/evals/test_clones.py/qwen.1of2.jsonl:2" in told
        assert "snapshots/evals/test_clones.py/qwen.2of2.jsonl:2" in told
        assert "'a'" in told


def test_of_two_fingerprints_the_one_that_is_asked_for_is_found(folder, answer):
    write(folder, answer("a", fingerprint="old", at=9.0), shard="1/2")
    write(folder, answer("a", fingerprint="new", at=5.0), shard="2/2")
    assert find(folder, "a", fingerprint="old").fingerprint == "old"
    assert find(folder, "a", fingerprint="new").fingerprint == "new"


def test_of_two_stale_answers_the_last_one_is_found(folder, answer):
    write(folder, answer("a", fingerprint="one", at=5.0), shard="1/2")
    write(folder, answer("a", fingerprint="two", at=9.0), shard="2/2")
    assert find(folder, "a", fingerprint="three").fingerprint == "two"
    assert find(folder, "a").fingerprint == "two"


def test_a_shard_of_another_judge_is_not_read(folder, answer):
    write(folder, answer("a"), judge="qwen2", shard="1/2")
    assert Snapshots(folder).names(MODULE, "qwen") == frozenset()


# Answers that are not yet absorbed


def test_journalled_answers_are_found_and_win_if_they_are_newer(folder, answer):
    write(folder, answer("a", at=5.0), answer("b", text="stored", at=5.0))
    journaled = [
        Journaled(module=MODULE, judge=judge, name=one.name, line=encode(one))
        for judge, one in (
            ("qwen", answer("b", text="newer", at=6.0)),
            ("qwen", answer("c", at=6.0)),
            ("other", answer("d")),
        )
    ]
    snapshots = Snapshots(folder, journaled=journaled)
    assert snapshots.names(MODULE, "qwen") == {"a", "b", "c"}
    assert snapshots.find(MODULE, "qwen", "b").reply.text == "newer"
    assert snapshots.find(MODULE, "qwen", "c") == answer("c", at=6.0)


class Counted(Journaled):
    """Counts how often any is looked at."""

    looks = 0

    def __getattribute__(self, name):
        Counted.looks += 1
        return super().__getattribute__(name)


def test_journalled_answers_are_looked_at_once_for_all_modules(folder, answer):
    modules = [f"evals/test_{number}.py" for number in range(100)]
    line = encode(answer("a"))
    snapshots = Snapshots(
        folder, journaled=[Counted(module=module, judge="qwen", name="a", line=line) for module in modules]
    )
    Counted.looks = 0
    assert all(snapshots.find(module, "qwen", "a") for module in modules)
    assert Counted.looks < 10 * len(modules)


def test_what_was_read_is_kept_until_it_is_refreshed(folder, answer):
    snapshots = Snapshots(folder)
    assert snapshots.find(MODULE, "qwen", "a") is None
    write(folder, answer("a"))
    assert snapshots.find(MODULE, "qwen", "a") is None
    snapshots.refresh()
    assert snapshots.find(MODULE, "qwen", "a") == answer("a")


# Files that cannot be read


def spoil(folder, answer, edit):
    write(folder, answer("a"), answer("b"), answer("c"))
    path = answer_file(folder, MODULE, "qwen")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(edit(lines)))


@pytest.mark.parametrize(
    ("edit", "address"),
    [
        (lambda lines: [*lines[:2], lines[2][:40], *lines[3:]], "qwen.jsonl:3: "),
        (lambda lines: [*lines[:3], lines[3][:-9]], "qwen.jsonl:4: "),
        (lambda lines: [*lines[:2], b"\xff\xfe", *lines[3:]], "qwen.jsonl:3: "),
        (lambda lines: [*lines[:2], b"<<<<<<< HEAD", *lines[2:]], "qwen.jsonl:3: "),
        (lambda lines: lines[1:], "qwen.jsonl:1: "),
        (lambda lines: [*lines[:0], b""], "qwen.jsonl:1: "),
        (
            lambda lines: [b'{"format": 2, "holds": "x"}', *lines[1:]],
            "qwen.jsonl:1: format: found version 2, expected 1",
        ),
    ],
    ids=["cut", "torn-end", "bytes", "merge", "no-header", "empty", "newer"],
)
def test_an_unreadable_file_is_refused_with_its_line(folder, answer, edit, address):
    spoil(folder, answer, edit)
    with pytest.raises(Refused) as refusal:
        Snapshots(folder).names(MODULE, "qwen")
    assert str(refusal.value).startswith(f"snapshots/evals/test_clones.py/{address}")
    assert "\n" not in str(refusal.value)


def test_a_line_that_is_broken_inside_is_refused_when_it_is_asked_for(folder, answer):
    spoil(folder, answer, lambda lines: [*lines[:2], lines[2].replace(b'"text"', b'"text'), *lines[3:]])
    snapshots = Snapshots(folder)
    assert snapshots.find(MODULE, "qwen", "a") == answer("a")
    with pytest.raises(Refused, match=r"qwen\.jsonl:3: "):
        snapshots.find(MODULE, "qwen", "b")


def test_an_unreadable_file_is_not_overwritten(folder, answer):
    spoil(folder, answer, lambda lines: [*lines[:2], b"{", *lines[3:]])
    before = answer_file(folder, MODULE, "qwen").read_bytes()
    with pytest.raises(Refused):
        write(folder, answer("d"))
    assert answer_file(folder, MODULE, "qwen").read_bytes() == before


def test_an_unreadable_file_is_read_only_once(folder, answer, monkeypatch):
    spoil(folder, answer, lambda lines: [b"{", *lines[1:]])
    snapshots = Snapshots(folder)
    with pytest.raises(Refused):
        snapshots.find(MODULE, "qwen", "a")
    answer_file(folder, MODULE, "qwen").unlink()
    with pytest.raises(Refused):
        snapshots.find(MODULE, "qwen", "a")


def test_a_file_edited_by_hand_or_on_windows_is_read(folder, answer):
    write(folder, answer("a"))
    path = answer_file(folder, MODULE, "qwen")
    header, line, _ = path.read_text("ascii").split("\n")
    found = {"served": "ü", **{key: value for key, value in json.loads(line).items() if key != "served"}}
    path.write_text(
        f"\ufeff{header}\r\n\r\n{json.dumps(found, ensure_ascii=False)}\r\n", "utf-8", newline=""
    )
    assert find(folder, "a") == answer("a", served="ü")


# Secrets


def test_a_line_with_a_key_in_it_is_refused_and_the_others_are_written(folder, answer):
    redactor = Redactor(["sk-0123456789abcdef"])
    with pytest.raises(Refused, match=r"b \(1 in all\): the answer still contains"):
        write(folder, answer("a"), answer("b", text="it is sk-0123456789abcdef"), redactor=redactor)
    assert Snapshots(folder).names(MODULE, "qwen") == {"a"}
    assert "0123456789abcdef" not in answer_file(folder, MODULE, "qwen").read_text("ascii")


# Pruning


def test_prune_removes_what_is_not_to_be_kept_from_every_shard(folder, answer):
    write(folder, answer("a"), answer("b"), shard="1/2")
    write(folder, answer("c"), shard="2/2")
    write(folder, answer("d"))
    assert prune(folder, MODULE, "qwen", {"a", "d", "unknown"}) == 2
    assert Snapshots(folder).names(MODULE, "qwen") == {"a", "d"}
    assert not (folder / "evals" / "test_clones.py" / "qwen.2of2.jsonl").exists()


def test_prune_keeps_superseded_answers_and_untouched_files(folder, answer):
    write(folder, answer("a", at=1.0))
    write(folder, answer("a", text="new", at=2.0))
    before = answer_file(folder, MODULE, "qwen").stat()
    assert prune(folder, MODULE, "qwen", ["a"]) == 0
    assert answer_file(folder, MODULE, "qwen").stat().st_ino == before.st_ino
    assert prune(folder, MODULE, "qwen", []) == 1
    assert [path.name for path in (folder / "evals" / "test_clones.py").iterdir()] == [
        "qwen.superseded.jsonl"
    ]


# Speed


def cpu_s(task):
    started = time.process_time()
    task()
    return time.process_time() - started


def test_finding_an_answer_costs_little_more_than_parsing_its_line(folder, answer):
    # Both on the same machine at the same time: a bound in seconds would depend on who else is busy.
    answers = [answer(f"t-{number:05d}", text="x" * 300) for number in range(3000)]
    lines = [encode(one) for one in answers]
    write(folder, *answers)

    def find_all():
        snapshots = Snapshots(folder)
        for one in answers:
            snapshots.find(MODULE, "qwen", one.name)

    parsing = min(cpu_s(lambda: [json.loads(line) for line in lines]) for _ in range(5))
    assert min(cpu_s(find_all) for _ in range(5)) < 6 * parsing
