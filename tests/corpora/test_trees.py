"""Files of a tree as text that gives back the same bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.corpora import trees
from pytest_judgeaudit.corpora.trees import read_tree, source_of
from pytest_judgeaudit.records.errors import Refused


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        ("h\xe9".encode(), "utf-8"),
        ("h\xe9".encode("latin-1"), "latin-1"),
        ("h\xe9".encode("utf-16"), "utf-16-le"),
        ("\ufeffh\xe9".encode("utf-16-be"), "utf-16-be"),
        ("h\xe9".encode("utf-32"), "utf-32-le"),
        (b"a\0b", ""),
        (b"\xff\xfeodd", ""),
    ],
)
def test_an_encoding_is_told_by_its_bytes(data, encoding):
    source = source_of("a", data)
    assert source.encoding == encoding
    assert (source.text is None) == (encoding == "")


@given(st.binary(max_size=60))
def test_whatever_is_text_gives_back_its_bytes(data):
    source = source_of("a", data)
    assert source.text is None or source.encoded(source.text) == data


def test_files_come_in_the_order_of_their_names_and_caches_do_not(tmp_path):
    for name in ("b/x", "a/y", "c", "__pycache__/z", ".git"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\ny\n")
    assert [(one.name, one.lines) for one in read_tree(tmp_path)] == [("c", 2), ("a/y", 2), ("b/x", 2)]


def test_a_tree_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(trees, "MOST_BYTES", 3)
    (tmp_path / "a").write_text("1234")
    with pytest.raises(Refused, match="holds more than 3 bytes"):
        read_tree(tmp_path)


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("x")

    def broken(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", broken)
    with pytest.raises(Refused, match=r"a cannot be read \(Permission denied\)"):
        read_tree(tmp_path)
