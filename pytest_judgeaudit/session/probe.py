"""``--judge-probe``: ask every configured model what it is, and show what the service declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.report.lines import Line, columns, line
from pytest_judgeaudit.session.summary import width, write

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from pytest_judgeaudit.judge.campaign import Asker
    from pytest_judgeaudit.settings.models import JudgeSettings

QUESTION = "Which model are you? Answer with your name and version only."
GOOD = ("STABLE", "RESOLVED")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """
    What one judge's service declared in several calls.

    ``state``: STABLE (always the requested name), RESOLVED (always one name that stands for it),
    SUBSTITUTED (another model), UNSTABLE (several names), REJECTED (no answer, or none that names a model).
    """

    judge: str
    requested: str
    served: tuple[tuple[str, int], ...]
    state: str
    reason: str = ""


def probe(
    judge: JudgeSettings,
    reach: Callable[[JudgeSettings], Asker],
    *,
    calls: int,
    same_model: Callable[[str, str | None], bool],
) -> Probed:
    """Ask one model so many times what it is, under the conditions of its judge."""
    request = Request(
        messages=(Message(role="user", content=QUESTION),),
        model=judge.requested,
        endpoint=judge.endpoint,
        decoder=judge.decoding,
    )
    served: Counter[str] = Counter()
    reason = ""
    try:
        with closing(reach(judge)) as asker:
            for _ in range(calls):
                served[asker.ask(request).served or "(not stated)"] += 1
    except JudgeAuditError as error:
        reason = str(error)
    names = tuple(served.most_common())
    state = "REJECTED" if reason else _state(judge.requested, [name for name, _ in names], same_model)
    return Probed(judge=judge.name, requested=judge.requested, served=names, state=state, reason=reason)


def _state(requested: str, names: Sequence[str], same_model: Callable[[str, str | None], bool]) -> str:
    if "(not stated)" in names:
        return "REJECTED"
    if not all(same_model(requested, name) for name in names):
        return "SUBSTITUTED"
    if len(names) > 1:
        return "UNSTABLE"
    return "STABLE" if names[0] == requested else "RESOLVED"


class Probe:
    """Probes instead of collecting and running."""

    def __init__(
        self,
        judges: Sequence[JudgeSettings],
        *,
        calls: int,
        asker: Callable[[JudgeSettings], Asker],
        same_model: Callable[[str, str | None], bool],
    ) -> None:
        self._judges = judges
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
        for judge in self._judges:
            found = probe(judge, self._asker, calls=self._calls, same_model=self._same_model)
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
        yield line("no configured judge is asked over a network: nothing to probe")
        return
    rows = [("judge", "state", "requested", "served (what the service declared)")]
    for probed in found:
        served = ", ".join(f"{name} ×{count}" for name, count in probed.served) or "nothing"
        rows.append((probed.judge, probed.state, probed.requested, served))
    for number, text in enumerate(columns(rows, flexible=[3], width=width())):
        yield line(text, red=number > 0 and found[number - 1].state not in GOOD)
    for probed in found:
        if probed.reason:
            yield line(f"{probed.judge}: {probed.reason}")
