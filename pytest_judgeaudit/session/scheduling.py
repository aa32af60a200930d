"""Under xdist, live: keep enough items queued at each worker that it can ask ahead."""

from __future__ import annotations

from typing import Any

import pytest

DIST = "judgeaudit_dist"
"""Key of a worker's input: how the run distributes items."""


def distribution(config: pytest.Config) -> str:
    """Return how items are distributed, in workers too, where xdist resets the option."""
    worker = getattr(config, "workerinput", None)
    found = config.getoption("dist", "no") if worker is None else worker.get(DIST, "no")
    return str(found)


class SteadyScheduler:
    """
    Replaces xdist's ``load`` scheduler in a live run.

    xdist sends nothing further to a worker whose items take long and which has two left: right for tests,
    but a worker that keeps several requests in flight would run dry. ``in_flight`` is the number of
    requests that all judges together may have in flight. ``in_turn`` keeps a drawn schedule as well as
    several workers can: items are handed out two at a time, never a long run of them to one worker.
    """

    def __init__(self, *, in_flight: int, in_turn: bool = False) -> None:
        self._in_flight = in_flight
        self._in_turn = in_turn

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell an xdist worker how items are distributed."""
        node.workerinput[DIST] = distribution(node.config)

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> object | None:
        """Return our scheduler where xdist would use ``load``."""
        if config.getoption("dist") != "load":
            return None
        return _steady(config, log, 2 * self._in_flight, in_turn=self._in_turn)


def _steady(config: pytest.Config, log: Any, queued: int, *, in_turn: bool) -> object:
    # xdist is not typed.
    from xdist.scheduler import LoadScheduling  # type: ignore[import-untyped]

    class SteadyScheduling(LoadScheduling):  # type: ignore[misc]
        """Fills each worker's queue up to the same length, however long items take."""

        def schedule(self) -> None:
            """Hand out the first items: in a drawn schedule no more of them than later ones."""
            if in_turn:
                self.maxschedchunk = 2
            super().schedule()

        def check_schedule(self, node: Any, duration: float = 0) -> None:
            """Send a worker what it lacks."""
            del duration
            if node.shutting_down:
                return
            if not self.pending:
                node.shutdown()
                return
            lacking = max(2, queued) - len(self.node2pending[node])
            if lacking > 0:
                self._send_tests(node, lacking)

    return SteadyScheduling(config, log)
