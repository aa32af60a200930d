"""
Pytest's inner parts that run an item, for :mod:`pytest_judgeaudit.session.running`; the only door to them.

All are private to pytest. Each is looked for, and where one is missing nobody uses the others.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from _pytest.runner import SetupState

Phase = Literal["setup", "call", "teardown"]

CURRENT = "PYTEST_CURRENT_TEST"


class Inner:
    """
    What runs an item of a session, part by part.

    A phase that is *silent* is known to do nothing: no hook is called around it. ``deaf`` are plug-ins to
    which its report is nothing if it passed; it is not made where there is nobody else.
    """

    def __init__(self, session: pytest.Session, *, deaf: Collection[object] = ()) -> None:
        """Raise ImportError or AttributeError where a part is missing."""
        from _pytest import logging, runner, threadexception, unraisableexception

        stash = session.config.stash
        self._session = session
        self._state: SetupState = session._setupstate  # noqa: SLF001
        self._run_phase = runner.call_and_report
        self._current = runner._update_current_test_var  # noqa: SLF001
        self._interacts = runner.check_interactive_exception
        self._records, self._handler = logging.caplog_records_key, logging.caplog_handler_key
        nothing: deque[Any] = deque()
        self._troubles = (
            stash.get(unraisableexception.unraisable_exceptions, nothing),
            stash.get(threadexception.thread_exceptions, nothing),
        )
        debugged = session.config.getoption("usepdb", False)
        manager = session.config.pluginmanager
        self._tell = manager.subset_hook_caller("pytest_runtest_logreport", deaf) if deaf else None
        execute = getattr(manager, "_inner_hookexec", None)
        # Otherwise somebody follows all calls of hooks, such as --debug and the recorder of pytester.
        self._is_followed = getattr(execute, "__name__", None) != "_multicall"
        self.listen()
        self._reraised = (pytest.exit.Exception, *(() if debugged else (KeyboardInterrupt,)))

    @classmethod
    def of(cls, session: pytest.Session, *, deaf: Collection[object] = ()) -> Inner | None:
        """Return the parts of a session; None where they are not as known."""
        try:
            return cls(session, deaf=deaf)
        except (ImportError, AttributeError):
            return None

    def listen(self) -> None:
        """Find out whether anybody hears of silent phases."""
        self._is_heard = self._is_followed or self._tell is None or bool(self._tell.get_hookimpls())

    def is_settled(self, item: pytest.Function, wider: Iterable[str]) -> bool:
        """
        Whether everything that an item needs stands but for itself, and nothing waits to be told.

        ``wider`` names the fixtures that it shares with others.
        """
        stack = self._state.stack
        return (
            next(reversed(stack), None) is item.parent
            and bool(getattr(item, "_request", None))
            and not any(self._troubles)
            and all(failed is None for _, failed in stack.values())
            and all(_cached(item, name) is not None for name in wider)
        )

    def set_up(self, item: pytest.Function, arguments: Mapping[str, Any], wider: Iterable[str]) -> None:
        """Set up a settled item whose other arguments are given."""
        if self._is_heard:  # by somebody who may look which test is the current one
            self._current(item, "setup")
        item.stash[self._records] = {}
        item.funcargs.update(arguments)
        # In the closure for the sake of our own fixture only, and dear to make.
        item.funcargs["request"] = item._request  # noqa: SLF001
        for name in wider:
            item.funcargs[name] = (_cached(item, name) or (None,))[0]
        self._state.setup(item)

    def tear_down(self, item: pytest.Function, nextitem: pytest.Item) -> None:
        """Tear down an item after which :meth:`is_spent` was true of it."""
        if self._is_heard:
            self._current(item, "teardown")
        self._state.teardown_exact(nextitem)
        del item.stash[self._records]
        if self._handler in item.stash:
            del item.stash[self._handler]
        os.environ.pop(CURRENT, None)  # which a body may have taken away itself

    def is_spent(self, item: pytest.Function) -> bool:
        """Whether there is nothing to tear down or to tell after an item's call, and nothing ends."""
        return not (
            self._session.shouldfail
            or self._session.shouldstop
            or len(self._state.stack[item][0]) > 1
            or any(self._troubles)
        )

    def keywords(self, item: pytest.Function) -> Mapping[str, Any]:
        """Return the keywords of an item's reports; none where nobody hears those of its set-up."""
        return dict.fromkeys(item.keywords, 1) if self._is_heard else {}

    def call(self, item: pytest.Function, keywords: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run the call as pytest does, with all hooks; return its report's keywords, the same if equal."""
        report = self._run_phase(item, "call")
        if report.keywords == keywords:  # reports are kept, and there are many
            report.keywords = keywords
        return report.keywords

    def tear_down_fully(self, item: pytest.Function, nextitem: pytest.Item) -> None:
        """Tear down as pytest does, with all hooks and its report: all of it where the session ends."""
        ends = self._session.shouldfail or self._session.shouldstop
        self._run_phase(item, "teardown", nextitem=None if ends else nextitem)

    def timed(self, work: Callable[[], None], when: Phase) -> pytest.CallInfo[None]:
        """Do the work of a silent phase."""
        return pytest.CallInfo.from_call(work, when, reraise=self._reraised)

    def report(
        self, item: pytest.Function, call: pytest.CallInfo[None], keywords: Mapping[str, Any]
    ) -> None:
        """Report a silent phase; one that raised is reported as pytest does."""
        if call.excinfo is not None:
            hook = item.ihook
            report = hook.pytest_runtest_makereport(item=item, call=call)
            hook.pytest_runtest_logreport(report=report)
            if self._interacts(call, report):
                hook.pytest_exception_interact(node=item, call=call, report=report)
            return
        sections = [(f"Captured {key} {when}", text) for when, key, text in item._report_sections]  # noqa: SLF001
        # What a plug-in adds to a tear-down the terminal shows, of items that passed too.
        added = any("teardown" in name for name, _ in sections)
        if not self._is_heard and not added:
            return
        report = pytest.TestReport(
            getattr(item, "id", item.nodeid),
            item.location,
            keywords,
            "passed",
            None,
            _phase(call),
            sections,
            call.duration,
            call.start,
            call.stop,
            user_properties=item.user_properties,
        )
        tell = item.ihook.pytest_runtest_logreport if self._tell is None or added else self._tell
        tell(report=report)

    def let_go(self, item: pytest.Function) -> None:
        """Let go of what an item was called with, as pytest does after each."""
        item._request = False  # type: ignore[assignment]  # noqa: SLF001
        item.funcargs = None  # type: ignore[assignment]


def _phase(call: pytest.CallInfo[None]) -> Phase:
    if call.when == "collect":
        raise ValueError(call.when)
    return call.when


def _cached(item: pytest.Function, name: str) -> Sequence[Any] | None:
    """Return what a wider fixture has made, as pytest keeps it; None where it has not run, or failed."""
    found: Sequence[Any] | None = item._fixtureinfo.name2fixturedefs[name][-1].cached_result  # noqa: SLF001
    return None if found is None or found[2] is not None else found
