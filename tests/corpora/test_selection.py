"""Pairs are chosen blind to outcomes: by length, rank and prompt alone, and a receipt says how."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest

from pytest_judgeaudit.corpora.selection import (
    FULL,
    REPEATED,
    TOO_FAR,
    USED,
    eligible,
    normalised,
    select_pairs,
    write_selection,
)
from pytest_judgeaudit.corpora.sources import load_pairs
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Pair


def row(name, *, subset="one", prompt=None, rejected=("worse answer",), **rest):
    prompt = f"Ask {name}?" if prompt is None else prompt
    return {
        "id": name,
        "prompt": prompt,
        "chosen": ["better answer"],
        "rejected": list(rejected),
        "subset": subset,
        **rest,
    }


@pytest.fixture
def write(tmp_path):
    def written(rows, name="source.jsonl"):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
        return name

    return written


def reasons(selection):
    return {one["id"]: one["reason"] for one in selection.receipt["excluded"]}


def words(count):
    return " ".join(["word"] * count)


@pytest.mark.parametrize(
    ("one", "other", "kept"),
    [(100, 80, True), (100, 79, False), (80, 60, True), (79, 59, False), (4, 3, True), (3, 2, False)],
)
def test_texts_may_differ_by_20_words_and_a_quarter_of_the_longer(one, other, kept):
    # 79 and 59 differ by 20 words, which is 25.3 % of 79.
    texts = {"first": words(one), "second": words(other)}
    pair = Pair(id="a", prompt="b", target="first", kind="signal", **texts)
    assert eligible(pair) is kept
    assert eligible(Pair(**{**_fields(pair), "first": pair.second, "second": pair.first})) is kept


def _fields(pair):
    return {name: getattr(pair, name) for name in ("id", "prompt", "first", "second", "target", "kind")}


def test_rows_rank_by_sha256_of_seed_and_id_and_the_first_of_each_subset_are_taken(tmp_path, write):
    rows = [row(f"r{i}", subset=("one", "two")[i % 2]) for i in range(20)]
    found = select_pairs(write(rows), root=tmp_path, seed=7, per_subset=3)

    def ranked(subset):
        names = (one["id"] for one in rows if one["subset"] == subset)
        return sorted(names, key=lambda name: hashlib.sha256(f"7/{name}".encode()).hexdigest())[:3]

    assert [pair.id for pair in found.pairs] == ranked("one") + ranked("two")
    assert set(reasons(found).values()) == {FULL}
    assert found.receipt["subsets"]["one"] == {"rows": 10, "taken": 3, "excluded": {FULL: 7}}


def test_the_order_of_the_rows_and_what_else_they_say_changes_nothing(tmp_path, write):
    rows = [row(f"r{i}") for i in range(12)]
    plain = select_pairs(write(rows), root=tmp_path, seed=1, per_subset=5)
    told = [{**one, "judge_says": "wrong", "score": i} for i, one in enumerate(reversed(rows))]
    other = select_pairs(write(told, "told.jsonl"), root=tmp_path, seed=1, per_subset=5)
    assert [pair.id for pair in plain.pairs] == [pair.id for pair in other.pairs]
    assert [pair.first for pair in plain.pairs] == [pair.first for pair in other.pairs]


def test_another_seed_takes_others(tmp_path, write):
    source = write([row(f"r{i}") for i in range(30)])
    chosen = [
        {pair.id for pair in select_pairs(source, root=tmp_path, seed=seed, per_subset=5).pairs}
        for seed in (1, 2)
    ]
    assert chosen[0] != chosen[1]


def test_the_nearest_rejected_answer_is_taken(tmp_path, write):
    source = write([row("a", rejected=("much worse " * 30, "two words", "single"))])
    (pair,) = select_pairs(source, root=tmp_path, seed=1, per_subset=1).pairs
    assert (pair.first, pair.second) == ("better answer", "two words")


def test_used_and_repeated_prompts_are_left_out_in_whatever_form(tmp_path, write):
    source = write(
        [
            row("used", prompt="Why is\u00a0 the SKY blue?"),
            row("twin1", prompt="Same"),
            row("twin2", prompt=" same "),
            row("far", rejected=(words(40),)),
            row("new"),
        ]
    )
    earlier = write([{"id": "x", "prompt": "why is the sky BLUE?", "first": "one"}], "earlier.jsonl")
    found = select_pairs(source, root=tmp_path, seed=3, per_subset=9, exclude=[earlier])
    told = reasons(found)
    assert told.pop("used") == USED
    assert told.pop("far") == TOO_FAR
    (twin,) = told
    assert told[twin] == REPEATED
    assert {pair.id for pair in found.pairs} == {"new", *({"twin1", "twin2"} - {twin})}
    assert found.receipt["earlier"][0]["prompts"] == 1


def test_normalising_is_idempotent():
    text = "  ﬁne \u2003 STRASSE\tß "
    assert normalised(normalised(text)) == normalised(text) == "fine strasse ss"


def test_what_is_written_is_read_back_and_has_the_digest_of_the_receipt(tmp_path, write):
    source = write([row(f"r{i}", family="f") for i in range(4)])
    found = select_pairs(source, root=tmp_path, seed=1, per_subset=2)
    receipt = json.loads(write_selection(found, tmp_path / "out" / "set.jsonl").read_text("utf-8"))
    content = (tmp_path / "out" / "set.jsonl").read_bytes()
    assert receipt["output"] == {"rows": 2, "sha256": hashlib.sha256(content).hexdigest()}
    assert receipt["source"]["sha256"] == hashlib.sha256((tmp_path / source).read_bytes()).hexdigest()
    again = load_pairs("out/set.jsonl", kind="signal", root=tmp_path).pairs
    assert [(p.id, p.first, p.second, p.target, p.family) for p in again] == [
        (p.id, p.first, p.second, p.target, p.family) for p in found.pairs
    ]


def test_a_frozen_set_is_written_again_but_never_replaced(tmp_path, write):
    source = write([row(f"r{i}") for i in range(9)])
    first, second = (select_pairs(source, root=tmp_path, seed=s, per_subset=2) for s in (1, 2))
    write_selection(first, tmp_path / "set.jsonl")
    write_selection(first, tmp_path / "set.jsonl")
    with pytest.raises(Refused, match="a frozen set is never replaced"):
        write_selection(second, tmp_path / "set.jsonl")


def test_a_number_of_rows_below_one_is_refused(tmp_path, write):
    with pytest.raises(Refused, match="per_subset: found 0"):
        select_pairs(write([row("a")]), root=tmp_path, seed=1, per_subset=0)


def command(tmp_path, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest_judgeaudit.corpora.selection", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_selects_and_says_what_was_left_out(tmp_path, write):
    source = write([row(f"r{i}") for i in range(4)])
    done = command(tmp_path, source, "--out", "set.jsonl", "--seed", "1", "--per-subset", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "'one': 3 of 4; 1: the subset has its number of rows" in done.stdout
    assert len((tmp_path / "set.jsonl").read_text("utf-8").splitlines()) == 3


def test_the_command_reads_another_schema_and_refuses_in_one_line(tmp_path, write):
    mapped = {"id": "no", "prompt": "ask", "first": "a", "second": "b", "target": "better"}
    source = write([{"no": "1", "ask": "?", "a": "good one", "b": "bad one", "better": "first"}])
    options = ("--out", "s.jsonl", "--seed", "1", "--per-subset", "1", "--fields")
    assert command(tmp_path, source, *options, json.dumps(mapped)).returncode == 0
    for bad in ("{", '{"nonsense": "x"}', "[" * 100_000):
        done = command(tmp_path, source, *options, bad)
        assert done.returncode == 4
        assert done.stderr.startswith("ERROR: ")
        assert "Traceback" not in done.stderr


def test_llmbar_pairs_are_selected_as_they_are(shared):
    root = shared / "data" / "llmbar"
    found = select_pairs("pairs.jsonl", root=root, seed=2026, per_subset=20)
    counts = found.receipt["subsets"]
    assert sum(one["rows"] for one in counts.values()) == 281
    assert len(counts) == 3
    for one in counts.values():
        assert one["taken"] + sum(one["excluded"].values()) == one["rows"]
        assert one["taken"] <= 20
    assert all(eligible(pair) for pair in found.pairs)
