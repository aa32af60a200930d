"""One row of somebody else's verdict log: whose it is, which presentation it belongs to, what it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_judgeaudit.corpora.fields import Field, holds, names_beside, parsed_fields, value_at
from pytest_judgeaudit.corpora.found import MOST_NAMES, found, listed, near, quoted
from pytest_judgeaudit.judge.acceptances import Ruled, Ruler, acceptance_of, find_ruler
from pytest_judgeaudit.judge.log_words import Words, checked_words, equal
from pytest_judgeaudit.judge.parsers import Parser, Reading, VerdictParser, verdict_of
from pytest_judgeaudit.judge.patterns import find_parser
from pytest_judgeaudit.records.errors import Refused, addressed
from pytest_judgeaudit.records.items import Order
from pytest_judgeaudit.records.verdicts import Acceptance, Verdict

if TYPE_CHECKING:  # pydantic is not needed to decide
    from pytest_judgeaudit.settings.models import JudgeSettings

NAMES = ("id", "order", "verdict", "raw", "served", "criterion", "arm", "context", "replicate", "finish")
"""The keys of ``fields``."""


class LogKey(NamedTuple):
    """One presentation in a log; None where the log does not tell criteria or arms apart."""

    task: str
    order: Order
    criterion: str | None
    arm: str | None
    replicate: int
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSchema:
    """
    How a log is read: the mapping of DESIGN 3, checked.

    ``where`` chooses the rows of this judge. ``fields`` maps our names to fields; ``id`` is among them,
    and ``verdict`` or ``raw``, or both: then the verdict decides and the raw text is only kept.
    """

    where: Mapping[str, Any]
    fields: Mapping[str, Field]
    words: Words
    parse: Parser
    rule: Ruler | None = None
    """What reads texts about single answers, where the log is of those."""

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Tell whether the row is one of this judge: it has all fields of ``where``, with equal values."""
        return all(
            holds(row, name) and equal(word, value_at(row, name)) for name, word in self.where.items()
        )

    def key(self, row: Mapping[str, Any]) -> LogKey:
        """Return the presentation of a row. Refused: a field that is missing or holds no such thing."""
        return LogKey(
            task=self._named("id", row),
            order=self._order(row),
            criterion=self._named("criterion", row) if "criterion" in self.fields else None,
            arm=self._arm(row),
            replicate=self._replicate(row),
            context=self._context(row),
        )

    def verdict(self, row: Mapping[str, Any], order: Order) -> Verdict | Acceptance:
        """
        Return what the row says. A missing, null or unknown verdict is invalid, a missing or null served
        model unstated. Refused: a served model that is no text.
        """
        said, raw = self._value("verdict", row), self._value("raw", row)
        served = None if self._value("served", row) is None else self._named("served", row)
        kept = said if raw is None and "verdict" in self.fields else raw
        text = kept if isinstance(kept, str) else json.dumps(kept)
        if self.rule is not None:
            return acceptance_of(self._ruled(self.rule, said, raw, row), raw=text, served=served)
        return verdict_of(self._read(said, raw, row, order), order=order, raw=text, served=served)

    def _read(self, said: Any, raw: Any, row: Mapping[str, Any], order: Order) -> Reading:
        if "verdict" in self.fields:
            slot = self.words.slot(said, order)
            return Reading(slot, None if slot else _no_verdict(said))
        return self.parse(raw, self._finish(row)) if isinstance(raw, str) else Reading(None, _no_text(raw))

    def _ruled(self, rule: Ruler, said: Any, raw: Any, row: Mapping[str, Any]) -> Ruled:
        if "verdict" in self.fields:
            ruling = self.words.ruling(said)
            return Ruled(ruling, _no_verdict(said) if ruling == "invalid" else None)
        return rule(raw, self._finish(row)) if isinstance(raw, str) else Ruled("invalid", _no_text(raw))

    def _finish(self, row: Mapping[str, Any]) -> str | None:
        finish = self._value("finish", row)
        return finish if isinstance(finish, str) else None

    def _order(self, row: Mapping[str, Any]) -> Order:
        if "order" not in self.fields:
            return "AB"
        value = self._required("order", row)
        with addressed(f"{self.fields['order'].written} (order)"):
            return self.words.order(value)

    def _arm(self, row: Mapping[str, Any]) -> str | None:
        if "arm" not in self.fields:
            return None
        value = self._required("arm", row)
        with addressed(f"{self.fields['arm'].written} (arm)"):
            return self.words.arm(value)

    def _context(self, row: Mapping[str, Any]) -> str:
        if "context" not in self.fields:
            return ""
        value = self._required("context", row)
        if value not in (None, "", "absent", "present"):
            written = self.fields["context"].written
            raise Refused(f"{written} (context): expected absent, present or null, found {found(value)}")
        return value or ""

    def _replicate(self, row: Mapping[str, Any]) -> int:
        text = self._named("replicate", row) if "replicate" in self.fields else "1"
        if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
            raise Refused(f"replicate: expected a whole number from 1, found {quoted(text)}")
        return int(text)

    def _named(self, key: str, row: Mapping[str, Any]) -> str:
        """Return a text, or a whole number as text."""
        value = self._required(key, row)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 200:
            return str(value)
        written = self.fields[key].written
        raise Refused(f"{written} ({key}): expected a text or a whole number, found {found(value)}")

    def _required(self, key: str, row: Mapping[str, Any]) -> Any:
        try:
            return self.fields[key].read(row)
        except Refused as error:
            raise Refused(f"fields.{key}: {error}") from None

    def _value(self, key: str, row: Mapping[str, Any]) -> Any:
        """Return a value that may be missing."""
        column = self.fields.get(key)
        if column is None or not all(holds(row, name) for name in column.names):
            return None
        return column.read(row)


def _no_verdict(said: Any) -> str:
    return f"the log says {found(said)}, which is no verdict"


def _no_text(raw: Any) -> str:
    return f"the log holds {found(raw)} where a text is expected"


OF_PAIRS = ("order", "arm", "context")
"""The keys of ``fields`` that mean nothing in a log of single answers."""


def schema_of(judge: JudgeSettings, *, parsers: Mapping[str, VerdictParser] | None = None) -> LogSchema:
    """
    Check the mapping of a recorded judge; ``parsers`` are those of other plug-ins.

    Refused: unknown keys, no ``id``, neither ``verdict`` nor ``raw``, words that mean nothing or two
    things, an unknown parser.
    """
    given = {name: getattr(judge.fields, name, None) for name in NAMES}
    fields = parsed_fields({name: value for name, value in given.items() if value is not None}, known=NAMES)
    if "id" not in fields:
        raise Refused('fields: id is missing; name the field of the task\'s id, as in { id = "item" }')
    if "verdict" not in fields and "raw" not in fields:
        raise Refused(
            "fields: verdict is missing; name the field of the verdicts, or raw, that of the texts"
        )
    strange = next((name for name in OF_PAIRS if name in fields), None) if judge.logs_answers else None
    if strange is not None:
        raise Refused(f"fields: {strange} means nothing in a log of single answers; remove it")
    return LogSchema(
        where=dict(judge.where),
        fields=fields,
        rule=find_ruler(judge.parser, words=judge.acceptance) if judge.logs_answers else None,
        words=checked_words(orders=judge.orders, verdicts=judge.verdicts, arms=judge.arms),
        parse=find_parser(judge.parser, verdict=judge.verdict, contributed=parsers),
    )


class Survey:
    """What the whole log holds, for refusals that no single row explains."""

    def __init__(self, schema: LogSchema) -> None:
        self._schema = schema
        self._unseen = {name: f"where.{name}" for name in schema.where} | {
            name: f"fields.{key}" for key, column in schema.fields.items() for name in column.names
        }
        self._names: dict[str, dict[str, None]] = {name: {} for name in self._unseen}
        self._values: dict[str, dict[Any, None]] = {name: {} for name in schema.where}
        self._rows = self._matching = 0

    def note(self, row: Mapping[str, Any], *, matches: bool) -> None:
        """Take notice of a row."""
        self._rows += 1
        self._matching += matches
        for name in [name for name in self._unseen if holds(row, name)]:
            del self._unseen[name]
        for name in self._unseen:
            if len(self._names[name]) < MOST_NAMES:
                self._names[name].update(dict.fromkeys(names_beside(row, name)))
        if not self._matching:
            for name, values in self._values.items():
                value = value_at(row, name) if holds(row, name) else None
                if len(values) < MOST_NAMES and isinstance(value, str | int | float):
                    values[value] = None

    def check(self, shown: str) -> None:
        """Refuse a log in which no row has a field that is mapped, or none is of this judge."""
        if not self._rows:
            raise Refused(f"{shown}: there are no rows; expected verdicts")
        for name, key in self._unseen.items():
            names = tuple(self._names[name])
            raise Refused(
                f"{shown}: {key}: no row has a field {quoted(name)}; there are {listed(names, most=20)}."
                f"{near(name, names)}"
            )
        if not self._matching:
            wanted = ", ".join(f"{name} = {found(word)}" for name, word in self._schema.where.items())
            held = "; ".join(f"{name} is {_choices(values)}" for name, values in self._values.items())
            raise Refused(f"{shown}: where: none of {self._rows} rows has {wanted}; in this log {held}")


def _choices(values: Mapping[Any, None], *, most: int = 8) -> str:
    some = [found(value) for value in values]
    return ", ".join(some[:most]) + (" or another" if len(some) > most else "")
