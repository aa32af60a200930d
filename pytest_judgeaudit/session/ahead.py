"""
Asking ahead: the bodies of coming items run in threads, each once, and are handed over in their turn.

A body that waits for a model costs nothing while it waits, but pytest runs one item after the other. So a
live run hands the bodies of the next items to threads: as many as ``in_flight`` allows. Everything else of
an item (fixtures, reports, hooks) happens in its turn, as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from pytest_judgeaudit.session.bodies import Bodies
from pytest_judgeaudit.session.trial import SLOT


class Ahead:
    """
    The hooks of a process that asks ahead.

    ``in_flight`` maps each judge that may have several requests in flight to their number; the bodies of
    all others run in their turn. ``bodies`` knows which can run ahead; ``stop`` ends pauses and begins no
    new try.
    """

    def __init__(self, *, in_flight: Mapping[str, int], bodies: Bodies, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._in_flight = in_flight
        self._bodies = bodies
        self._pools = {
            judge: ThreadPoolExecutor(count, thread_name_prefix=f"judgeaudit-{judge}")
            for judge, count in in_flight.items()
        }
        self._waiting: dict[str, set[Future[None]]] = {judge: set() for judge in in_flight}
        self._futures: dict[pytest.Item, Future[None]] = {}
        self._coming: Callable[[pytest.Item], Iterator[pytest.Item]] = lambda _: iter(())

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
        if not self._submit(pyfuncitem, pyfuncitem):
            return None
        for item in self._coming(pyfuncitem):
            if self._is_eligible(item, pyfuncitem) and not self._submit(item, pyfuncitem):
                break
        future = self._futures.pop(pyfuncitem)
        try:
            future.result()
        finally:
            pyfuncitem.stash[SLOT].ahead = False
        return True

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

    def _submit(self, item: pytest.Item, current: pytest.Item) -> bool:
        """Give an item's body to a thread; False where it must run in its turn, or all threads are busy."""
        if item in self._futures:
            return True
        if not self._is_eligible(item, current) or not isinstance(item, pytest.Function):
            return False
        slot = item.stash[SLOT]
        judge = slot.seat.judge if slot.seat else ""
        waiting = self._waiting[judge] = {one for one in self._waiting[judge] if not one.done()}
        # Twice as many as may fly: a thread that ends finds its next body at once.
        if len(waiting) >= 2 * self._in_flight[judge] and item is not current:
            return False
        slot.reset()
        slot.ahead = True
        future = self._pools[judge].submit(item.obj, **self._bodies.arguments(item))
        waiting.add(future)
        self._futures[item] = future
        return True

    def _is_eligible(self, item: pytest.Item, current: pytest.Item) -> bool:
        slot = item.stash.get(SLOT, None)
        if slot is None or slot.seat is None or slot.seat.judge not in self._in_flight:
            return False
        if not isinstance(item, pytest.Function) or not isinstance(current, pytest.Function):
            return False
        if item.parent is not current.parent:
            return False
        # What else it needs must be set up already: the current item has it too.
        return self._bodies.is_plain(item) and (
            item.obj is current.obj or set(item.fixturenames) <= set(current.fixturenames)
        )


class _Following:
    """The items that follow an item in a list."""

    def __init__(self, items: Sequence[pytest.Item]) -> None:
        self._items = items
        self._places = {item: index for index, item in enumerate(items)}

    def after(self, item: pytest.Item) -> Iterator[pytest.Item]:
        for index in range(self._places[item] + 1, len(self._items)):
            yield self._items[index]


def _coming_to_worker(session: pytest.Session) -> Callable[[pytest.Item], Iterator[pytest.Item]] | None:
    """
    Look into the queue of an xdist worker; None in any other process.

    Only what is queued here is looked at: another worker would pay for anything else too.
    """
    plugins = session.config.pluginmanager.get_plugins()
    interactor: Any = next((one for one in plugins if type(one).__name__ == "WorkerInteractor"), None)
    if interactor is None:
        return None

    def coming(_: pytest.Item) -> Iterator[pytest.Item]:
        # The queue is private to xdist: where it looks different, only the next item is known.
        queued = list(getattr(getattr(interactor, "torun", None), "_items", ()))
        for index in [getattr(interactor, "nextitem_index", None), *queued]:
            if isinstance(index, int):
                yield session.items[index]

    return coming
