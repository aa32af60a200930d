import gzip
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytest_judgeaudit.corpora
from pytest_judgeaudit.corpora.sources import Loaded, load_pairs
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Pair

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def rows(count: int) -> list[dict]:
    return [
        {
            "id": f"t{i}",
            "prompt": f"Question {i}",
            "subset": f"s{i % 3}",
            "first": f"good {i}",
            "second": f"bad {i}",
            "target": "first",
        }
        for i in range(count)
    ]


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    (folder / "corpora").mkdir()
    return folder


def written(root: Path, entries: list, name: str = "corpora/pairs.jsonl") -> str:
    text = "".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in entries)
    (root / name).write_text(text, encoding="utf-8")
    return name


def load(source, root: Path, **options) -> Loaded:
    return load_pairs(source, **{"kind": "signal", "root": root, **options})


def refusal(source, root: Path, **options) -> str:
    with pytest.raises(Refused) as caught:
        load(source, root, **options)
    return str(caught.value)


# Round trips


@given(
    st.lists(
        st.tuples(ANY_TEXT.filter(str.strip), ANY_TEXT, ANY_TEXT, ANY_TEXT).filter(lambda t: t[2] != t[3]),
        unique_by=lambda t: t[0],
        min_size=1,
        max_size=4,
    )
)
def test_what_is_written_is_what_is_loaded(root, tuples):
    keys = ("id", "prompt", "first", "second")
    entries = [{**dict(zip(keys, t, strict=True)), "target": "second"} for t in tuples]
    expected = [
        Pair(
            **dict(zip(keys, t, strict=True)),
            target="second",
            kind="signal",
            source=f"corpora/pairs.jsonl:{n}",
        )
        for n, t in enumerate(tuples, start=1)
    ]
    assert list(load(written(root, entries), root).pairs) == expected


def test_all_formats_load_the_same_tasks(root):
    entries = rows(5)
    text = "".join(json.dumps(row) + "\n" for row in entries)
    (root / "a.jsonl").write_text(text)
    (root / "a.json").write_text(json.dumps(entries, indent=2))
    tables = ("[[pair]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in row.items()) for row in entries)
    (root / "a.toml").write_text("".join(tables))
    for name in ("a.jsonl", "a.json", "a.toml"):
        (root / f"{name}.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + (root / name).read_bytes()))
    names = [name + suffix for name in ("a.jsonl", "a.json", "a.toml") for suffix in ("", ".gz")]
    loaded = [[(p.id, p.prompt, p.first, p.second) for p in load(name, root).pairs] for name in names]
    assert loaded == [[(r["id"], r["prompt"], r["first"], r["second"]) for r in entries]] * 6


def test_a_path_may_be_absolute_and_is_shown_relative(root):
    name = written(root, rows(1))
    assert load(root / name, root).pairs[0].source == "corpora/pairs.jsonl:1"
    assert load(str(root / name), root).pairs[0].source == "corpora/pairs.jsonl:1"
    assert load(Path(name), root).pairs[0].source == "corpora/pairs.jsonl:1"


def test_unknown_keys_are_kept(root):
    (pair,) = load([{**rows(1)[0], "source": "x", "votes": [1, 2]}], root).pairs
    assert pair.metadata == {"source": "x", "votes": [1, 2]}


# Rows and files that are refused


def test_an_id_that_occurs_twice_is_refused_with_both_addresses(root):
    message = refusal(written(root, [*rows(2), "", rows(1)[0]]), root)
    assert message == (
        'corpora/pairs.jsonl:4: id: "t0" is that of corpora/pairs.jsonl:1 already; '
        "expected an id of its own"
    )


def test_an_id_that_occurs_twice_is_refused_in_a_stratum_that_is_left_out_too(root):
    entries = [rows(1)[0], {**rows(1)[0], "first": ""}]
    assert ':2: id: "t0"' in refusal(written(root, entries), root, kind="clone")


def test_two_equal_rows_without_ids_are_refused(root):
    row = {"input": "p", "output_1": "a", "output_2": "b", "label": 1}
    assert "pairs.jsonl:2: id: " in refusal(written(root, [row, row]), root)


def test_all_faults_of_a_source_are_said_at_once(root):
    entries = [*rows(1), "{broken", {**rows(3)[2], "target": "third"}, {**rows(4)[3], "second": "good 3"}]
    lines = refusal(written(root, entries), root).splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"corpora/pairs.jsonl:{n}" for n in (2, 3, 4)]


def test_more_than_ten_faults_are_counted(root):
    lines = refusal(written(root, [{**row, "first": 3} for row in rows(13)]), root).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "... and 3 more"


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_file_has_no_rows(root, text):
    (root / "empty.jsonl").write_text(text, encoding="utf-8")
    assert refusal("empty.jsonl", root) == "empty.jsonl: has no rows; expected at least one pair"


def test_a_missing_file_is_refused_in_one_line(root):
    assert refusal("corpora/nothing.jsonl", root).startswith("corpora/nothing.jsonl: there is no such file")


@pytest.mark.parametrize("source", [3, None, b"x", {"id": "a"}, object()])
def test_a_source_that_is_none_is_refused(root, source):
    assert refusal(source, root).startswith("source: expected a path, battery:NAME or an iterable")


def test_all_rejected_answers_are_not_built_yet(root):
    assert "not built yet" in refusal(rows(1), root, pairs="all")
    assert 'expected "nearest" or "all"' in refusal(rows(1), root, pairs="some")


# Iterables


def test_pairs_and_rows_may_be_mixed_and_are_numbered(root):
    pair = Pair(id="x", prompt="p", first="a", second="b", target="second", kind="signal", order="BA")
    one, two = load(iter([rows(1)[0], pair]), root).pairs
    assert (one.source, two.source) == ("item 1", "item 2")
    assert (two.first, two.second, two.target, two.order) == ("a", "b", "second", "AB")


def test_a_pair_keeps_its_own_address_and_wording(root):
    pair = Pair(
        id="x",
        prompt="p",
        first="a",
        second="b",
        target="tie",
        kind="equivalent",
        wording="code",
        source="mine:3",
    )
    (made,) = load([pair], root, kind="equivalent").pairs
    assert (made.source, made.wording) == ("mine:3", "code")


def test_two_pairs_of_one_address_and_id_are_refused(root):
    pair = Pair(id="x", prompt="p", first="a", second="b", target="first", kind="signal", source="mine")
    assert refusal([pair, pair], root).startswith('item 2: id: "x" is that of item 1 already')


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (3, "expected a pair or a row of named fields, found 3"),
        ("x", 'expected a pair or a row of named fields, found "x"'),
        ({3: "x"}, "expected texts as names of fields, found 3"),
        (
            Pair(id=3, prompt="p", first="a", second="b", target="first", kind="signal"),
            "id: expected a text",
        ),
        (
            Pair(id=" ", prompt="p", first="a", second="b", target="first", kind="signal"),
            "id: expected a text",
        ),
        (
            Pair(id="a", prompt="p", first="a", second="b", target="best", kind="signal"),
            "not a signal pair",
        ),
    ],
    ids=["number", "text", "numbered field", "numbered id", "blank id", "unknown target"],
)
def test_an_item_of_the_wrong_sort_is_refused_with_its_number(root, entry, what):
    message = refusal([rows(1)[0], entry], root)
    assert message.startswith("item 2: ")
    assert what in message


def test_an_error_of_the_users_own_generator_is_left_alone(root):
    def broken():
        yield rows(1)[0]
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        load(broken(), root)


def test_a_row_given_as_a_mapping_is_not_changed(root):
    row = {**rows(1)[0], "note": 1}
    load([row], root)
    assert row == {**rows(1)[0], "note": 1}


# Kinds and findings


def test_clones_of_a_signal_file_have_the_ids_of_its_tasks(root):
    name = written(root, rows(7))
    ids = [[pair.id for pair in load(name, root, kind=kind).pairs] for kind in ("clone", "signal")]
    assert ids[0] == ids[1] == [f"t{i}" for i in range(7)]


def test_clone_strata_are_kept_apart_and_edges_left_out_by_default(root):
    entries = [rows(1)[0], {**rows(2)[1], "first": ""}, {**rows(3)[2], "first": " \n\t"}]
    core = load(entries, root, kind="clone")
    assert [pair.stratum for pair in core.pairs] == ["core"]
    assert [finding.code for finding in core.findings] == ["strata-left-out"]
    everything = load(entries, root, kind="clone", strata=("core", "empty", "whitespace"))
    assert [pair.stratum for pair in everything.pairs] == ["core", "empty", "whitespace"]
    assert everything.findings == ()


def test_clones_of_one_prompt_are_merged_with_a_finding_that_names_both(root):
    entries = [rows(1)[0], {**rows(1)[0], "id": "again", "second": "other"}]
    loaded = load(written(root, entries), root, kind="clone")
    assert [pair.id for pair in loaded.pairs] == ["t0"]
    (finding,) = loaded.findings
    assert (finding.code, finding.where) == ("merged-clones", "corpora/pairs.jsonl:2")
    assert all(word in finding.symptom for word in ('"again"', '"t0"', "corpora/pairs.jsonl:1"))


def test_signal_pairs_are_never_merged_but_shared_prompts_are_said(root):
    entries = [rows(1)[0], {**rows(1)[0], "id": "again"}]
    loaded = load(written(root, entries), root)
    assert [pair.id for pair in loaded.pairs] == ["t0", "again"]
    assert [finding.code for finding in loaded.findings] == ["repeated-prompts"]


def test_answers_of_a_row_of_many_that_are_not_shown_are_counted(root):
    many = {"id": "a", "prompt": "p", "chosen": ["x"], "rejected": ["y", "zz zz"], "subset": "Math"}
    one = {"id": "b", "prompt": "q", "chosen": ["x"], "rejected": ["y"], "subset": "Math"}
    loaded = load([many, one], root)
    assert [pair.second for pair in loaded.pairs] == ["y", "y"]
    (finding,) = loaded.findings
    assert finding.code == "nearest-rejected"
    assert finding.symptom.startswith("1 rows ")
    assert load([many, one], root, kind="clone").findings == ()


@pytest.mark.parametrize("row", [{"target": "tie"}, {"target": "tie", "equivalent": False}, {}])
def test_uncertified_rows_are_refused_as_equivalent(root, row):
    assert "pairs.jsonl:1: equivalent: expected true" in refusal(
        written(root, [{**rows(1)[0], **row}]), root, kind="equivalent"
    )


# Batteries


def test_a_battery_is_asked_for_the_kind(root, monkeypatch):
    def pairs(kind: str) -> tuple[Pair, ...]:
        target = "first" if kind == "signal" else "tie"
        return (
            Pair(
                id="c",
                prompt="p",
                first="a",
                second="b",
                target=target,
                kind=kind,
                wording="code",
                source="b",
            ),
        )

    module = SimpleNamespace(pairs=pairs)
    monkeypatch.setitem(sys.modules, "pytest_judgeaudit.corpora.finite_code", module)
    monkeypatch.setattr(pytest_judgeaudit.corpora, "finite_code", module, raising=False)
    for kind in ("clone", "signal", "equivalent"):
        (pair,) = load("battery:finite-code", root, kind=kind).pairs
        assert (pair.kind, pair.wording, pair.source) == (kind, "code", "b")


def test_an_unknown_battery_is_refused_with_the_near_one(root):
    assert refusal("battery:finite_code", root).endswith('Did you mean "finite-code"?')


def test_the_ladder_has_signal_pairs_and_no_copies(root):
    assert len(load_pairs("battery:ladder", kind="signal", root=root).pairs) == 150
    assert "battery:ladder has no clone pairs" in refusal("battery:ladder", root, kind="clone")


def test_a_battery_has_no_fields_to_name(root):
    assert "has no fields to name" in refusal("battery:finite-code", root, fields={"id": "x"})


# Real and large files


def test_llmbar_is_read_as_it_is(shared):
    path = shared / "data" / "llmbar" / "pairs.jsonl"
    loaded = load(path.name, path.parent)
    published = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(loaded.pairs) == 281
    assert loaded.findings == ()
    for pair, row in zip(loaded.pairs, published, strict=True):
        assert pair.id == f"{row['subset']}/{row['item']}"
        assert (pair.prompt, pair.first, pair.second) == (row["input"], row["output_1"], row["output_2"])
        assert (pair.subset, pair.target) == (row["subset"], {1: "first", 2: "second"}[row["label"]])


def test_loading_is_linear(root):
    def seconds(count: int) -> float:
        name = written(root, rows(count), f"corpora/{count}.jsonl")
        started = time.process_time()
        load(name, root)
        return time.process_time() - started

    seconds(100)
    # Twice the fourfold leaves room for a busy machine and none for a square.
    assert seconds(12_000) < 8 * max(seconds(3_000), 0.05)
