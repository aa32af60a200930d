"""What only a live run's controller has: it keeps others out, ends well, keeps workers busy, and tells."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.session.choices import Settings
from pytest_judgeaudit.session.keeping import Keeper
from pytest_judgeaudit.session.scheduling import SteadyScheduler
from pytest_judgeaudit.session.signals import Termination
from pytest_judgeaudit.session.telling import Telling
from pytest_judgeaudit.store.following import Follower
from pytest_judgeaudit.store.occupied import occupy

if TYPE_CHECKING:
    from pytest_judgeaudit.settings.models import AgentSettings, JudgeSettings


def refuse_repeated(plan: Plan) -> None:
    """Refuse to ask for the same trials more than once: each would be paid for, and none be counted."""
    for cell in plan.cells:
        more = len(cell.selected) - len(set(cell.selected))
        if more:
            raise Refused(
                f"{cell.eval}: {counted(more, 'trial')} would be run more than once, asked for each time, "
                "and the gates held. Leave out what repeats items, such as --count of pytest-repeat."
            )


class Occupying:
    """Keeps other live runs from asking ``names`` into a folder until this one has ended."""

    def __init__(self, folder: Path, names: Iterable[str], *, shard: str | None) -> None:
        self._end = occupy(folder, names, shard=shard)

    def pytest_unconfigure(self) -> None:
        """Let others ask."""
        self._end()


class Loading:
    """Loads the analysis once the first calls are on their way: it takes time, and is not needed before."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        """Load it after the first item, and listen no more."""
        self._config.pluginmanager.unregister(self)
        # In a thread, which no signal interrupts: numpy cannot be loaded again once it was loaded in part.
        loading = threading.Thread(target=_load, name="judgeaudit-loading")
        loading.start()
        loading.join()


def _load() -> None:
    with suppress(Exception):  # it is told at the end, when all answers are kept
        import_module("pytest_judgeaudit.audit.auditing")


def live_parts(
    config: pytest.Config,
    settings: Settings,
    keeper: Keeper,
    *,
    asked: Sequence[JudgeSettings | AgentSettings],
    ahead: int,
    plan: Callable[[], Plan],
    in_turn: bool,
) -> Iterator[tuple[str, object]]:
    """
    Yield the parts by name.

    ``asked`` are the judges and agents that may be asked, ``ahead`` how many requests to those that are
    asked ahead may be in flight; ``in_turn`` keeps a drawn schedule.
    Refused: another live run asks one of them.
    """
    shard = str(settings.shard) if settings.shard else None
    yield "occupying", Occupying(settings.snapshots, [one.name for one in asked], shard=shard)
    yield "termination", Termination()
    yield "loading", Loading(config)
    yield "receiving", keeper.receiving
    yield "scheduler", SteadyScheduler(in_flight=ahead, in_turn=in_turn)
    if settings.verbose > 0:
        in_flight = {one.name: one.limits.in_flight for one in asked}
        follower = Follower(settings.snapshots, keeper.run)
        yield "telling", Telling(follower=follower, plan=plan, in_flight=in_flight)
