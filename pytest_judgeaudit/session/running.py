"""
Run a trial's item without the hooks around its set-up and tear-down, where those have nothing to do.

Most of what an item costs beside its call is pytest asking everybody, three times an item, whether there is
anything to set up, to capture, to tear down or to report. Once the first item of a module has run, there is
not: its module and its wider fixtures stand, the item's own parameters are handed over as they are, and the
next item needs all of it too. For such an item this makes the reports of set-up and tear-down directly, and
hands them to whoever listens but those parts of pytest that do nothing with them. The call itself, all that
is reported of it, and whatever tells of an item run as ever.

Any item takes pytest's own way whose set-up or tear-down could do anything: the first and the last one of a
module, one with a fixture or a mark of its own; and all of them where a plug-in or a conftest takes part in
these phases, where somebody follows fixtures, and where pytest's inner parts are not as known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any, TypeGuard

import pytest

from pytest_judgeaudit.session.bodies import Bodies, is_decided
from pytest_judgeaudit.session.filling import is_watched
from pytest_judgeaudit.session.inner import Inner
from pytest_judgeaudit.session.outcomes import Observer
from pytest_judgeaudit.session.trial import SLOT

KNOWN: Mapping[str, frozenset[str]] = {
    "pytest_runtest_setup": frozenset(
        {
            "capturemanager",
            "judgeaudit-filling",
            "judgeaudit-observer",
            "logging-plugin",
            "runner",
            "skipping",
            "threadexception",
            "unraisableexception",
        }
    ),
    "pytest_runtest_teardown": frozenset(
        {"capturemanager", "logging-plugin", "runner", "threadexception", "unraisableexception"}
    ),
    "pytest_runtest_makereport": frozenset(
        {"hypothesispytest", "judgeaudit-observer", "runner", "skipping", "tmpdir", "unittest"}
    ),
    "pytest_runtest_protocol": frozenset(
        {"assertion", "faulthandler", "judgeaudit-running", "runner", "unittest", "warnings"}
    ),
}
"""Who may listen: of everybody else we do not know that an item without set-up is nothing to them."""

DEAF = frozenset(
    {
        "judgeaudit-controller",
        "judgeaudit-folding",
        "judgeaudit-receiving",
        "judgeaudit-telling",
        "lfplugin",
        "session",
        "stepwiseplugin",
        "syrupy",
        "terminalprogress-plugin",
    }
)
"""To whom the report of a set-up or tear-down that passed is nothing, beside that of the call."""

OWNERS = ("_pytest.", "pytest_judgeaudit.", "syrupy.")
"""Whose modules those names stand for."""

TELLERS = frozenset({"runner", "skipping", "subtests", "terminal", "unittest"})
"""
Parts of pytest that say how a report is shown, beside ours. A set-up or tear-down that passed is not shown
at all: the terminal keeps it, two in three of all reports, for the sake of durations.
"""

READERS = frozenset(
    {"hypothesispytest", "pastebin", "runner", "syrupy", "terminalreporter", "warnings", "xdist"}
)
"""Who may add to the terminal's summary, beside ours; others may read there what the terminal keeps."""


class Running:
    """
    The hook that runs qualifying items; ``observer`` reads what comes of their calls.

    ``at_hand`` is whether nobody but the controller of this process reads their trials.
    """

    def __init__(self, bodies: Bodies, observer: Observer, *, at_hand: bool) -> None:
        self._at_hand = at_hand
        self._bodies = bodies
        self._observer = observer
        self._inner: Inner | None = None
        self._looked = False

    def pytest_plugin_registered(self) -> None:
        """Look again who takes part: a fixture or a body may bring a plug-in while items run."""
        self._looked = False
        if self._inner is not None:
            self._inner.listen()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run an item if it qualifies; None leaves it to pytest."""
        if not self._looked:
            self._looked = True
            followed = _is_followed(item.config)
            self._inner = None if followed else Inner.of(item.session, deaf=_deaf(item.config))
        if self._inner is None or nextitem is None or not self._qualifies(item, nextitem, self._inner):
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        try:
            self._run(item, nextitem, self._inner)
        finally:
            self._inner.let_go(item)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _qualifies(
        self, item: pytest.Item, nextitem: pytest.Item, inner: Inner
    ) -> TypeGuard[pytest.Function]:
        if type(item) is not pytest.Function or SLOT not in item.stash:
            return False
        wider = self._bodies.shared(item)
        return (
            wider is not None
            and nextitem.parent is item.parent
            and inner.is_settled(item, wider)
            and not is_decided(item)
        )

    def _run(self, item: pytest.Function, nextitem: pytest.Item, inner: Inner) -> None:
        keywords = inner.keywords(item)
        call = inner.timed(lambda: self._set_up(item, inner), "setup")
        inner.report(item, call, keywords)
        if call.excinfo is None:
            with self._observer.at_hand() if self._at_hand else nullcontext():
                keywords = inner.call(item, keywords)
        if call.excinfo is not None or not inner.is_spent(item):
            inner.tear_down_fully(item, nextitem)
            return
        inner.report(item, inner.timed(lambda: inner.tear_down(item, nextitem), "teardown"), keywords)
        item.stash[SLOT].verdict = None  # nobody asks for it again, and there are many

    def _set_up(self, item: pytest.Function, inner: Inner) -> None:
        self._observer.begin(item.stash[SLOT])
        inner.set_up(item, self._bodies.arguments(item), self._bodies.shared(item) or ())


def _is_followed(config: pytest.Config) -> bool:
    """Whether anybody but pytest's own parts may take part in set-up, tear-down and their reports."""
    return is_watched(config) or any(
        found.plugin_name not in known
        for name, known in KNOWN.items()
        for found in getattr(config.hook, name).get_hookimpls()
    )


def _deaf(config: pytest.Config) -> tuple[object, ...]:
    """Whom the report of a silent phase need not reach."""
    listeners = config.hook.pytest_runtest_logreport.get_hookimpls()
    if any(map(_is_conftest, listeners)):
        return ()  # which of them an item's reports reach depends on where it is
    get = config.pluginmanager.get_plugin
    deaf = [
        found.plugin
        for found in listeners
        if found.plugin_name in DEAF and f"{found.function.__module__}.".startswith(OWNERS)
    ]
    logging = get("logging-plugin")
    if logging and config.getoption("log_cli_level", None) is None and not config.getini("log_cli"):
        deaf.append(logging)
    terminal = get("terminalreporter")
    tellers = config.hook.pytest_report_teststatus.get_hookimpls()
    readers = config.hook.pytest_terminal_summary.get_hookimpls()
    if (
        type(terminal) is pytest.TerminalReporter
        and not set(_others(tellers)) - TELLERS
        and not set(_others(readers)) - READERS
        and config.getoption("durations", None) is None
        and config.getini("console_output_style") != "times"
    ):
        deaf.append(terminal)
    return tuple(deaf)


def _others(found: Iterable[Any]) -> Iterator[str]:
    names = (str(one.plugin_name) for one in found)
    return (name for name in names if not name.startswith("judgeaudit-"))


def _is_conftest(found: Any) -> bool:
    return str(found.plugin_name).endswith("conftest.py")
