"""The order in which the trials of a module run: by hash, or as the drawn schedule has it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.audit.schedules import Condition, Place, assign, groups, timeline
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.session.trial import SLOT, Slot

if TYPE_CHECKING:
    from pytest_judgeaudit.session.evals import CellKey, Eval

Turn = Callable[[str, pytest.Item], tuple[float, int, bytes]]
"""When an item of a module has its turn."""

Call = tuple[str, Place, str, Condition]
"""A judge, a group, a task of it and how it is shown."""


def schedule(items: list[pytest.Item], *, seed: int, turn: Turn | None = None) -> None:
    """
    Order the trials of each module in the places that they hold; other items stay.

    By hash unless ``turn`` says otherwise (METHODS 2, "Schedule"): deterministic, the same on every
    worker, blind to outcomes.
    """
    places: dict[str, list[int]] = {}
    seen: set[int] = set()
    for index, item in enumerate(items):
        slot = item.stash.get(SLOT, None)
        # An item that a plug-in repeats keeps its place: pytest cannot run one twice in a row.
        if slot is not None and (slot.pair or slot.item or slot.asked) and id(item) not in seen:
            seen.add(id(item))
            places.setdefault(slot.module, []).append(index)
    for module, indices in places.items():
        trials = [items[index] for index in indices]
        if turn is None:
            trials.sort(key=lambda item: rank(seed, module, item.nodeid))
        else:
            trials.sort(key=lambda item: turn(module, item))
        for index, item in zip(indices, trials, strict=True):
            items[index] = item


def rank(seed: int, module: str, nodeid: str) -> bytes:
    """Return where an item stands by hash."""
    return hashlib.blake2b(f"{seed}/{module}/{nodeid}".encode(), digest_size=8).digest()


def drawn_turns(
    evals: Mapping[str, Eval], criteria: Mapping[str, Sequence[str]], *, seed: int, kind: str
) -> Turn:
    """
    Return the turns of a drawn schedule: those of pairs, then by hash whatever else there is.

    ``criteria`` are those of every configured judge: what is selected moves nothing. Judges take turns.
    """
    keys: dict[str, CellKey] = {key.id: key for one in evals.values() for key in one.cells}
    modules: dict[str, list[Eval]] = defaultdict(list)
    for one in evals.values():
        modules[one.module].append(one)
    turns: dict[Call, tuple[int, int]] = {}
    for several in modules.values():
        turns |= _turns(several, criteria, seed=seed, kind=kind)

    def turn(module: str, item: pytest.Item) -> tuple[float, int, bytes]:
        slot: Slot = item.stash[SLOT]
        key, late = keys[slot.cell], rank(seed, module, item.nodeid)
        if slot.seat is None or slot.pair is None:
            return float("inf"), 0, late
        place = Place(key.eval, key.variant, key.stratum)
        condition = Condition(slot.seat.criterion, slot.order, slot.pair.context)
        return (*turns.get((slot.seat.judge, place, slot.task, condition), (float("inf"), 0)), late)

    return turn


def _turns(
    evals: Sequence[Eval], criteria: Mapping[str, Sequence[str]], *, seed: int, kind: str
) -> dict[Call, tuple[int, int]]:
    """Return the turn of each call of a module, and the judge's number."""
    shown = groups(
        (Place(key.eval, key.variant, key.stratum), key.context, presentations)
        for one in evals
        for key, presentations in one.cells.items()
        if key.seat is not None and key.arm not in LABELLED_ARMS
    )
    found: dict[Call, tuple[int, int]] = {}
    for number, (judge, names) in enumerate(criteria.items()):
        assigned = {
            place: assign(place, group, judge=judge, criteria=names, seed=seed, kind=kind)
            for place, group in shown.items()
        }
        for index, (place, task, condition) in enumerate(timeline(assigned, seed=seed)):
            found[judge, place, task, condition] = (index, number)
    return found
