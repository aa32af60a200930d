import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.corpora import files
from pytest_judgeaudit.corpora.rows import Row, each_row, read_rows
from pytest_judgeaudit.records.errors import Refused

ANY_TEXT = st.text(st.characters(exclude_categories=()))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(ANY_TEXT, children, max_size=3),
    max_leaves=6,
)
ROWS = st.lists(st.dictionaries(ANY_TEXT, VALUES, max_size=4), max_size=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("rows")


def read(folder: Path, name: str, data: bytes | str) -> list[Row]:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return list(read_rows(folder / name, shown=f"corpora/{name}"))


def refusal(folder: Path, name: str, data: bytes | str) -> str:
    with pytest.raises(Refused) as caught:
        read(folder, name, data)
    return str(caught.value)


def lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@given(ROWS)
def test_json_lines_are_read_as_they_were_written(folder, rows):
    assert [row.data for row in read(folder, "a.jsonl", lines(rows))] == rows


@given(ROWS)
def test_a_compressed_file_with_a_byte_order_mark_reads_the_same(folder, rows):
    data = gzip.compress(b"\xef\xbb\xbf" + lines(rows).encode())
    assert [row.data for row in read(folder, "a.jsonl.gz", data)] == rows


@given(ROWS, st.sampled_from([None, 0, 2]))
def test_a_json_array_is_read_as_it_was_written(folder, rows, indent):
    assert [row.data for row in read(folder, "a.json", json.dumps(rows, indent=indent))] == rows


@given(st.lists(st.binary(max_size=30), max_size=6).map(b"\n".join))
def test_any_bytes_are_read_or_refused_in_printable_lines(folder, data):
    for name in ("a.jsonl", "a.json", "a.toml", "a.jsonl.gz"):
        (folder / name).write_bytes(data)
        for row in each_row(folder / name, shown=name):
            assert isinstance(row, Row) or str(row).isprintable()


def test_blank_lines_are_skipped_and_counted(folder):
    rows = read(folder, "a.jsonl", '\n{"a": 1}\r\n \t\n{"a": 2}')
    assert rows == [Row("corpora/a.jsonl:2", {"a": 1}), Row("corpora/a.jsonl:4", {"a": 2})]


def test_unicode_line_separators_do_not_end_a_row(folder):
    assert read(folder, "a.jsonl", '{"a": "x\u2028y\u0085z"}\n')[0].data == {"a": "x\u2028y\u0085z"}


def test_elements_of_an_array_have_the_line_on_which_they_start(folder):
    rows = read(folder, "a.json", '[\n {"a": 1},\n\n {\n"a": 2}, {"a": 3}\n]\n')
    assert [row.place for row in rows] == ["corpora/a.json:2", "corpora/a.json:4", "corpora/a.json:5"]


def test_toml_tables_have_the_line_of_their_heading(folder):
    text = '# pairs\n[[pair]]\nid = "a"\n\n[[ "pair" ]]\nid = "b"\n'
    assert read(folder, "a.toml", text) == [
        Row("corpora/a.toml:2", {"id": "a"}),
        Row("corpora/a.toml:5", {"id": "b"}),
    ]


def test_a_heading_inside_a_text_does_not_shift_addresses(folder):
    text = '[[pair]]\nid = """\n[[pair]]\n"""\n[[pair]]\nid = "b"\n'
    assert [row.place for row in read(folder, "a.toml", text)] == [
        "corpora/a.toml: pair 1",
        "corpora/a.toml: pair 2",
    ]


def test_numbers_of_rows_are_streamed(folder):
    (folder / "a.jsonl").write_text('{"a": 1}\n{"a": 2}\nbroken\n')
    rows = read_rows(folder / "a.jsonl", shown="a.jsonl")
    assert [next(rows).data, next(rows).data] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.toml"])
def test_an_empty_file_has_no_rows(folder, name):
    assert read(folder, name, "") == []
    assert read(folder, name, b"\xef\xbb\xbf") == []


BAD_LINES = [
    ('{"id": "c002", "prompt": ', "not JSON: Expecting value"),
    ("{not json", "not JSON"),
    ('{"id": "a", "id": "b"}', 'key "id" occurs twice'),
    ('{"m": {"x": 1, "x": 2}}', 'key "x" occurs twice'),
    ('{"a": NaN}', "NaN is not JSON"),
    ('{"a": -Infinity}', "-Infinity is not JSON"),
    ('{"a": 1e999}', "1e999 is too large"),
    ('{"a": ' + "1" * 5000 + "}", "thousands of digits"),
    ('{"a": ' + "[" * 100_000, "nested too deeply"),
    ('{"a": "x\x00y"}', "Invalid control character"),
    ('{"a": 1} {"a": 2}', "something follows"),
    ("3", "expected an object, found 3"),
    ("null", "expected an object, found null"),
    ('"x"', 'expected an object, found "x"'),
]


@pytest.mark.parametrize(("line", "what"), BAD_LINES, ids=[what for _, what in BAD_LINES])
def test_a_bad_line_is_refused_with_its_address(folder, line, what):
    message = refusal(folder, "a.jsonl", f'{{"a": 1}}\n\n{line}\n{{"a": 2}}\n')
    assert message.startswith("corpora/a.jsonl:3: ")
    assert what in message
    assert message.isprintable()


BAD_ARRAYS = [
    ('[\n{"a": 1},\n]', ":2: there is a comma after the last row"),
    ('[\n{"a": 1}\n', ":3: not JSON: Expecting value"),
    ('[{"a": 1}\n{"a": 2}]', ":2: expected a comma or ]"),
    ('[{"a": 1}]\n\nx', ":1: something follows the array"),
    ('[\n{"a": 1},\n{"a": NaN}]', ":3: NaN"),
    ('[\n{"a": 1},\n{"a":\n1 1}]', ":4: not JSON: Expecting ',' delimiter"),
    ('[\n{"a": 1},\n{"a": 1, "a": 2}]', ':3: key "a" occurs twice'),
    ("[\n1,\n{}]", ":2: expected an object, found 1"),
    ('{"a": 1}\n', ": expected a JSON array; if it has one object a line, name the file NAME.jsonl"),
    ("[" * 100_000, ":1: is nested too deeply"),
    ("[,]", ":1: not JSON"),
]


@pytest.mark.parametrize(("text", "what"), BAD_ARRAYS, ids=[what for _, what in BAD_ARRAYS])
def test_a_bad_array_is_refused_with_its_address(folder, text, what):
    assert f"corpora/a.json{what}" in refusal(folder, "a.json", text)


BAD_TOML = [
    ('[[pair]]\nid = "a"\nid = "b"\n', ":3: not TOML: Cannot overwrite a value"),
    ("[[pair]]\nid =\n", ":2: not TOML: Invalid value"),
    ('[[pairs]]\nid = "a"\n', ': unknown key "pairs"; expected [[pair]] tables only. Did you mean "pair"?'),
    ("pair = 3\n", ": pair: expected [[pair]] tables, found 3"),
    ("pair = [3]\n", ": pair 1: expected an object, found 3"),
    ("pair = " + "[" * 5000, ": is nested too deeply"),
    ("pair = " + "1" * 5000, ": is nested too deeply or holds a number that is too long"),
]


@pytest.mark.parametrize(("text", "what"), BAD_TOML, ids=[what for _, what in BAD_TOML])
def test_bad_toml_is_refused_with_its_address(folder, text, what):
    assert refusal(folder, "a.toml", text).startswith(f"corpora/a.toml{what}")


def test_an_array_named_as_lines_is_refused_once(folder):
    message = refusal(folder, "a.jsonl", '\n[\n{"a": 1},\n{"a": 2}\n]\n')
    assert message == (
        "corpora/a.jsonl:2: is a JSON array, expected one object a line; name the file NAME.json"
    )


def test_an_unknown_format_is_refused_with_the_known_ones(folder):
    assert refusal(folder, "a.csv", "") == (
        "corpora/a.csv: cannot tell the format; expected .jsonl, .json, .toml, or one of them with .gz"
    )


def test_all_faults_of_a_file_are_said_at_once(folder):
    message = refusal(folder, "a.jsonl", b"{}\n3\n\xff\n{}\n4\n")
    assert [line.split(":")[1] for line in message.splitlines()] == ["2", "3", "5"]


def test_a_line_above_the_limit_ends_the_reading(folder, monkeypatch):
    monkeypatch.setattr(files, "MOST_LINE", 2**20)
    message = refusal(folder, "a.jsonl.gz", gzip.compress(b'{"a": 1}\n' + b"[" * 10 * 2**20))
    assert message == "corpora/a.jsonl.gz:2: the line is longer than 1 MiB; expected one row a line"


def test_a_name_with_control_characters_is_shown_escaped(folder):
    with pytest.raises(Refused) as caught:
        list(read_rows(folder / "b\x1b.csv", shown="b\x1b.csv"))
    assert str(caught.value).startswith("b\\x1b.csv: ")


# Rows that lie deeper in somebody's file


def under(folder: Path, data: str, where: str, name: str = "log.json") -> list[Row | Refused]:
    (folder / name).write_text(data, encoding="utf-8")
    return list(each_row(folder / name, shown=name, under=where))


@pytest.mark.parametrize(
    ("document", "where", "rows"),
    [
        ({"samples": [{"a": 1}, {"a": 2}]}, "samples", {"samples[1]": {"a": 1}, "samples[2]": {"a": 2}}),
        ({"x": {"y": [{"a": 1}]}}, "x.y", {"x.y[1]": {"a": 1}}),
        ({"t::one": {"a": 1}, "t::two": {"a": 2}}, ".", {".[t::one]": {"a": 1}, ".[t::two]": {"a": 2}}),
        ([[{"a": 1}]], "0", {"0[1]": {"a": 1}}),
        ({"samples": []}, "samples", {}),
    ],
)
def test_rows_are_found_where_the_file_keeps_them(folder, document, where, rows):
    found = under(folder, json.dumps(document), where)
    assert {row.place: row.data for row in found} == {
        f"log.json: {place}": row for place, row in rows.items()
    }


def test_a_number_that_is_none_beside_the_rows_does_no_harm(folder):
    (row,) = under(folder, '{"stderr": NaN, "samples": [{"a": Infinity}]}', "samples")
    assert row.data == {"a": None}


@pytest.mark.parametrize(
    ("data", "where", "message"),
    [
        (
            '{"samples": []}',
            "sample",
            'log.json: rows: there is no "sample"; there are "samples". Did you mean',
        ),
        ('{"results": {"rows": []}}', "results.row", 'there is no "results.row"; there are "results.rows"'),
        ('{"samples": 3}', "samples", 'log.json: rows: expected a list of objects at "samples", found 3'),
        ("3", ".", 'log.json: rows: expected a list of objects at ".", found 3'),
        ("3", "samples", 'log.json: rows: there is no "samples"; there are nothing'),
        ('{"samples": [1]}', "samples", "log.json: samples[1]: expected an object, found 1"),
        ('{"a": 1, "a": 2}', ".", 'log.json: key "a" occurs twice'),
        ("{", ".", "log.json:1: not JSON"),
    ],
)
def test_what_is_no_place_of_rows_is_refused(folder, data, where, message):
    (refused,) = under(folder, data, where)
    assert isinstance(refused, Refused)
    assert message in str(refused)


def test_a_place_of_rows_is_for_json_only(folder):
    (refused,) = under(folder, '{"a": 1}\n', "samples", name="log.jsonl")
    assert str(refused) == 'log.jsonl: rows = "samples" is for JSON files; remove it'


def test_an_object_where_an_array_is_expected_leads_to_rows(folder):
    assert 'as in rows = "samples"' in refusal(folder, "a.json", '{"samples": []}')
