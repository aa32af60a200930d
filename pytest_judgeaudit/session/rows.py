"""The rows that eval tests are parametrised with, each under the id of its item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Context, Order, Pair, slug
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.plans import Presentation
from pytest_judgeaudit.session.trial import Asked, Seat

Row = TypeVar("Row")


def paired_rows(
    seats: Iterable[Seat | None],
    pairs: Sequence[Pair],
    orders: Sequence[Order],
    contexts: Sequence[Context] = ("",),
) -> Iterator[tuple[str, tuple[Seat | None, Pair]]]:
    """Yield every pair in every order and context, for every judge under every criterion."""
    ways = [(order, context) for order in orders for context in contexts]
    every = [pair.shown(order, context) for pair in pairs for order, context in ways]
    shown = [(shown_id(pair), pair) for pair in every]
    for seat in seats:
        prefix = f"{seat.id}-" if seat else ""
        for name, pair in shown:
            yield prefix + name, (seat, pair)


def shown_id(pair: Pair) -> str:
    """Name a presentation of a pair: TASK-ORDER, in a context audit TASK-ORDER-CONTEXT."""
    context = f"-{pair.context}" if pair.context else ""
    return f"{slug(pair.id)}-{pair.order}{context}"


def labelled_rows(
    seats: Iterable[Seat | None], answers: Sequence[LabelledAnswer]
) -> Iterator[tuple[str, tuple[Seat | None, LabelledAnswer]]]:
    """Yield every answer and control, for every judge under every criterion."""
    named = [(answer_id(answer), answer) for answer in answers]
    for seat in seats:
        prefix = f"{seat.id}-" if seat else ""
        for name, answer in named:
            yield prefix + name, (seat, answer)


def answer_id(answer: LabelledAnswer) -> str:
    """Name a labelled answer as it is shown: TASK-LABEL, of a control TASK-CONTROL."""
    return f"{slug(answer.id)}-{answer.control or answer.label}"


def asked_rows(
    judges: Iterable[Seat | None], rows: Sequence[Asked]
) -> Iterator[tuple[str, tuple[Seat | None, Asked]]]:
    """Yield every question as it is asked, for every judge where one is a parameter."""
    for seat in judges:
        prefix = f"{seat.id}-" if seat else ""
        for row in rows:
            yield prefix + row.id, (seat, row)


def unique_rows(rows: Iterable[tuple[str, Row]]) -> Mapping[str, Row]:
    """Refuse two rows of one id: pytest would rename them in silence."""
    found: dict[str, Row] = {}
    for name, row in rows:
        if name in found:
            raise Refused(f"two trials would have the id {name!r}. Rename a judge, a criterion or a task.")
        found[name] = row
    return found


def condition_of(shown: Pair | LabelledAnswer | None) -> dict[str, Any]:
    """Return the arm, the stratum and the context of what is shown."""
    if shown is None:
        return {"arm": "all", "stratum": None}
    if isinstance(shown, LabelledAnswer):
        return {"arm": shown.arm, "stratum": shown.stratum}
    return {"arm": shown.kind, "stratum": _stratum(shown), "context": shown.context}


def _stratum(pair: Pair) -> str | None:
    """Return the stratum of a copy, and of an equivalent that nobody validated."""
    return pair.stratum if pair.kind == "clone" or pair.stratum == "unvalidated" else None


def row_id(seat: Seat | None, shown: Pair | LabelledAnswer | None) -> str:
    """Name a row: SEAT and what it shows."""
    name = answer_id(shown) if isinstance(shown, LabelledAnswer) else shown_id(shown) if shown else ""
    return "-".join(filter(None, (seat.id if seat else "", name)))


def asked_presentation(asked: Asked) -> Presentation:
    """Return the presentation of a question."""
    return Presentation(asked.question.id, "AB", asked.replicate)


def taken_of(row: tuple[Any, ...], taken: Sequence[bool]) -> tuple[Any, ...]:
    """Return the entries of a row that its test takes."""
    return tuple(entry for entry, wanted in zip(row, taken, strict=True) if wanted)
