"""Where pairs come from: a file, a battery of the package, or any iterable of pairs or rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from pytest_judgeaudit.corpora.columns import Columns, Content, Equivalence, Schema
from pytest_judgeaudit.corpora.fields import Field
from pytest_judgeaudit.corpora.found import found, near, printable, quoted
from pytest_judgeaudit.corpora.kinds import (
    KINDS,
    checked_strata,
    of_strata,
    one_per_prompt,
    repeated_prompts,
    with_third,
)
from pytest_judgeaudit.corpora.refusals import unless_refused
from pytest_judgeaudit.corpora.rows import TOML_TABLE, each_row
from pytest_judgeaudit.corpora.schemas import pair_fields, recognised
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Kind, Pair, Stratum
from pytest_judgeaudit.records.plans import Finding

Maker = TypeVar("Maker")
Source = str | os.PathLike[str] | Iterable[Any]

BATTERY = "battery:"
CORE: tuple[Stratum, ...] = ("core",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """
    The tasks of a source: each once, in order ``AB``, as the source lists them.

    ``findings`` say what was merged or left out, and what about the source weakens its claim.
    """

    pairs: tuple[Pair, ...]
    findings: tuple[Finding, ...]


class Item(NamedTuple):
    """One entry of a source and its address: a row, or a pair that somebody made."""

    place: str
    entry: Any


class Made(NamedTuple):
    """A task, and how many answers of its row are not shown."""

    pair: Pair
    unused: int


def load_pairs(
    source: Source,
    *,
    kind: Kind,
    root: Path,
    strata: Collection[Stratum] = CORE,
    fields: Mapping[str, str] | None = None,
    pairs: Literal["nearest", "all"] = "nearest",
    context: str | None = None,
) -> Loaded:
    """
    Read the pairs of a source as tasks of one kind.

    ``source`` is a path (relative to ``root``; ``.jsonl``, ``.json`` or ``.toml``, each with ``.gz``),
    ``battery:NAME``, or an iterable of pairs and row mappings. ``strata`` are the clone strata to keep.
    ``fields`` maps our names to those of a foreign schema, by name or by template. ``pairs`` says which
    rejected answers of a row of many are shown (RULES R22). ``context`` names the field of a row that holds
    the third candidate of a context audit.

    Refused with one line per fault, each with its address: ten at most, then a count.
    """
    wanted = checked_strata(strata)
    _check_choice(pairs)
    mapped = pair_fields(fields)
    shown, items = entries(source, root, battery=lambda name: _battery(name, kind), fields=mapped)
    made = list(unless_refused(_tasks(items, kind, mapped, context)))
    if not made:
        raise Refused(f"{shown}: has no rows; expected at least one pair")
    tasks, findings = [task.pair for task in made], _unused(made, shown) if kind == "signal" else []
    if kind == "clone":
        tasks, left_out = of_strata(tasks, wanted, shown=shown)
        tasks, merged = one_per_prompt(tasks, shown=shown)
        findings += [*left_out, *merged]
    else:
        findings += repeated_prompts(tasks, shown=shown)
    return Loaded(pairs=tuple(tasks), findings=tuple(findings))


def _check_choice(pairs: object) -> None:
    if pairs == "all":
        # The row must stay the unit, so its pairs would be presentations of one task: trials and cells
        # know orders and replicates of a task, but no alternatives yet.
        raise Refused('pairs="all" is not built yet; pairs="nearest" shows the nearest rejected answer')
    if pairs != "nearest":
        raise Refused(f'pairs: expected "nearest" or "all", found {found(pairs)}')


def entries(
    source: Source,
    root: Path,
    *,
    battery: Callable[[str], Iterable[object]],
    fields: Mapping[str, Field],
    table: str = TOML_TABLE,
    what: str = "pairs",
) -> tuple[str, Iterator[Item | Refused]]:
    """
    Return how a source is called in addresses, and its entries.

    ``battery`` makes those of a battery's name, ``table`` is what the tables of a TOML file are called,
    ``what`` the entries in a refusal.
    """
    if isinstance(source, str) and source.startswith(BATTERY):
        if fields:
            raise Refused(
                f"fields: {printable(source)} has no fields to name; remove fields from the marker"
            )
        return printable(source), _listed(battery(source.removeprefix(BATTERY)), source)
    if isinstance(source, str | os.PathLike):
        shown = _shown(Path(source), root)
        return shown, _of_file(root / source, shown, table)
    if isinstance(source, bytes | Mapping) or not isinstance(source, Iterable):
        raise Refused(
            f"source: expected a path, {BATTERY}NAME or an iterable of {what} or rows, "
            f"found {found(source)}"
        )
    return "source", _listed(source)


def _shown(path: Path, root: Path) -> str:
    relative = path.relative_to(root) if path.is_absolute() and path.is_relative_to(root) else path
    return printable(relative.as_posix(), clip=200)


def _of_file(path: Path, shown: str, table: str) -> Iterator[Item | Refused]:
    for row in each_row(path, shown=shown, table=table):
        yield row if isinstance(row, Refused) else Item(row.place, row.data)


def _listed(entries: Iterable[object], name: str | None = None) -> Iterator[Item | Refused]:
    prefix = f"{name} " if name else ""
    for number, entry in enumerate(entries, start=1):
        yield Item(f"{prefix}item {number}", entry)


def _finite_code(kind: Kind) -> Iterable[Pair]:
    from pytest_judgeaudit.corpora import finite_code  # noqa: PLC0415 - certified when first used

    return finite_code.pairs(kind)


def _ladder(kind: Kind) -> Iterable[Pair]:
    from pytest_judgeaudit.corpora import ladder  # noqa: PLC0415 - read when first used

    return ladder.pairs(kind)


BATTERIES: Mapping[str, Callable[[Kind], Iterable[Pair]]] = {"finite-code": _finite_code, "ladder": _ladder}


def _battery(name: str, kind: Kind) -> Iterable[Pair]:
    return known_battery(name, BATTERIES)(kind)


def known_battery(name: str, batteries: Mapping[str, Maker]) -> Maker:
    """Return what a battery's name stands for."""
    if name not in batteries:
        hint = near(name, tuple(batteries))
        raise Refused(f"there is no battery {quoted(name)}; there are {', '.join(batteries)}.{hint}")
    return batteries[name]


def _tasks(
    items: Iterable[Item | Refused], kind: Kind, fields: Mapping[str, Field], context: str | None
) -> Iterator[Made | Refused]:
    """Yield the task of each entry, or the refusal with its address; an id may occur once."""
    # Rows of one file have the same few sets of names.
    schema_of = lru_cache(maxsize=64)(lambda names: recognised(names, fields))
    places: dict[str, str] = {}
    for item in items:
        if isinstance(item, Refused):
            yield item
            continue
        try:
            content = _content(item.entry, kind, schema_of)
            pair = KINDS[kind](content, _source(item))
            pair = pair if context is None else with_third(pair, context)
            claim(pair.id, item.place, places)
        except Refused as error:
            yield Refused(f"{item.place}: {error}")
        else:
            yield Made(pair, content.unused)


def _content(entry: object, kind: Kind, schema_of: Callable[[tuple[str, ...]], Schema]) -> Content:
    if isinstance(entry, Pair):
        return _of_pair(entry)
    if not isinstance(entry, Mapping):
        raise Refused(f"expected a pair or a row of named fields, found {found(entry)}")
    schema = schema_of(names_of(entry))
    return schema.read(Columns(entry, schema), kind)


def names_of(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the names of a row's fields, all of them texts."""
    names = tuple(row)
    for name in names:
        if not isinstance(name, str):
            raise Refused(f"expected texts as names of fields, found {found(name)}")
    return names


def _of_pair(pair: Pair) -> Content:
    for name in ("id", "prompt", "first", "second", "subset"):
        value = getattr(pair, name)
        if not isinstance(value, str):
            raise Refused(f"{name}: expected a text, found {found(value)}")
    if not pair.id.strip():
        raise Refused(f"id: expected a text with something in it, found {found(pair.id)}")
    return Content(
        id=pair.id,
        prompt=pair.prompt,
        first=pair.first,
        second=pair.second,
        target=pair.target,
        equivalent="" if pair.kind != "equivalent" else _ground(pair),
        subset=pair.subset,
        family=pair.family,
        wording=pair.wording,
        metadata=pair.metadata,
    )


def _ground(pair: Pair) -> Equivalence:
    return "unvalidated" if pair.stratum == "unvalidated" else "certified"


def _source(item: Item) -> str:
    return item.entry.source or item.place if isinstance(item.entry, Pair) else item.place


def claim(name: str, place: str, places: dict[str, str]) -> None:
    """Note whose id this is; refused where it is that of another entry already."""
    if name in places:
        raise Refused(f"id: {quoted(name)} is that of {places[name]} already; expected an id of its own")
    places[name] = place


def _unused(made: Iterable[Made], shown: str) -> list[Finding]:
    rows = sum(task.unused > 0 for task in made)
    if not rows:
        return []
    symptom = f"{rows} rows have several answers: the first chosen and the nearest rejected one are shown"
    check = "nearest in words, then in characters (RULES R22); the others are not judged"
    return [Finding(code="nearest-rejected", where=shown, symptom=symptom, check=check)]
