"""From pytest's reports to trials: an assertion is an observation, anything else voids its trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from pytest_judgeaudit.records.errors import Void
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.trials import Outcome
from pytest_judgeaudit.session.trial import SLOT, Slot
from pytest_judgeaudit.session.wire import PLAN, TRIAL, plan_to_json

LETTERS: Mapping[str, tuple[str, str, tuple[str, Mapping[str, bool]]]] = {
    "adverse": ("adverse", "a", ("ADVERSE", {"yellow": True})),
    "invalid": ("invalid", "i", ("INVALID", {"yellow": True})),
}
WORD = "judgeaudit_word"


class Observer:
    """
    The running half of a session: turns reports into trials and attaches them.

    ``plan`` returns the collected plan once, to travel with the first report; None afterwards.
    """

    def __init__(self, *, plan: Callable[[], Plan | None]) -> None:
        self._plan = plan

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start each run of an item afresh."""
        slot = item.stash.get(SLOT, None)
        if slot is not None:
            slot.reset()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Mark the call phase: reports made while it runs are those of subtests."""
        slot = item.stash.get(SLOT, None)
        if slot is None:
            return (yield)
        slot.called = True
        try:
            return (yield)
        finally:
            slot.called = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[Any]:
        """Turn a failed assertion into an observation and attach the trial to the report."""
        report: pytest.TestReport = yield
        slot = item.stash.get(SLOT, None)
        if slot is not None:
            if slot.called:
                _observe_subtest(slot, report, call)
            elif report.when == "call":
                _observe(slot, report, call)
            elif not report.passed:
                _void(slot, report, call)
        plan = self._plan()
        if plan is not None:
            setattr(report, PLAN, plan_to_json(plan))
        return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    """Show adverse and invalid trials in words and letters of their own."""
    word = getattr(report, WORD, None)
    return LETTERS[word] if word is not None else None


def _observe_subtest(slot: Slot, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    if report.failed and _is_observation(report, call):
        slot.subtest_failed = True
        _pass(report, call)


def _observe(slot: Slot, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    if slot.unheard and not report.skipped:
        slot.problem = slot.problem or "the test ended without a verdict: it never called judge.compare(pair)"
        _void(slot, report, call)
    elif report.passed and not hasattr(report, "wasxfail"):
        outcome: Outcome = "adverse" if slot.subtest_failed else "success"
        reason = None
    elif report.failed and _is_observation(report, call):
        outcome, reason = "adverse", _explanation(call)
        _pass(report, call)
    else:
        _void(slot, report, call)
        return
    if slot.verdict is not None and not slot.verdict.valid:
        setattr(report, WORD, "invalid")
    elif outcome == "adverse":
        setattr(report, WORD, "adverse")
    setattr(report, TRIAL, slot.trial(outcome, reason).to_json())


def _void(slot: Slot, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    reason = slot.problem
    if call.excinfo is not None:
        if issubclass(call.excinfo.type, Void):
            report.longrepr = reason = str(call.excinfo.value)
        elif reason is None:
            what = "skipped" if report.skipped else f"failed in {report.when}"
            reason = f"{what}: {call.excinfo.exconly(tryshort=True)}"
    setattr(report, TRIAL, slot.trial("void", reason or f"{report.outcome} in {report.when}").to_json())


def _is_observation(report: pytest.TestReport, call: pytest.CallInfo[None]) -> bool:
    """Whether a failure consists of assertions alone; soft asserts fail a report without an exception."""
    if call.excinfo is None:
        # A strict xfail that passed has no exception either, but a text for its reason.
        return not isinstance(report.longrepr, str)
    return all(isinstance(leaf, AssertionError) for leaf in _leaves(call.excinfo.value))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _explanation(call: pytest.CallInfo[None]) -> str | None:
    return call.excinfo.exconly(tryshort=True) if call.excinfo is not None else None


def _pass(report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    report.outcome = "passed"
    report.longrepr = None
    # Debuggers and -x look at the exception, not at the report: an observation is none of theirs.
    call.excinfo = None
