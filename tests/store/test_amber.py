"""Accepted grades as amber text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.extensions.amber import AmberSnapshotExtension
from syrupy.extensions.amber.serializer import AmberDataSerializer

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.amber import read_amber, read_table, table_text, write_amber

ROWS = {"c2-AB": "9f86d081 tie success", "c10-BA": "60303ae2 A adverse", "c1-AB-2": "fd61a03a tie success"}


@given(st.dictionaries(st.text(alphabet=st.characters(exclude_categories=())), st.text(), max_size=5))
def test_every_table_comes_back_from_ascii(rows):
    text = table_text(rows)
    assert text.isascii()
    assert read_table(text) == rows


@pytest.mark.parametrize("rows", [ROWS, {}, {"it's": 'a "quote"', "back\\slash": "x\\n"}])
def test_a_table_is_what_syrupy_makes_of_the_same_dictionary(rows):
    assert table_text(rows) == AmberDataSerializer.serialize(rows)


def test_syrupy_reads_what_we_write(folder):
    path = folder / "a.ambr"
    snapshots = {"test_a[qwen][grades]": table_text(ROWS), "test_b[x][grades]": table_text({"k": "v"})}
    write_amber(folder, path, snapshots)
    found = AmberSnapshotExtension().read_snapshot_collection(snapshot_location=str(path))
    assert {snapshot.name: snapshot.data for snapshot in found} == snapshots
    assert not found.tainted


def test_syrupy_writes_the_same_bytes(folder):
    snapshots = {"test_b[x][grades]": table_text({"k": "v"}), "test_a[qwen][grades]": table_text(ROWS)}
    write_amber(folder, folder / "ours.ambr", snapshots)
    theirs = AmberDataSerializer.read_file(str(folder / "ours.ambr"))
    theirs.location = str(folder / "theirs.ambr")
    AmberDataSerializer.write_file(theirs)
    assert (folder / "theirs.ambr").read_bytes() == (folder / "ours.ambr").read_bytes()


def test_a_file_comes_back(folder):
    snapshots = {"one[a][grades]": table_text(ROWS), "two[b][grades]": table_text({})}
    assert write_amber(folder, folder / "a.ambr", snapshots)
    assert read_amber(folder / "a.ambr") == snapshots
    assert not write_amber(folder, folder / "a.ambr", snapshots)


def test_windows_line_ends_are_read(folder):
    write_amber(folder, folder / "a.ambr", {"one[a][grades]": table_text(ROWS)})
    path = folder / "a.ambr"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_table(read_amber(path)["one[a][grades]"]) == ROWS


def test_no_file_holds_no_snapshots(folder):
    assert read_amber(folder / "a.ambr") == {}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", r"a\.ambr:1: expected '# serializer version: 1', found ''"),
        ("# serializer version: 2\n", r"a\.ambr:1: .*found '# serializer version: 2'"),
        ("# serializer version: 1\n<<<<<<< HEAD\n", r"a\.ambr:2: holds a merge that was not finished"),
    ],
)
def test_a_file_that_is_not_ours_to_read_is_refused(folder, content, told):
    folder.mkdir()
    (folder / "a.ambr").write_text(content, "ascii")
    with pytest.raises(Refused, match=told):
        read_amber(folder / "a.ambr")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dict({",
        "dict({\n})x",
        "dict({\n  'a': 1,\n})",
        "dict({\n  'a': __import__('os'),\n})",
        "list([\n])",
        "dict({\n" + "(" * 10_000 + "})",
        "dict({\n  'a': 'b',\n  garbage\n})",
    ],
)
def test_a_table_that_was_edited_to_something_else_is_refused(text):
    with pytest.raises(Refused, match="no table of accepted grades"):
        read_table(text)


def test_a_table_edited_by_hand_is_read():
    assert read_table("dict({\n  'b': 'x',\n  \"a\": 'it\\'s',\n})") == {"b": "x", "a": "it's"}
