"""Local models in a session: one server a model and a run, started when something is first asked."""

from __future__ import annotations

import json
import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pytest

from pytest_judgeaudit.ask.local import LocalServer
from pytest_judgeaudit.ask.weights import Weights, find_weights
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.refusing import told

if TYPE_CHECKING:
    from pytest_judgeaudit.settings.models import Endpoint

SERVED = "judgeaudit_served"
"""Key of a worker's input: the machine, and by judge where its model is served and under which name."""


Asked = TypeVar("Asked", bound="Endpoint")


class Served(NamedTuple):
    """Where a local model is served, and the name that its server declares."""

    url: str
    name: str


class LocalModels:
    """
    The servers of a run's local models. Safe to use from several threads.

    The controller starts them and tells the workers of its machine where they are; a worker on another
    machine starts its own. They stop with the process that started them, however that ends.
    """

    def __init__(
        self,
        judges: Sequence[Endpoint],
        *,
        resolve: Callable[[str], Path],
        worker: Mapping[str, Any] | None,
        server: Callable[[Weights], LocalServer] = LocalServer,
    ) -> None:
        self._judges = judges
        self._resolve = resolve
        self._server = server
        self._running: dict[Weights, LocalServer] = {}
        self._served: dict[Weights, Served | Refused] = {}
        self._lock = threading.Lock()
        self._told = _told(worker)

    @cached_property
    def _weights(self) -> Mapping[str, Weights]:
        return {judge.name: find_weights(judge, self._resolve) for judge in self._judges}

    def check(self) -> None:
        """Refused: what :func:`~pytest_judgeaudit.ask.weights.find_weights` refuses of any judge."""
        _ = self._weights

    def identity(self, judge: Endpoint) -> str:
        """Return the name that a local model is to be served under: with the digest of its weights."""
        if judge.api != "local":
            return judge.requested
        known = self._told.get(judge.name)
        return self._weights[judge.name].served if known is None else known.name

    def reached(self, judge: Asked) -> Asked:
        """
        Return a judge with the address at which its model is served, starting the server if needed.

        Refused, each time alike: a server that does not come up.
        """
        if judge.api != "local":
            return judge
        served = self._told.get(judge.name) or self._serve(self._weights[judge.name])
        return judge.model_copy(update={"base_url": f"{served.url}/v1"})

    def _serve(self, weights: Weights) -> Served:
        with self._lock:
            if weights not in self._served:
                self._served[weights] = self._start(weights)
            found = self._served[weights]
        if isinstance(found, Refused):
            raise found
        return found

    def _start(self, weights: Weights) -> Served | Refused:
        server = self._running[weights] = self._server(weights)
        try:
            return Served(server.start(), weights.served)
        except Refused as error:
            return error

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell an xdist worker where the models of this run are served."""
        with told():
            served = {judge: self._serve(weights) for judge, weights in self._weights.items()}
        node.workerinput[SERVED] = json.dumps([platform.node(), served])

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Stop what this process started; nobody is asking any more."""
        with self._lock:
            for server in self._running.values():
                server.stop()
            self._running.clear()


def _told(worker: Mapping[str, Any] | None) -> Mapping[str, Served]:
    """Read what the controller said; a worker on another machine cannot reach its loopback."""
    machine, served = json.loads((worker or {}).get(SERVED, '["", {}]'))
    return {judge: Served(*where) for judge, where in served.items()} if machine == platform.node() else {}
