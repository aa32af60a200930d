import gzip
import io
import os
from pathlib import Path

import pytest

from pytest_judgeaudit.corpora import files
from pytest_judgeaudit.corpora.files import decoded, numbered_lines, opened, whole_text
from pytest_judgeaudit.records.errors import Refused


def lines(data: bytes) -> list[tuple[int, bytes]]:
    return list(numbered_lines(io.BytesIO(data), shown="f"))


def refusal(path: Path) -> str:
    with pytest.raises(Refused) as caught, opened(path, shown="corpora/f") as stream:
        list(numbered_lines(stream, shown="corpora/f"))
    return str(caught.value)


def test_plain_and_compressed_files_read_alike(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"x\ny\n")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"x\ny\n"))
    for name in ("a.jsonl", "a.jsonl.gz"):
        with opened(tmp_path / name, shown=name) as stream:
            assert list(numbered_lines(stream, shown=name)) == [(1, b"x\n"), (2, b"y\n")]


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert lines(b"\xef\xbb\xbfx\n\xef\xbb\xbfy") == [(1, b"x\n"), (2, b"\xef\xbb\xbfy")]
    assert whole_text(io.BytesIO(b"\xef\xbb\xbfx"), shown="f") == "x"


def test_only_a_line_feed_ends_a_line():
    text = "a\u2028b\u0085c\x1cd\re\n".encode()
    assert lines(text) == [(1, text)]


def test_a_missing_file_is_refused_with_the_near_one(tmp_path):
    (tmp_path / "support.jsonl").touch()
    assert refusal(tmp_path / "suport.jsonl") == (
        'corpora/f: there is no such file. Did you mean "support.jsonl"?'
    )


def test_a_missing_folder_is_named(tmp_path):
    assert refusal(tmp_path / "corpra/a.jsonl").endswith('There is no folder "corpra" either.')


def test_a_folder_is_refused(tmp_path):
    assert refusal(tmp_path) == "corpora/f: is a folder; expected a file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_refused_before_it_can_block(tmp_path):
    os.mkfifo(tmp_path / "p.jsonl")
    assert "expected a regular file" in refusal(tmp_path / "p.jsonl")


@pytest.mark.parametrize("name", ["a\0b.jsonl", "x" * 5000 + ".jsonl", "\ud800.jsonl", "a/\0/b.jsonl"])
def test_an_impossible_name_is_refused_in_one_line(tmp_path, name):
    message = refusal(tmp_path / name)
    assert message.startswith("corpora/f: ")
    assert message.isprintable()


def test_an_unreadable_file_is_refused_with_the_reason(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").touch()

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    assert refusal(tmp_path / "a.jsonl") == "corpora/f: cannot be opened: Permission denied"


def test_a_disk_that_fails_is_refused_with_the_line():
    class Failing(io.BytesIO):
        def readline(self, *_: object) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(Refused, match="f:1: cannot be read: Input/output error"):
        list(numbered_lines(Failing(), shown="f"))


def test_truncated_gzip_is_refused(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(os.urandom(9000).hex().encode())[:-30])
    assert "corpora/f:1: broken gzip: " in refusal(tmp_path / "a.jsonl.gz")


def test_gzip_with_a_wrong_checksum_is_refused(tmp_path):
    data = gzip.compress(b"x\n" * 100)
    (tmp_path / "a.jsonl.gz").write_bytes(data[:-8] + b"\0\0\0\0" + data[-4:])
    assert "broken gzip" in refusal(tmp_path / "a.jsonl.gz")


def test_a_truncated_whole_file_is_refused():
    cut = gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(b"[]" * 100)[:-9]))
    with pytest.raises(Refused, match="f: broken gzip"):
        whole_text(cut, shown="f")


def test_a_plain_file_named_gz_is_refused_with_what_to_do(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(b"{}\n")
    assert refusal(tmp_path / "a.jsonl.gz") == (
        "corpora/f:1: is not compressed with gzip; name the file without .gz"
    )


def test_a_line_above_the_limit_is_refused_and_nothing_of_it_is_kept(monkeypatch):
    monkeypatch.setattr(files, "MOST_LINE", 2**20)
    with pytest.raises(Refused, match="f:2: the line is longer than 1 MiB"):
        lines(b"{}\n" + b"x" * 2**20 + b"y\n")


def test_a_line_of_exactly_the_limit_is_read(monkeypatch):
    monkeypatch.setattr(files, "MOST_LINE", 8)
    assert lines(b"1234567\n1\n") == [(1, b"1234567\n"), (2, b"1\n")]


def test_a_whole_file_above_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(files, "MOST_WHOLE", 2**20)
    with pytest.raises(Refused, match="longer than 1 MiB; write it as JSON Lines"):
        whole_text(io.BytesIO(b" " * (2**20 + 1)), shown="f")


def test_a_byte_that_is_not_utf8_has_its_line_and_column():
    with pytest.raises(Refused, match="byte 0xe9 in column 3 is not UTF-8"):
        decoded(b"caf\xe9"[1:])
    with pytest.raises(Refused, match="f:2: byte 0xe9 in column 4 is not UTF-8"):
        whole_text(io.BytesIO(b"[\ncaf\xe9]"), shown="f")


@pytest.mark.parametrize(
    ("data", "hint"),
    [("[]".encode("utf-16"), "UTF-16"), (gzip.compress(b"", mtime=0), "gzip")],
    ids=["utf-16", "gzip"],
)
def test_what_the_file_probably_is_gets_said(data, hint):
    with pytest.raises(Refused, match=hint):
        decoded(data)
