"""``--judge-probe``: ask every configured model what it is, and show what the service declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import pytest

from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.report.lines import Line, columns, line
from pytest_judgeaudit.session.summary import width, write

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from pytest_judgeaudit.judge.campaign import Asker
    from pytest_judgeaudit.settings.models import AgentSettings, JudgeSettings

QUESTION = "Which model are you? Answer with your name and version only."
GOOD = ("STABLE", "RESOLVED")

Model: TypeAlias = "JudgeSettings | AgentSettings"
"""What is probed: a judge or an agent that is a model behind an API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """
    What the service of one judge or agent declared in several calls.

    ``state``: STABLE (always the requested name), RESOLVED (always one name that stands for it),
    SUBSTITUTED (always another model), UNSTABLE (several names), REJECTED (no answer, or none that names a
    model).
    """

    name: str
    requested: str
    served: tuple[tuple[str, int], ...]
    state: str
    reason: str = ""


def probe(
    model: Model,
    reach: Callable[[Model], Asker],
    *,
    calls: int,
    same_model: Callable[[str, str | None], bool],
) -> Probed:
    """Ask one model so many times what it is, under the conditions of its judge or agent."""
    request = Request(
        messages=(Message(role="user", content=QUESTION),),
        model=model.requested,
        endpoint=model.endpoint,
        decoder=model.decoding,
    )
    served: Counter[str] = Counter()
    reason = ""
    try:
        with closing(reach(model)) as asker:
            for _ in range(calls):
                served[asker.ask(request).served or "(not stated)"] += 1
    except JudgeAuditError as error:
        reason = str(error)
    names = tuple(served.most_common())
    state = "REJECTED" if reason else _state(model.requested, [name for name, _ in names], same_model)
    return Probed(name=model.name, requested=model.requested, served=names, state=state, reason=reason)


def _state(requested: str, names: Sequence[str], same_model: Callable[[str, str | None], bool]) -> str:
    if "(not stated)" in names:
        return "REJECTED"
    if len(names) > 1:
        return "UNSTABLE"
    if not same_model(requested, names[0]):
        return "SUBSTITUTED"
    return "STABLE" if names[0] == requested else "RESOLVED"


class Probe:
    """Probes instead of collecting and running."""

    def __init__(
        self,
        models: Sequence[Model],
        *,
        calls: int,
        asker: Callable[[Model], Asker],
        same_model: Callable[[str, str | None], bool],
    ) -> None:
        self._models = models
        self._calls = calls
        self._asker = asker
        self._same_model = same_model
        self._found: list[Probed] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool:
        """Collect nothing."""
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> bool:
        """Ask, and run nothing."""
        for model in self._models:
            found = probe(model, self._asker, calls=self._calls, same_model=self._same_model)
            self._found.append(found)
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Fail unless every model is what was asked for, always."""
        yield
        good = all(probed.state in GOOD for probed in self._found)
        session.exitstatus = pytest.ExitCode.OK if good else pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Show both names."""
        write(terminalreporter, _lines(self._found))


def _lines(found: Sequence[Probed]) -> Iterator[Line]:
    if not found:
        yield line("no configured judge or agent is asked over a network: nothing to probe")
        return
    rows = [("name", "state", "requested", "served (what the service declared)")]
    for probed in found:
        served = ", ".join(f"{name} ×{count}" for name, count in probed.served) or "nothing"
        rows.append((probed.name, probed.state, probed.requested, served))
    for number, text in enumerate(columns(rows, flexible=[3], width=width())):
        yield line(text, red=number > 0 and found[number - 1].state not in GOOD)
    for probed in found:
        if probed.reason:
            yield line(f"{probed.name}: {probed.reason}")
