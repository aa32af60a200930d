"""
A recorded judge: verdicts that somebody else's log holds, audited without a call (DESIGN 3).

The log is read once, as a stream. A clone presentation is the row with order AB and the clone's own task
id. A log without an ``order`` field holds order AB only; one without a ``criterion`` field answers for
every criterion; one without ``arm`` does not tell arms apart; one without ``replicate`` holds the first.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_judgeaudit.corpora.found import found, printable
from pytest_judgeaudit.corpora.refusals import unless_refused
from pytest_judgeaudit.corpora.rows import each_row
from pytest_judgeaudit.judge.direct import Decision
from pytest_judgeaudit.judge.log_rows import LogKey, LogSchema, Survey, schema_of
from pytest_judgeaudit.records.errors import MissingAnswer, PluginFault, Refused, addressed
from pytest_judgeaudit.records.items import Order, Pair
from pytest_judgeaudit.records.labelled import BLANK, LabelledAnswer
from pytest_judgeaudit.records.verdicts import Acceptance, Verdict

if TYPE_CHECKING:  # pydantic is not needed to decide
    from pytest_judgeaudit.judge.parsers import VerdictParser
    from pytest_judgeaudit.settings.models import JudgeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """What the log says of one presentation, in how many rows, and whether two of them differ."""

    verdict: Verdict | Acceptance
    rows: int = 1
    duplicated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudge:
    """
    The verdicts of one judge in a log. ``log`` is the file's name in messages.

    ``by_criterion`` and ``by_arm`` tell whether the log keeps criteria and arms apart; ``has_served``
    whether it states the served model: if not, identity is only declared by the log (RULES R17).
    """

    name: str
    log: str
    entries: Mapping[LogKey, LogEntry]
    by_criterion: bool
    by_arm: bool
    has_served: bool

    @classmethod
    def open(
        cls,
        judge: JudgeSettings,
        *,
        root: Path,
        configuration_dir: Path,
        parsers: Mapping[str, VerdictParser] | None = None,
    ) -> RecordedJudge:
        """
        Read the log of a ``[[judge]]`` table with ``api = "recorded"``.

        A relative path starts at the configuration file's folder; messages name it relative to ``root``
        where that is possible. Refused: an impossible mapping, rows that cannot be read or lack what is
        mapped (``file:line``), a mapped field that no row has, a ``where`` that matches no row, and a
        parser of another plug-in (``parsers``) that fails.
        """
        with addressed(f'judge "{judge.name}"'):
            schema = schema_of(judge, parsers=parsers)
            if not judge.path:
                raise Refused('path is missing; name the log, as in path = "verdicts.jsonl"')
        path = configuration_dir / judge.path
        shown = printable(str(path.relative_to(root) if path.is_relative_to(root) else path), clip=200)
        try:
            entries = _read(path, shown=shown, schema=schema, under=judge.rows)
        except PluginFault as error:
            raise Refused(f'judge "{judge.name}": {shown}: {error}') from None
        return cls(
            name=judge.name,
            log=shown,
            entries=entries,
            by_criterion="criterion" in schema.fields,
            by_arm="arm" in schema.fields,
            has_served="served" in schema.fields,
        )

    @property
    def keys(self) -> frozenset[LogKey]:
        """All presentations of which the log holds a row."""
        return frozenset(self.entries)

    def key_of(
        self, *, task: str, order: Order, criterion: str, arm: str, replicate: int = 1, context: str = ""
    ) -> LogKey:
        """Return the key of a scheduled presentation in this log."""
        return LogKey(
            task=task,
            order=order,
            criterion=criterion if self.by_criterion else None,
            arm=arm if self.by_arm else None,
            replicate=replicate,
            context=context,
        )

    def unmatched(self, used: Collection[LogKey]) -> int:
        """Count the rows of this judge that belong to none of the scheduled presentations ``used``."""
        return sum(entry.rows for key, entry in self.entries.items() if key not in used)

    def example(self, used: Collection[LogKey]) -> str:
        """Word one such row, and beside it the scheduled presentation that has none, or any."""
        stray = next((key for key in self.entries if key not in used), None)
        lacking = next((key for key in used if key not in self.entries), next(iter(used), None))
        told = f"the log has {_worded(stray)}" if stray else ""
        return f"{told}, the tests have {_worded(lacking)}" if lacking else told

    def decide(self, pair: Pair, *, criterion: str, replicate: int = 1) -> Decision:
        """Look the presentation up. Raises MissingAnswer, naming the log, where it has no row."""
        key = self.key_of(
            task=pair.id,
            order=pair.order,
            criterion=criterion,
            arm=pair.kind,
            replicate=replicate,
            context=pair.context,
        )
        return self._found(key, "orders")

    def rule(self, item: LabelledAnswer, *, criterion: str) -> Decision:
        """Look the ruling on an answer up, as :meth:`decide` does; of blank ones a log holds none."""
        if item.control in BLANK:
            raise MissingAnswer(
                f"{self.log}: a log holds no {item.control} answers. Leave that control out of controls on "
                "the marker"
            )
        key = self.key_of(
            task=item.id, order="AB", criterion=criterion, arm=item.arm, replicate=item.replicate
        )
        return self._found(key, "verdicts")

    def _found(self, key: LogKey, mapped: str) -> Decision:
        entry = self.entries.get(key)
        if entry is None:
            raise MissingAnswer(
                f"{self.log}: judge {self.name} has no row with {_worded(key)}. "
                f"Complete the log, or check where, fields and {mapped} of this judge"
            )
        return Decision(verdict=entry.verdict, duplicated=entry.duplicated)


def _worded(key: LogKey) -> str:
    parts = {"id": found(key.task), "order": key.order}
    parts |= {
        name: found(value) for name, value in zip(("criterion", "arm"), key[2:4], strict=True) if value
    }
    if key.context:
        parts["context"] = key.context
    if key.replicate != 1:
        parts["replicate"] = str(key.replicate)
    return ", ".join(f"{name} {value}" for name, value in parts.items())


class _Fact(NamedTuple):
    """What one row says, and the row."""

    key: LogKey
    verdict: Verdict | Acceptance
    row: dict[str, Any]


def _read(path: Path, *, shown: str, schema: LogSchema, under: str | None) -> dict[LogKey, LogEntry]:
    entries: dict[LogKey, LogEntry] = {}
    first: dict[LogKey, dict[str, Any]] = {}
    for key, verdict, row in unless_refused(_facts(path, shown=shown, schema=schema, under=under)):
        entry = entries.get(key)
        if entry is None:
            entries[key], first[key] = LogEntry(verdict=verdict), row
        else:
            differs = entry.duplicated or _canonical(row) != _canonical(first[key])
            entries[key] = replace(entry, rows=entry.rows + 1, duplicated=differs)
    return entries


def _canonical(row: Mapping[str, Any]) -> str:
    # Compared as JSON: Python's own equality takes 1, 1.0 and true for one value.
    return json.dumps(row, sort_keys=True)


def _facts(path: Path, *, shown: str, schema: LogSchema, under: str | None) -> Iterator[_Fact | Refused]:
    """Yield what each row of this judge says, or what is wrong with a row; then refuse the whole log."""
    survey, readable = Survey(schema), True
    for row in each_row(path, shown=shown, under=under):
        if isinstance(row, Refused):
            readable = False
            yield row
            continue
        matches = schema.matches(row.data)
        survey.note(row.data, matches=matches)
        if matches:
            yield _fact(row.place, row.data, schema)
    if readable:
        survey.check(shown)


def _fact(place: str, row: dict[str, Any], schema: LogSchema) -> _Fact | Refused:
    try:
        key = schema.key(row)
        return _Fact(key, schema.verdict(row, key.order), row)
    except Refused as error:
        return Refused(f"{place}: {error}")
