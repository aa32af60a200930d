"""
The randomised schedule: which condition each task is shown under in which period (METHODS 2, RULES R13).

The conditions of a group of tasks are the criteria × orders (× contexts) under which a judge is shown them.
A period shows every task once, in one order of tasks that all periods share: so the exposures of a task,
copies and signal pairs alike, lie as far apart as the set is large. Drawn by SHA-256 of the protocol's
seed, so that every process, version and platform draws the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.plans import CellPlan, Plan, Presentation
from pytest_judgeaudit.stats.sequences import williams

DRAWN = ("randomized", "independent")
"""Schedules that draw an assignment: in balanced blocks, or of each task on its own."""


class Condition(NamedTuple):
    """How a task is shown."""

    criterion: str
    order: str
    context: str = ""


class Place(NamedTuple):
    """A group of tasks of one test: those of one stratum, under one set of the user's own parameters."""

    eval: str
    variant: str
    stratum: str | None


class Shown(NamedTuple):
    """What a test schedules of a group, whoever judges it."""

    tasks: tuple[str, ...]
    orders: tuple[str, ...]
    contexts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """
    What was drawn for one judge and group.

    ``blocks`` are its tasks in the order in which they were assigned; ``sequences`` gives each task's
    conditions by period, as indices.
    """

    conditions: tuple[Condition, ...]
    blocks: tuple[tuple[str, ...], ...]
    sequences: Mapping[str, tuple[int, ...]]

    def written(self) -> dict[str, list[str]]:
        """Return the conditions of each task in their order, as the protocol's lock keeps them."""
        names = [" ".join(filter(None, condition)) for condition in self.conditions]
        return {task: [names[index] for index in row] for task, row in self.sequences.items()}


def groups(cells: Iterable[tuple[Place, str, Sequence[Presentation]]]) -> dict[Place, Shown]:
    """Gather what is shown of each group, from the place, context and declared presentations of cells."""
    tasks: dict[Place, dict[str, None]] = {}
    orders: dict[Place, dict[str, None]] = {}
    contexts: dict[Place, dict[str, None]] = {}
    for place, context, presentations in cells:
        tasks.setdefault(place, {}).update(dict.fromkeys([one.task for one in presentations]))
        orders.setdefault(place, {}).update(dict.fromkeys(sorted({one.order for one in presentations})))
        contexts.setdefault(place, {})[context] = None
    return {
        place: Shown(tuple(tasks[place]), tuple(orders[place]), tuple(contexts[place])) for place in tasks
    }


def planned_groups(plan: Plan) -> dict[Place, Shown]:
    """Gather the groups of a plan's pairs."""
    return groups(
        (place_of(cell), cell.context, cell.declared)
        for cell in plan.cells
        if cell.judge and cell.arm not in LABELLED_ARMS
    )


def place_of(cell: CellPlan) -> Place:
    """Return the group to which a cell's tasks belong."""
    return Place(cell.eval, cell.variant, cell.stratum)


def assign(
    place: Place, shown: Shown, *, judge: str, criteria: Sequence[str], seed: int, kind: str
) -> Assignment:
    """
    Draw the assignment of one judge and group.

    ``randomized``: blocks of as many tasks as a Williams design has sequences; in each block the conditions
    are put to its letters, and the sequences to the tasks, in a drawn order. ``independent``: each task
    draws an order of all conditions on its own.
    """
    conditions = tuple(Condition(*one) for one in product(criteria, shown.orders, shown.contexts))
    name = f"{seed}/{place.eval}/{place.variant}/{place.stratum or ''}/{judge}"
    tasks = drawn(shown.tasks, f"{name}/tasks")
    rows = williams(len(conditions)) if kind == "randomized" else ((),)
    size = len(rows)
    blocks = tuple(tuple(tasks[start : start + size]) for start in range(0, len(tasks), size))
    sequences: dict[str, tuple[int, ...]] = {}
    for number, block in enumerate(blocks):
        if kind == "randomized":
            labels = drawn(range(len(conditions)), f"{name}/{number}/labels")
            order = drawn(range(size), f"{name}/{number}/sequences")
            for task, row in zip(block, order, strict=False):
                sequences[task] = tuple(labels[letter] for letter in rows[row])
        else:
            sequences[block[0]] = tuple(drawn(range(len(conditions)), f"{name}/{block[0]}"))
    return Assignment(conditions=conditions, blocks=blocks, sequences=sequences)


def drawn(things: Iterable[object], name: str) -> list:  # type: ignore[type-arg]
    """Return the things in an order that depends on the name alone."""
    return sorted(things, key=lambda one: _lot(f"{name}/{one}"))


def _lot(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def timeline(
    assignments: Mapping[Place, Assignment], *, seed: int
) -> Iterator[tuple[Place, str, Condition]]:
    """
    Yield the calls of one judge in one module in their turn: place, task and condition.

    The periods of all groups take turns; within each period tasks come in one order that all share.
    """
    periods = sorted(
        ((period + 0.5) / len(one.conditions), index, period, place)
        for index, (place, one) in enumerate(assignments.items())
        for period in range(len(one.conditions))
    )
    for _, _, period, place in periods:
        one = assignments[place]
        for task in drawn(one.sequences, f"{seed}/turn"):
            yield place, task, one.conditions[one.sequences[task][period]]
