"""
The schemas of pair files that are read as they are, and any other by ``fields``.

A schema says under which names a row holds an id, a prompt and two texts, and how it words its label.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pytest_judgeaudit.corpora.columns import KEYS, Columns, Content, Schema
from pytest_judgeaudit.corpora.fields import Field, parsed, parsed_fields
from pytest_judgeaudit.corpora.found import found, listed
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import NO_SUBSET, Kind, Target, short_digest


def chosen_and_rejected(columns: Columns, kind: Kind) -> Content:
    """
    Read a better answer and a worse one, or lists of them (RewardBench 2).

    Of a list the first chosen answer is shown beside the nearest rejected one (RULES R22). A copy needs
    the chosen answer only.
    """
    if columns.equivalence():
        raise Refused(
            f"{columns.name('equivalent')}: is set, but {columns.name('chosen')} and "
            f'{columns.name("rejected")} name a better answer; write first and second with target = "tie"'
        )
    chosen = columns.texts("chosen")
    optional = kind == "clone" and columns.value("rejected") is None
    rejected = [] if optional else columns.texts("rejected")
    return Content(
        id=columns.identifier(),
        first=chosen[0],
        second=nearest_text(chosen[0], rejected) if rejected else None,
        target="first",
        unused=len(chosen) - 1 + max(0, len(rejected) - 1),
        **common(columns),
    )


def nearest_text(text: str, others: list[str]) -> str:
    """
    Return the text whose length is nearest in words, then in characters, then the first (RULES R22).

    >>> nearest_text("one two", ["one two three", "a b", "one 2wo"])
    'one 2wo'
    """
    if len(others) == 1:
        return others[0]
    words, characters = len(text.split()), len(text)
    return min(others, key=lambda other: (abs(len(other.split()) - words), abs(len(other) - characters)))


def first_and_second(columns: Columns, kind: Kind) -> Content:
    """Read two texts and a label that names one of them, or a tie. A copy needs one text only."""
    target: Target | None = columns.label()
    equivalent = columns.equivalence()
    if equivalent and target in ("first", "second"):
        raise Refused(
            f"{columns.name('equivalent')}: is set, but {columns.name('target')} names a better answer; "
            "one of them is wrong"
        )
    if target is None and kind == "signal" and not equivalent:
        raise columns.missing("target", "the better answer")
    optional = kind == "clone" and target != "second" and columns.value("second") is None
    first, second = columns.text("first"), None if optional else columns.text("second")
    shared = common(columns)
    derives = columns.schema.derives_id and columns.value("id") is None
    return Content(
        id=_derived(columns, shared["prompt"], first, second) if derives else columns.identifier(),
        first=first,
        second=second,
        target=target,
        equivalent=equivalent,
        **shared,
    )


def _derived(columns: Columns, *texts: str | None) -> str:
    """Make an id for a row that has none: its subset and item, or a digest of its texts, never its line."""
    subset, item = columns.word("subset"), columns.row.get("item")
    if subset is not None and isinstance(item, str | int) and not isinstance(item, bool):
        return f"{subset}/{found(item) if isinstance(item, int) else item}"
    return f"llmbar-{short_digest(chr(31).join(text or '' for text in texts))}"


def common(columns: Columns) -> dict[str, Any]:
    """Read what all schemas have in common."""
    family = columns.word("family")
    return {
        "prompt": columns.text("prompt"),
        "subset": _shared(columns.word("subset") or NO_SUBSET),
        "family": None if family is None else _shared(family),
        "metadata": columns.rest(),
    }


def _shared(text: str) -> str:
    """One object for equal names; a subclass of text cannot be interned and becomes a plain one first."""
    return sys.intern(str.__str__(text))


OWN_LABELS: Mapping[object, Target] = {"first": "first", "second": "second", "tie": "tie"}
LLMBAR_LABELS: Mapping[object, Target] = {1: "first", 2: "second"}
JUDGEBENCH_LABELS: Mapping[object, Target] = {"A>B": "first", "B>A": "second"}


def _columns(**names: str) -> dict[str, Field]:
    same = {key: key for key in ("id", "prompt", "subset", "family", "equivalent")}
    return {key: parsed(name) for key, name in {**same, **names}.items()}


CHOSEN = Schema(
    name="chosen+rejected",
    columns=_columns(chosen="chosen", rejected="rejected"),
    marks=("chosen", "rejected"),
    labels=OWN_LABELS,
    read=chosen_and_rejected,
)
FIRST = Schema(
    name="first+second+target",
    columns=_columns(first="first", second="second", target="target"),
    marks=("first", "second", "target"),
    labels=OWN_LABELS,
    read=first_and_second,
)
SCHEMAS = (
    CHOSEN,
    FIRST,
    Schema(
        name="LLMBar",
        columns=_columns(prompt="input", first="output_1", second="output_2", target="label"),
        marks=("first", "second", "target"),
        labels=LLMBAR_LABELS,
        read=first_and_second,
        derives_id=True,
    ),
    Schema(
        name="JudgeBench",
        columns=_columns(
            id="pair_id", prompt="question", first="response_A", second="response_B", target="label"
        ),
        marks=("first", "second", "target"),
        labels=JUDGEBENCH_LABELS,
        read=first_and_second,
    ),
)
KNOWN = (
    "id+prompt+chosen+rejected (ours, RewardBench 2), id+prompt+first+second+target (ours), "
    "LLMBar, JudgeBench"
)


def recognised(names: tuple[str, ...], fields: Mapping[str, Field]) -> Schema:
    """
    Return the schema of a row with these field names, under the person's ``fields``.

    The schema whose marks are all there; else the one with most of them, so that a misspelt or missing
    field is refused by its name. Refused when none or several fit.
    """
    marked = [(_marks(schema, names), schema) for schema in _candidates(fields)]
    complete = [schema for count, schema in marked if count == len(schema.marks)]
    most = max(count for count, _ in marked)
    closest = complete or [schema for count, schema in marked if count == most > 0]
    if len(closest) == 1:
        return _mapped(closest[0], fields)
    what = f"fits both {' and '.join(schema.name for schema in complete)}" if complete else "fits no schema"
    raise Refused(
        f"the row {what}, it has {listed(names)}; expected {KNOWN}, "
        'or any other with fields={"prompt": …, "first": …, …} on the marker'
    )


def _marks(schema: Schema, names: tuple[str, ...]) -> int:
    return sum(schema.columns[key].names[0] in names for key in schema.marks)


def _candidates(fields: Mapping[str, Field]) -> Iterator[Schema]:
    if fields.keys() & {"chosen", "rejected"}:
        yield replace(CHOSEN, marks=())
    elif fields.keys() & {"first", "second"}:
        yield replace(FIRST, marks=())
    elif "target" in fields:
        yield from (schema for schema in SCHEMAS if schema is not CHOSEN)
    else:
        yield from SCHEMAS


def _mapped(schema: Schema, fields: Mapping[str, Field]) -> Schema:
    if not fields:
        return schema
    # Somebody else's label may use any of the words that are known.
    labels = {**OWN_LABELS, **LLMBAR_LABELS, **JUDGEBENCH_LABELS} if "target" in fields else schema.labels
    return replace(
        schema,
        columns={**schema.columns, **fields},
        labels=labels,
        mapped=frozenset(fields),
        derives_id=schema.derives_id and "id" not in fields,
    )


def pair_fields(fields: Mapping[str, str] | None) -> dict[str, Field]:
    """Read the ``fields`` of a marker; refused when they mix the two ways to name two answers."""
    parsed_ones = parsed_fields({} if fields is None else fields, known=KEYS)
    by_choice = [key for key in parsed_ones if key in ("chosen", "rejected")]
    by_label = [key for key in parsed_ones if key in ("first", "second", "target")]
    if by_choice and by_label:
        raise Refused(
            f"fields: {by_choice[0]} and {by_label[0]} do not go together; "
            "expected chosen and rejected, or first, second and target"
        )
    return parsed_ones
