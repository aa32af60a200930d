"""Classes that an argument such as ``test_it.py::TestOther`` leaves out: collected too, and never run."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pytest


class LeftOut:
    """
    The classes that pytest made and did not look into.

    pytest makes all functions and classes of a module, whichever is named, but collects only the classes
    that are named. The gates of the others are of the same families (RULES R1), their answers in use.
    """

    def __init__(self) -> None:
        self._classes: list[pytest.Class] = []
        self._started: set[str] = set()

    def made(self, found: object) -> None:
        """Note a class that pytest made; anything else is none of these."""
        if isinstance(found, pytest.Class):
            self._classes.append(found)

    def started(self, collector: pytest.Collector) -> None:
        """Note a class that pytest looks into itself."""
        if isinstance(collector, pytest.Class):
            self._started.add(collector.nodeid)

    def collected(self, modules: Collection[str]) -> Iterator[str]:
        """Collect the others of these modules, which declares their evals; yield what cannot be."""
        for one in self._classes:  # which grows by the classes within
            if one.nodeid in self._started or one.nodeid.partition("::")[0] not in modules:
                continue
            self._started.add(one.nodeid)
            try:
                list(one.collect())
            except pytest.skip.Exception:
                continue
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - it is the user's module
                said = str(error).strip().partition("\n")[0]
                yield f"{one.nodeid}: cannot be collected: {said}"
