"""
Asking ahead: the bodies of coming items run in threads, each once, and are handed over in their turn.

A body that waits for a model costs nothing while it waits, but pytest runs one item after the other. So a
live run hands the bodies of the next items to threads: as many as ``in_flight`` allows, and some more that
wait for a slot: a body has work to do before and after its call. Everything else of an item (fixtures,
reports, hooks) happens in its turn, as ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeAlias, TypeGuard

import pytest

from pytest_judgeaudit.session.bodies import Bodies, is_decided
from pytest_judgeaudit.session.trial import SLOT, Slot
from pytest_judgeaudit.session.workers import interactor_of

LOOK = 8
"""How many coming items are looked at, times the requests that may fly."""

CALLS_A_READY = 4
"""For so many calls that may be in flight one more body is begun, and waits for a slot."""

Coming: TypeAlias = Callable[[pytest.Item, Container[pytest.Item]], Iterator[pytest.Item]]
"""Names the items that come after one, but for those that are taken."""


class Ahead:
    """
    The hooks of a process that asks ahead.

    ``in_flight`` maps each judge that may have several requests in flight to their number; the bodies of
    all others run in their turn. ``slotted`` are those whose calls settle nothing before they have a slot.
    ``bodies`` knows which can run ahead; ``stop`` ends pauses and begins no new try.
    """

    def __init__(
        self,
        *,
        in_flight: Mapping[str, int],
        slotted: Container[str] = (),
        bodies: Bodies,
        stop: Callable[[], None],
    ) -> None:
        self._stop = stop
        self._in_flight = in_flight
        self._bodies = bodies
        self._pools = {
            judge: ThreadPoolExecutor(
                count + (-(-count // CALLS_A_READY) if judge in slotted else 0),
                thread_name_prefix=f"judgeaudit-{judge}",
            )
            for judge, count in in_flight.items()
        }
        self._waiting: dict[str, set[Future[None]]] = {judge: set() for judge in in_flight}
        self._futures: dict[pytest.Item, Future[None]] = {}
        self._held: Counter[str] = Counter()
        self._coming: Coming = lambda _, __: iter(())

    @property
    def in_flight(self) -> int:
        """How many requests all judges together may have in flight."""
        return sum(self._in_flight.values())

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Find out in which order items will come."""
        self._coming = _coming_to_worker(session) or _Following(session.items).after

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Hand over the result of a body, and keep the threads busy with the next ones."""
        if pyfuncitem not in self._futures:
            if not self._is_eligible(pyfuncitem, pyfuncitem):
                return None
            self._submit(pyfuncitem)
        self._fill(pyfuncitem)
        future, slot = self._futures.pop(pyfuncitem), pyfuncitem.stash[SLOT]
        self._held[_judge_of(slot)] -= 1
        try:
            future.result()
        finally:
            slot.ahead = False
        return True

    def _fill(self, current: pytest.Item) -> None:
        """Give the coming bodies to threads, as far as those have room."""
        room = {judge for judge in self._in_flight if self._has_room(judge)}
        for item in islice(self._coming(current, self._futures), LOOK * self.in_flight):
            if not room:
                return
            if self._is_eligible(item, current) and (judge := _judge_of(item.stash[SLOT])) in room:
                self._submit(item)
                if not self._has_room(judge):
                    room.discard(judge)

    def _has_room(self, judge: str) -> bool:
        # Twice as many as may fly: a thread that ends finds its next body at once. And no more than four
        # times as many in all: bodies that find their answer stored end faster than they are handed over.
        allowed = self._in_flight[judge]
        return len(self._waiting[judge]) < 2 * allowed and self._held[judge] < 4 * allowed

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Leave no request behind."""
        self.drain()

    def drain(self) -> None:
        """Start nothing further, and wait for what is in flight: its answers are paid for."""
        self._stop()
        for pool in self._pools.values():
            pool.shutdown(wait=True, cancel_futures=True)
        self._futures.clear()

    def _submit(self, item: pytest.Function) -> None:
        """Give an item's body to a thread."""
        slot = item.stash[SLOT]
        judge = _judge_of(slot)
        slot.reset()
        slot.ahead = True
        future = self._pools[judge].submit(item.obj, **self._bodies.arguments(item))
        self._waiting[judge].add(future)
        future.add_done_callback(self._waiting[judge].discard)
        self._held[judge] += 1
        self._futures[item] = future

    def _is_eligible(self, item: pytest.Item, current: pytest.Item) -> TypeGuard[pytest.Function]:
        slot = item.stash.get(SLOT, None)
        if slot is None or slot.owner not in self._in_flight:
            return False
        if not isinstance(item, pytest.Function) or not isinstance(current, pytest.Function):
            return False
        if item.parent is not current.parent:
            return False
        if is_decided(item):  # it may be skipped in its turn: then nobody wants its answer
            return False
        if item.get_closest_marker("filterwarnings"):  # in force in its turn only
            return False
        # What else it needs must be set up already: the current item has it too.
        return self._bodies.is_plain(item) and (
            item.obj is current.obj or set(item.fixturenames) <= set(current.fixturenames)
        )


def _judge_of(slot: Slot) -> str:
    return slot.owner


class _Following:
    """The items that follow an item in a list, but for those that are taken already."""

    def __init__(self, items: Sequence[pytest.Item]) -> None:
        self._items = items
        self._places = {item: index for index, item in enumerate(items)}
        self._start = 0

    def after(self, item: pytest.Item, taken: Container[pytest.Item]) -> Iterator[pytest.Item]:
        start = max(self._start, self._places[item] + 1)
        while start < len(self._items) and self._items[start] in taken:
            start += 1
        # Kept: looking at the same items again for each item would make a run's time grow as the square.
        self._start = start
        for index in range(start, len(self._items)):
            if self._items[index] not in taken:
                yield self._items[index]


def _coming_to_worker(session: pytest.Session) -> Coming | None:
    """
    Look into the queue of an xdist worker; None in any other process.

    Only what is queued here is looked at: another worker would pay for anything else too.
    """
    interactor = interactor_of(session.config)
    if interactor is None:
        return None

    def coming(_: pytest.Item, taken: Container[pytest.Item]) -> Iterator[pytest.Item]:
        # The queue is private to xdist: where it looks different, only the next item is known.
        queued = list(getattr(getattr(interactor, "torun", None), "_items", ()))
        for index in [getattr(interactor, "nextitem_index", None), *queued]:
            if isinstance(index, int) and session.items[index] not in taken:
                yield session.items[index]

    return coming
