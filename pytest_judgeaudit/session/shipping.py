"""
Workers whose snapshots are not the controller's: what they record travels with their reports.

A worker on another host (``--tx ssh=…``, ``--tx socket=…``) or in another folder (``--tx popen//chdir=…``)
cannot write where the controller reads. It sends its journal, and the controller copies it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import pytest

from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.session.workers import interactor_of
from pytest_judgeaudit.store.parcels import Inbox, Outbox, Parcel

PARCEL = "judgeaudit_parcel"
"""Attribute of a report, and key of a worker's output: lines of the worker's journal."""

KEPT = "judgeaudit_kept"
"""Name of a command to a worker: how many lines of each journal the controller has on its disk."""

_NEXT = 64  # a worker may begin as many while it is asked for the rest


class Shipping:
    """
    The hooks of a worker that sends its journal; ``close`` closes that and returns where it lies.

    ``patience_s`` is for how long it waits, having sent everything, for word that it has arrived.
    """

    def __init__(self, outbox: Outbox, *, close: Callable[[], Path], patience_s: float = 10.0) -> None:
        self._outbox = outbox
        self._close = close
        self._patience_s = patience_s
        self._listens, self._heard = False, threading.Event()
        self._kept: Mapping[str, int] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Listen to commands of ours among those of xdist, which is about to listen to its own."""
        interactor = interactor_of(session.config)
        pass_on = getattr(interactor, "handle_command", None)
        if pass_on is None:
            return

        def handle(command: Any) -> None:
            if isinstance(command, tuple) and command[0] == KEPT:
                self._kept = command[1]["lines"]
                self._heard.set()
                return
            if not isinstance(command, tuple):  # the channel was closed: nothing will be heard any more
                self._heard.set()
            pass_on(command)

        interactor.handle_command = handle
        self._listens = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Attach what was recorded since the last report, right before this one is sent."""
        parcel = self._outbox.parcel()
        if parcel is not None:
            setattr(report, PARCEL, parcel)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """
        Remove the journal once the controller says that it has it, all of it.

        Around xdist's hook, which sends the rest. Without that word the journal stays.
        """
        result = yield
        if self._listens and self._outbox.has_posted:
            self._heard.wait(self._patience_s)
        self._outbox.delivered(self._close(), self._kept)
        return result

    def finish(self, output: MutableMapping[str, Any]) -> None:
        """Put the rest into the worker's last message; nothing is recorded any more."""
        self._close()
        parcel = self._outbox.parcel()
        if parcel is not None:
            output[PARCEL] = parcel


class Receiving:
    """
    The hooks of a controller that is sent journals.

    Parcels are taken as they arrive, in the thread that xdist receives in: an interruption hits the main
    thread only, and would otherwise take one with it.
    """

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self._arrived: deque[tuple[str, str]] = deque()
        self._away: dict[str, str] = {}
        self._died: dict[str, str] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Listen to what a worker sends."""
        pass_on = getattr(node, "putevent", None)
        if pass_on is None:
            return

        def put(event: tuple[str, dict[str, Any]]) -> None:
            kind, told = event
            if kind == "testreport":
                self._hear(told["rep"], _name(node))
            pass_on(event)

        node.putevent = put

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write down what has arrived, before anybody writes reports down."""
        self._hear(report, _name(getattr(report, "node", None)))
        self._write_down()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take what a worker sent last, or note that it died before."""
        name, output = _name(node), getattr(node, "workeroutput", {})
        if PARCEL in output:
            self._arrived.append((name, output[PARCEL]))
            del output[PARCEL]
        self._write_down()
        if name in self._away and output:
            self._confirm(node)
        if error and name in self._away and not output:
            self._died[name] = self._away[name]

    def _confirm(self, node: Any) -> None:
        """Tell a worker what is on the disk here; one that has gone keeps what it has."""
        try:
            node.sendcommand(KEPT, lines=dict(self.inbox.kept[_name(node)]))
        except OSError:
            return

    def wait(self, config: pytest.Config, *, patience_s: float) -> None:
        """
        Take back what workers elsewhere have not begun, and wait until they have sent what they recorded.

        For a run that was interrupted: nobody else reads what they send any more.
        """
        session = config.pluginmanager.get_plugin("dsession")
        nodes = [node for node in getattr(session, "_active_nodes", ()) if self._is_away(node)]
        for node in nodes:
            _take_back(session, node)
        until = time.monotonic() + patience_s
        while nodes:
            late = time.monotonic() >= until
            for node in [node for node in nodes if late or _ended(node)]:
                said = hasattr(node, "workeroutput")
                self.pytest_testnodedown(node, error=None if said else "no last word")
                nodes.remove(node)
            time.sleep(0.02)
        self._write_down()

    def findings(self) -> Iterator[Finding]:
        """Say which workers died before they could send everything, and where the rest is."""
        for name, place in self._died.items():
            yield Finding(
                code="left-elsewhere",
                where=place,
                symptom=f"worker {name} ended without a last message: what it recorded after its last "
                "report is there, and not in the snapshots",
                check="that folder: a worker that starts there again, in a live run, sends it",
            )

    def _hear(self, report: pytest.TestReport, name: str) -> None:
        parcel = vars(report).pop(PARCEL, None)
        if parcel is not None:
            self._arrived.append((name, parcel))

    def _write_down(self) -> None:
        while self._arrived:
            self._take(*self._arrived[0])
            self._arrived.popleft()

    def _take(self, worker: str, text: str) -> None:
        parcel = Parcel.from_json(text)
        self._away[worker] = parcel.place
        self.inbox.take(parcel, sender=worker)
        for name in list(self._died):
            if any(journal.endswith(f"-{name}") for journal in parcel.journals):
                del self._died[name]

    def _is_away(self, node: Any) -> bool:
        # One that has not reported yet is not known: then it is worth waiting for wherever it may be away.
        spec = getattr(node.gateway, "spec", None)
        return _name(node) in self._away or not getattr(spec, "popen", True) or bool(spec and spec.chdir)


def _name(node: Any) -> str:
    return str(getattr(getattr(node, "gateway", None), "id", "unknown"))


def _ended(node: Any) -> bool:
    return hasattr(node, "workeroutput") or bool(getattr(node, "_down", True))


def _take_back(session: Any, node: Any) -> None:
    pending = getattr(getattr(session, "sched", None), "node2pending", {}).get(node, ())
    for indices in _parts(list(pending)):
        try:
            node.send_steal(indices)
        except OSError:
            return


def _parts(pending: list[int]) -> Iterator[list[int]]:
    """
    Yield a worker's pending items in parts, the last ones first.

    A part of which it has begun an item stays with it as a whole: far items in large parts, which it will
    not have reached, since it looks through all that it has for each part; those that are next one by one.
    """
    while len(pending) > _NEXT:
        half = len(pending) // 2
        yield pending[half:]
        del pending[half:]
    for index in reversed(pending):
        yield [index]
