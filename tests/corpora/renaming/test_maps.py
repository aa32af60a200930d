"""The map itself: texts, paths and questions, and what holds of it whatever the tree is."""

from __future__ import annotations

import re
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.corpora.renaming import Renaming, plan_renaming, rename_tree
from pytest_judgeaudit.records.questions import Evidence, Fact, Match, Question, Retirement

MAP = Renaming(seed=1, words={"loan-rate": "qzxv-btrk", "rate": "wpkz", "queue_limit": "rvtbn_cdfgh"})


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("LOAN-RATE, Loan-Rate and loan-rate", "QZXV-BTRK, Qzxv-Btrk and qzxv-btrk"),
        ("rate-loan-rate", "wpkz-qzxv-btrk"),  # the longest name from the left
        ("loan-rate-limit", "qzxv-btrk-limit"),
        ("separate rates, rate's", "separate rates, wpkz's"),  # whole words only
        ("queue_limits queue_limit", "queue_limits rvtbn_cdfgh"),
        (r"'\trate' \brate\b \nrate-x", r"'\twpkz' \bwpkz\b \nwpkz-x"),  # an escape in front
        (r"C:\rate\x", r"C:\wpkz\x"),  # a folder, no escape
        ("réate rateé", "réate rateé"),
        ("", ""),
    ],
)
def test_names_are_replaced_as_whole_words_in_their_own_case(text, renamed):
    assert MAP.text(text) == renamed
    assert MAP.inverse.text(renamed) == text


def test_each_part_of_a_path_is_renamed():
    assert MAP.path("src/RATE.cbl/queue_limit.py") == "src/WPKZ.cbl/rvtbn_cdfgh.py"


def test_a_question_is_renamed_with_its_key_and_keeps_what_pairs_it():
    question = Question(
        id="rate",
        cls="rate",
        prompt="Where is LOAN-RATE set?",
        label="rate",
        facts=(Fact(id="rate", desc="the rate", match=Match(type="regex", values=(r"\brate\b",))),),
        forbidden=(Fact(id="no", match=Match(type="path", values=("src/RATE.cbl",))),),
        gt=("src/RATE.cbl",),
        rubric="the rate",
        markers=("no rate",),
        evidence=(Evidence(file="src/RATE.cbl", line=3, contains="LOAN-RATE"),),
        leak_terms=("rate",),
        retired=Retirement(why="the rate is gone"),
        place="rate.toml:1",
    )
    renamed = MAP.question(question)
    assert renamed == Question(
        id="rate",
        cls="rate",
        prompt="Where is QZXV-BTRK set?",
        label="wpkz",
        facts=(Fact(id="rate", desc="the wpkz", match=Match(type="regex", values=(r"\bwpkz\b",))),),
        forbidden=(Fact(id="no", match=Match(type="path", values=("src/WPKZ.cbl",))),),
        gt=("src/WPKZ.cbl",),
        rubric="the wpkz",
        markers=("no wpkz",),
        evidence=(Evidence(file="src/WPKZ.cbl", line=3, contains="QZXV-BTRK"),),
        leak_terms=("wpkz",),
        retired=Retirement(why="the rate is gone"),
        place="rate.toml:1",
    )
    assert MAP.inverse.question(renamed) == question


# Laws

PIECES = (
    "loan",
    "RATE",
    "Queue",
    "x",
    "no",
    "b7",
    "utf8",
    "größe",
    "100",
    "tloan",
    "stk",
    "vsam",
    "MASTER",
)
WORDS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).flatmap(
    lambda parts: st.lists(st.sampled_from("-_"), min_size=len(parts) - 1, max_size=len(parts) - 1).map(
        lambda joints: "".join(a + b for a, b in zip(parts, [*joints, ""], strict=True))
    )
)
GLUE = st.sampled_from([" ", "\n", "\r\n", ".", "\\t", "\\", "--", "_", "/", "é", '"', "\t", "0"])
TEXTS = st.lists(st.one_of(WORDS, GLUE), max_size=30).map("".join)
TREES = st.dictionaries(
    st.sampled_from(["a.txt", "LOAN.cbl", "sub/stk_rate.py", "sub/Queue.md", "d-x/loan-rate.js", "é.txt"]),
    TEXTS,
    min_size=1,
)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "utf-16"])


def written(root, tree, encoding):
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))


def contents(root):
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


@settings(max_examples=150, deadline=None)
@given(
    tree=TREES,
    encoding=ENCODINGS,
    named=st.lists(WORDS, max_size=6),
    protected=st.lists(WORDS, max_size=3),
    seed=st.integers(0, 3),
)
def test_whatever_the_tree_is_the_copy_keeps_what_it_must_and_the_inverse_gives_it_back(
    tree, encoding, named, protected, seed
):
    with tempfile.TemporaryDirectory() as folder:
        original, copy, back = Path(folder, "original"), Path(folder, "copy"), Path(folder, "back")
        written(original, tree, encoding)
        renaming = plan_renaming(original, seed=seed, protected=protected, identifiers=named)
        report = rename_tree(original, copy, renaming)
        assert list(report.faults()) == []
        assert report.files == (len(tree), len(tree))
        rename_tree(copy, back, renaming.inverse)
        assert contents(back) == contents(original)
        assert plan_renaming(original, seed=seed, protected=protected, identifiers=named) == renaming


@settings(max_examples=100, deadline=None)
@given(
    named=st.lists(WORDS, min_size=1, max_size=12),
    protected=st.lists(WORDS, max_size=3),
    seed=st.integers(),
)
def test_a_map_is_a_bijection_that_keeps_shapes_and_protected_words(named, protected, seed):
    with tempfile.TemporaryDirectory() as folder:
        words = plan_renaming(Path(folder), seed=seed, protected=protected, identifiers=named).words
    assert len(set(words.values())) == len(words)
    assert not set(words.values()) & set(words)
    for word, token in words.items():
        assert shape(token) == shape(word)
        for shield in {one.lower() for one in protected}:
            pattern = rf"(?<![^\W_]){re.escape(shield)}(?![^\W_])"
            assert len(re.findall(pattern, word)) == len(re.findall(pattern, token))


def shape(word):
    kinds = dict.fromkeys(string.ascii_lowercase, "a") | dict.fromkeys(string.digits, "9")
    return "".join(kinds.get(character, character) for character in word)


def test_seeds_give_different_maps_of_the_same_names(tmp_path):
    one, two = (
        plan_renaming(tmp_path, seed=seed, protected=[], identifiers=["queue_limit", "LOAN-RATE"]).words
        for seed in (1, 2)
    )
    assert one.keys() == two.keys() == {"queue_limit", "loan-rate"}
    assert set(one.values()).isdisjoint(two.values())


def test_a_token_stays_when_other_names_come_and_go(tmp_path):
    few = plan_renaming(tmp_path, seed=1, protected=[], identifiers=["queue_limit"])
    more = plan_renaming(
        tmp_path, seed=1, protected=[], identifiers=["queue_limit", "another", "loan-queue"]
    )
    assert more.words["queue_limit"] == few.words["queue_limit"]
    assert more.words["loan-queue"].partition("-")[2] == few.words["queue_limit"].partition("_")[0]
