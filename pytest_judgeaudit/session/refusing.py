"""Refusals as pytest tells them: one usage error, in whichever process they were found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.report.lines import line

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

FAULTS = "judgeaudit_faults"
DOUBTS = "judgeaudit_doubts"
"""Keys of a worker's output: what it refused, and what it only warns of."""


@contextmanager
def told() -> Iterator[None]:
    """Turn an error of ours into pytest's usage error, which is shown without a traceback."""
    try:
        yield
    except JudgeAuditError as error:
        raise pytest.UsageError(*str(error).splitlines()) from None


def refuse(
    config: pytest.Config, items: list[pytest.Item], faults: Iterable[str], *, doubts: Iterable[str] = ()
) -> None:
    """
    Raise all faults as one usage error, after collection; ``doubts`` are shown beside it as warnings.

    An xdist worker collects nothing instead and leaves both to the controller: whatever is raised in a
    worker ends the run with a traceback of xdist's.
    """
    found, beside = list(dict.fromkeys(faults)), list(dict.fromkeys(doubts))
    output: dict[str, Any] | None = getattr(config, "workeroutput", None)
    if output is None:
        warn(config, beside)
        raise pytest.UsageError(*found)
    output[FAULTS], output[DOUBTS] = json.dumps(found), json.dumps(beside)
    items.clear()


def faults_of(node: Any) -> list[str]:
    """Return what an xdist worker that has ended refused."""
    return _output(node, FAULTS)


def doubts_of(node: Any) -> list[str]:
    """Return what an xdist worker that has ended warns of."""
    return _output(node, DOUBTS)


def _output(node: Any, key: str) -> list[str]:
    output: dict[str, Any] = getattr(node, "workeroutput", None) or {}
    return list(json.loads(output.get(key, "[]")))


def warn(config: pytest.Config, doubts: Sequence[str]) -> None:
    """Show warnings in pytest's summary, which a refused run has too; those of all workers once."""
    if doubts and not config.pluginmanager.has_plugin(Warnings.NAME):
        config.pluginmanager.register(Warnings(doubts), Warnings.NAME)


class Warnings:
    """Warnings beside a refusal: pytest calls every line of a usage error an error."""

    NAME = "judgeaudit-warnings"

    def __init__(self, doubts: Sequence[str]) -> None:
        self._doubts = doubts

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Write them in a section of their own."""
        terminalreporter.write_sep("=", "judge audit: warnings", yellow=True)
        for doubt in self._doubts:
            terminalreporter.write_line(line(f"warning: {doubt}").text, yellow=True)
