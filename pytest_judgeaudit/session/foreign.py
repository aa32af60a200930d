"""Parameters that are not ours: which part of an item's id each of them made."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.session.marking import argument_names
from pytest_judgeaudit.session.rows import row_id
from pytest_judgeaudit.session.trial import Seat

BACK_END = "anyio_backend"
REPETITION = "__pytest_repeat_step_number"
"""The parameter of pytest-repeat: it tells repetitions of a trial apart, and makes no task and no cell."""


def foreign_parts(
    item: pytest.Function, seat: Seat | None, shown: Pair | LabelledAnswer | None, *, carrier: str | None
) -> dict[str, str]:
    """Return the parts of the id of an item with this row of ours; most items have none."""
    taken = sum(one is not None for one in (seat, shown))
    if not hasattr(item, "callspec") or len(item.callspec.params) <= taken:
        return {}
    return foreign_ids(item, ours=row_id(seat, shown), carrier=carrier)


def foreign_ids(item: pytest.Function, *, ours: str, carrier: str | None) -> dict[str, str]:
    """
    Return the parts of an item's id that are not ours, in their order, by parameter.

    ``ours`` is our part; ``carrier`` is the argument that carries a row of ours, if any.
    """
    filled = ["judge"] if carrier is None else ["judge", carrier]
    if not hasattr(item, "callspec") or item.callspec.params.keys() <= set(filled):
        return {}
    groups = _groups(item, filled)
    # pytest has no public way to ask which parameter made which part of an id.
    parts: Sequence[str] = getattr(item.callspec, "_idlist", ())
    if len(parts) == len(groups):
        found = dict(zip(groups, parts, strict=True))
    else:
        back_end = str(item.callspec.params.get(BACK_END, ""))
        found = {BACK_END: back_end, "": without(without(item.callspec.id, ours), back_end)}
    not_foreign = {REPETITION, *filled}
    return {name: part for name, part in found.items() if part and name not in not_foreign}


def _groups(item: pytest.Function, ours: Sequence[str]) -> list[str]:
    """Name the first argument of each call that parametrised the item, in order."""
    together = [ours, *(argument_names(mark) for mark in item.iter_markers("parametrize"))]
    found: list[str] = []
    taken: set[str] = set()
    for name in item.callspec.params:
        if name not in taken:
            taken.update(next((names for names in together if name in names), (name,)))
            found.append(name)
    return found


def without(full: str, part: str) -> str:
    """
    Take a part out of an item's parameter id.

    >>> without("calm-qwen-neutral-c001-AB", "qwen-neutral-c001-AB"), without("x", "")
    ('calm', 'x')
    """
    if not part or full == part:
        return "" if part else full
    before, _, after = f"-{full}-".partition(f"-{part}-")
    return "-".join(filter(None, (before.strip("-"), after.strip("-"))))
