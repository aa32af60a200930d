"""Files of published figures: TOML with ``[[claim]]`` tables, read strictly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast, get_args

from pytest_judgeaudit.corpora.files import opened, whole_text
from pytest_judgeaudit.corpora.found import found, listed, near, printable, quoted
from pytest_judgeaudit.corpora.refusals import unless_refused
from pytest_judgeaudit.corpora.rows import toml_document, toml_places
from pytest_judgeaudit.records.claims import Claim, ClaimKind
from pytest_judgeaudit.records.errors import Refused, addressed

TABLE = "claim"
KINDS: tuple[str, ...] = get_args(ClaimKind)
FIELDS = ("eval", "agent", "arm", "question", "class", "genre", "category", "difficulty", "replicate")
"""What a cell can name rows by."""

KEYS = ("text", "cell", "value", "kind", "against", "n", "sum", "maximum", "event")


def load_claims(path: Path | str, *, root: Path) -> tuple[Claim, ...]:
    """Read the claims of a TOML file; refused with one line per fault, each with its address."""
    shown = printable(Path(path).as_posix(), clip=200)
    with opened(root / path, shown=shown) as stream:
        text = whole_text(stream, shown=shown)
    document = toml_document(text, shown=shown)
    tables = document.get(TABLE)
    if not isinstance(tables, list) or set(document) != {TABLE} or not tables:
        raise Refused(f"{shown}: expected [[{TABLE}]] tables and nothing else, found {listed(document)}")
    places = toml_places(text, TABLE, len(tables), shown=shown)
    return tuple(unless_refused(_claims(zip(places, tables, strict=True))))


def _claims(rows: Iterable[tuple[str, Any]]) -> Iterator[Claim | Refused]:
    for place, row in rows:
        try:
            with addressed(place):
                yield claim_of(row, place=place)
        except Refused as error:
            yield error


def claim_of(row: object, *, place: str = "") -> Claim:
    """Read one claim, strictly."""
    if not isinstance(row, dict):
        raise Refused(f"expected a table, found {found(row)}")
    for key in row:
        if key not in KEYS:
            raise Refused(f"unknown key {quoted(key)}; there are {listed(KEYS, most=20)}.{near(key, KEYS)}")
    kind = _kind(row)
    return Claim(
        text=_text(row.get("text"), "text"),
        cell=named_cell(row.get("cell"), "cell"),
        value=_number(row.get("value"), "value"),
        kind=kind,
        against=named_cell(row["against"], "against") if "against" in row else {},
        n=_count(row.get("n")),
        sum=None if "sum" not in row else _number(row["sum"], "sum"),
        maximum=_number(row.get("maximum", 1.0), "maximum"),
        event=_text(row.get("event", "hallucinated"), "event"),
        place=place,
    )


def _kind(row: Mapping[str, Any]) -> ClaimKind:
    kind = row.get("kind", "mean")
    if kind not in KINDS:
        hint = near(kind, KINDS) if isinstance(kind, str) else ""
        raise Refused(f"kind: expected one of {', '.join(KINDS)}, found {found(kind)}.{hint}")
    if (kind in {"effect", "absence"}) != ("against" in row):
        raise Refused(
            f"against: an effect or an absence needs it, and nothing else; kind is {quoted(kind)}"
        )
    return cast("ClaimKind", kind)


def _text(value: object, key: str) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise Refused(f"{key}: expected a text, found {found(value)}")


def _count(value: object) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    raise Refused(f"n: expected a whole number of at least 1, found {found(value)}")


def named_cell(value: object, key: str) -> Mapping[str, str]:
    """Read the fields that name rows, strictly."""
    if not isinstance(value, dict) or not value or not all(isinstance(one, str) for one in value.values()):
        raise Refused(f"{key}: expected a table such as {{ agent = 'a' }}, found {found(value)}")
    for name in value:
        if name not in FIELDS:
            known = listed(FIELDS, most=20)
            raise Refused(f"{key}: unknown field {quoted(name)}; there are {known}.{near(name, FIELDS)}")

    return dict(value)


def _number(value: object, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Refused(f"{key}: expected a number, found {found(value)}")
    return float(value)
