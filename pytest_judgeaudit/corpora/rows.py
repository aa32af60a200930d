"""
Rows of a data file, each with its address: JSON Lines, a JSON array, or TOML with ``[[pair]]`` tables.

Every format may be compressed (``.gz``) and start with a byte order mark. Reading is strict: a key that
occurs twice, NaN, a byte that is not UTF-8 or a row that is no object is refused, never repaired.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

import tomli

from pytest_judgeaudit.corpora.fields import names_beside, value_at
from pytest_judgeaudit.corpora.files import decoded, numbered_lines, opened, whole_text
from pytest_judgeaudit.corpora.found import found, listed, near, printable, quoted
from pytest_judgeaudit.corpora.refusals import unless_refused
from pytest_judgeaudit.records.errors import Refused

TOML_TABLE = "pair"


class Row(NamedTuple):
    """One row and its address (``file:line``)."""

    place: str
    data: dict[str, Any]


def read_rows(path: Path, *, shown: str) -> Iterator[Row]:
    """
    Yield the rows of a file; ``shown`` is the file's name in addresses.

    JSON Lines are streamed, whatever their number; blank lines are skipped and counted. Refused once the
    file has been read: one line per fault, ten at most.
    """
    return unless_refused(each_row(path, shown=shown))


def each_row(
    path: Path, *, shown: str, under: str | None = None, table: str = TOML_TABLE
) -> Iterator[Row | Refused]:
    """
    Yield each row of a file, or in its place the refusal that says what is wrong with it.

    ``table`` is the name of a TOML file's tables. ``under`` says where a JSON file that is no array keeps
    its rows, see :func:`json_under`.
    """
    shown = printable(shown, clip=200)
    try:
        read = _format(path.name, shown)
        with opened(path, shown=shown) as stream:
            if under is None:
                rows = toml_tables(stream, shown, table) if read is toml_tables else read(stream, shown)
                yield from rows
            elif read is json_array:
                yield from json_under(stream, shown, under)
            else:
                raise Refused(f"{shown}: rows = {quoted(under)} is for JSON files; remove it")
    except Refused as error:
        yield error


def json_lines(stream: BinaryIO, shown: str) -> Iterator[Row | Refused]:
    """Yield one row a line."""
    first = True
    for number, line in numbered_lines(stream, shown=shown):
        if not line.strip():
            continue
        if first and line.lstrip().startswith(b"["):
            raise Refused(
                f"{shown}:{number}: is a JSON array, expected one object a line; name the file NAME.json"
            )
        first = False
        yield _row(f"{shown}:{number}", line)


def _row(place: str, line: bytes) -> Row | Refused:
    try:
        return Row(place, _an_object(_value(decoded(line))))
    except Refused as error:
        return Refused(f"{place}: {error}")


def json_array(stream: BinaryIO, shown: str) -> Iterator[Row | Refused]:
    """Yield the elements of one array, each with the line on which it starts."""
    text = whole_text(stream, shown=shown)
    at, line, counted = _skipped(text, 0), 1, 0
    if at == len(text):
        return
    if text[at] != "[":
        raise Refused(
            f"{shown}: expected a JSON array; if it has one object a line, name the file NAME.jsonl; of a "
            'judge\'s log whose rows lie deeper, say where, as in rows = "samples"'
        )
    at = _skipped(text, at + 1)
    while text[at : at + 1] != "]":
        line, counted = line + text.count("\n", counted, at), at
        place = f"{shown}:{line}"
        value, end = _element(text, at, shown=shown, place=place)
        yield Row(place, value) if isinstance(value, dict) else Refused(f"{place}: {_no_object(value)}")
        at = _after_element(text, _skipped(text, end), shown)
    if _skipped(text, at + 1) < len(text):
        raise Refused(f"{shown}:{_line(text, at)}: something follows the array; expected nothing")


def json_under(stream: BinaryIO, shown: str, under: str) -> Iterator[Row | Refused]:
    """
    Yield the rows that a JSON object keeps under a name, or under names joined by dots.

    They are the elements of the array there, or the values of the object there; ``.`` is the object
    itself. A row's address counts from 1, or is its name. NaN and the like are read as null: somebody
    else's file may hold them beside the rows.
    """
    document = json_document(whole_text(stream, shown=shown), shown=shown, decoder=_FOREIGN)
    try:
        value = document if under == "." else value_at(document, under)
    except KeyError:
        names = names_beside(document, under)
        hint = near(under, names)
        raise Refused(
            f"{shown}: rows: there is no {quoted(under)}; there are {listed(names)}.{hint}"
        ) from None
    if not isinstance(value, dict | list):
        raise Refused(f"{shown}: rows: expected a list of objects at {quoted(under)}, found {found(value)}")
    rows = value.items() if isinstance(value, dict) else enumerate(value, start=1)
    for name, row in rows:
        place = f"{shown}: {printable(under)}[{printable(str(name))}]"
        yield Row(place, row) if isinstance(row, dict) else Refused(f"{place}: {_no_object(row)}")


def _element(text: str, at: int, *, shown: str, place: str) -> tuple[Any, int]:
    try:
        return _decoded(text, at)
    except json.JSONDecodeError as error:
        raise Refused(f"{shown}:{error.lineno}: {_not_json(error)}") from None
    except Refused as error:
        raise Refused(f"{place}: {error}") from None


def _after_element(text: str, at: int, shown: str) -> int:
    if text[at : at + 1] != ",":
        if text[at : at + 1] in ("]", ""):
            return at
        raise Refused(
            f"{shown}:{_line(text, at)}: expected a comma or ] after a row, found {quoted(text[at])}"
        )
    following = _skipped(text, at + 1)
    if text[following : following + 1] == "]":
        raise Refused(f"{shown}:{_line(text, at)}: there is a comma after the last row; remove it")
    return following


def toml_tables(stream: BinaryIO, shown: str, table: str = TOML_TABLE) -> Iterator[Row | Refused]:
    """Yield the ``[[table]]`` tables, each with the line of its heading."""
    text = whole_text(stream, shown=shown)
    document = toml_document(text, shown=shown)
    for key in document:
        if key != table:
            hint = near(key, (table,))
            raise Refused(f"{shown}: unknown key {quoted(key)}; expected [[{table}]] tables only.{hint}")
    tables = document.get(table, [])
    if not isinstance(tables, list):
        raise Refused(f"{shown}: {table}: expected [[{table}]] tables, found {found(tables)}")
    for place, row in zip(toml_places(text, table, len(tables), shown=shown), tables, strict=True):
        yield Row(place, row) if isinstance(row, dict) else Refused(f"{place}: {_no_object(row)}")


def toml_document(text: str, *, shown: str) -> dict[str, Any]:
    """Read TOML 1.1; refuse what is none with its line."""
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        what = printable(error.msg, clip=160)
        raise Refused(f"{shown}:{error.lineno}: not TOML: {what} in column {error.colno}") from None
    except (RecursionError, ValueError):
        raise Refused(f"{shown}: is nested too deeply or holds a number that is too long") from None


def toml_places(text: str, table: str, count: int, *, shown: str) -> list[str]:
    """Return the addresses of the ``[[table]]`` headings of a document, ``count`` of them."""
    heading = re.compile(rf"^[ \t]*\[\[[ \t]*[\"']?{table}[\"']?[ \t]*\]\]", re.MULTILINE)
    starts = [match.start() for match in heading.finditer(text)]
    if len(starts) != count:
        # A heading inside a text, or inline tables: the number of the table is certain, its line is not.
        return [f"{shown}: {table} {number}" for number in range(1, count + 1)]
    places, line, counted = [], 1, 0
    for start in starts:
        line, counted = line + text.count("\n", counted, start), start
        places.append(f"{shown}:{line}")
    return places


def json_document(text: str, *, shown: str, decoder: json.JSONDecoder | None = None) -> Any:
    """Read one JSON value, by default as strictly as rows; refuse what is none with its line."""
    try:
        value, end = _decoded(text, _skipped(text, 0), decoder=decoder)
    except json.JSONDecodeError as error:
        raise Refused(f"{shown}:{error.lineno}: {_not_json(error)}") from None
    except Refused as error:
        raise Refused(f"{shown}: {error}") from None
    end = _skipped(text, end)
    if end < len(text):
        raise Refused(f"{shown}:{_line(text, end)}: something follows the JSON value; expected nothing")
    return value


FORMATS: Mapping[str, Callable[[BinaryIO, str], Iterator[Row | Refused]]] = {
    ".jsonl": json_lines,
    ".json": json_array,
    ".toml": toml_tables,
}


def _format(name: str, shown: str) -> Callable[[BinaryIO, str], Iterator[Row | Refused]]:
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    if suffix in FORMATS:
        return FORMATS[suffix]
    raise Refused(
        f"{shown}: cannot tell the format; expected {', '.join(FORMATS)}, or one of them with .gz"
    )


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) == len(pairs):
        return row
    seen: set[str] = set()
    repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    raise Refused(f"key {quoted(repeated)} occurs twice; expected once")


def _no_constant(name: str) -> NoReturn:
    raise Refused(f"{name} is not JSON; write null, or a text")


def _finite(text: str) -> float:
    number = float(text)
    if math.isfinite(number):
        return number
    raise Refused(f"number {printable(text)} is too large")


_JSON = json.JSONDecoder(object_pairs_hook=_no_repeats, parse_constant=_no_constant, parse_float=_finite)
_FOREIGN = json.JSONDecoder(object_pairs_hook=_no_repeats, parse_constant=lambda _: None)
_SPACE = re.compile(r"[ \t\n\r]*")


def _value(text: str) -> Any:
    """Read one line that holds one JSON value."""
    try:
        value, end = _decoded(text, _skipped(text, 0))
    except json.JSONDecodeError as error:
        raise Refused(_not_json(error)) from None
    end = _skipped(text, end)
    if end < len(text):
        raise Refused(
            f"not JSON: something follows the object in column {end + 1}; expected one object a line"
        )
    return value


def _decoded(text: str, at: int, *, decoder: json.JSONDecoder | None = None) -> tuple[Any, int]:
    try:
        return (decoder or _JSON).raw_decode(text, at)
    except RecursionError:
        raise Refused("is nested too deeply; expected a plain object") from None
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise Refused("holds a number of thousands of digits; expected none of that size") from None


def _not_json(error: json.JSONDecodeError) -> str:
    return f"not JSON: {error.msg} in column {error.colno}"


def _an_object(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise Refused(_no_object(value))


def _no_object(value: Any) -> str:
    return f"expected an object, found {found(value)}"


def _skipped(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
