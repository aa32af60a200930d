"""From pytest's reports to trials: an assertion is an observation, anything else voids its trial."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager

import pytest

from pytest_judgeaudit.audit.causes import cause
from pytest_judgeaudit.records.errors import JudgeFault, Void
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.trial import SLOT, Slot, said_of
from pytest_judgeaudit.session.wire import CAUSE, PLAN, TRIAL, plan_to_json

LETTERS: Mapping[str, tuple[str, str, tuple[str, Mapping[str, bool]]]] = {
    "adverse": ("adverse", "a", ("ADVERSE", {"yellow": True})),
    "invalid": ("invalid", "i", ("INVALID", {"yellow": True})),
}
WORD = "judgeaudit_word"


class Observer:
    """
    The running half of a session: turns reports into trials and attaches them.

    ``plan`` returns the collected plan once, to travel with the first report; None afterwards. ``made``
    takes each trial under what its report carries, for a controller in the same process: what it is written
    as, or a number where it need not be written at all.
    """

    def __init__(
        self, *, plan: Callable[[], Plan | None], made: dict[str | int, Trial] | None = None
    ) -> None:
        self._plan = plan
        self._made = made
        self._at_hand = False
        self._kept = 0

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """Leave trials for a controller in this process, unwritten: their reports carry numbers."""
        self._at_hand = True
        try:
            yield
        finally:
            self._at_hand = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Start each run of an item afresh."""
        slot = item.stash.get(SLOT, None)
        if slot is not None:
            self.begin(slot)

    def begin(self, slot: Slot) -> None:
        """Forget an earlier run of an item, but not what ran ahead of its turn."""
        if not slot.ahead:
            slot.reset()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Mark the call phase: reports made while it runs are those of subtests."""
        slot = item.stash.get(SLOT, None)
        if slot is None:
            return (yield)
        slot.called = True
        try:
            result = yield
        except Exception as error:
            if _late(slot) and not isinstance(error, Void):
                raise JudgeFault(_late(slot)) from error
            raise
        finally:
            slot.called = False
        if _late(slot):
            raise JudgeFault(_late(slot))
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn a failed assertion into an observation and attach the trial to the report."""
        slot = item.stash.get(SLOT, None)
        if slot is None:
            report = yield
        else:
            observed = _take_observation(slot, call)
            ended_well = call.excinfo is None and not slot.called and not slot.unheard
            with _in_its_own_words(slot, call.excinfo):
                report = yield
            if ended_well and _failed_softly(report):
                report.outcome, report.longrepr, call.excinfo = "passed", None, None
                observed = observed or "soft assertion failed"
            self._attach(_trial(slot, report, call, observed=observed), report)
            if call.when == "teardown":
                slot.verdict = None  # nobody asks for it again, and there are many
        plan = self._plan()
        if plan is not None:
            setattr(report, PLAN, plan_to_json(plan))
        return report

    def _attach(self, trial: Trial | None, report: pytest.TestReport) -> None:
        if trial is None:
            return
        if self._made is not None and self._at_hand:
            self._kept += 1
            setattr(report, TRIAL, self._kept)
            self._made[self._kept] = trial
            return
        text = trial.to_json()
        setattr(report, TRIAL, text)
        if self._made is not None:
            self._made[text] = trial


def _late(slot: Slot) -> str:
    """Say why an item fails after its body, whatever that did; nothing where it need not."""
    return "\n".join(slot.hearing.late) if slot.hearing else ""


def pytest_report_teststatus(
    report: pytest.TestReport,
) -> tuple[str, str, tuple[str, Mapping[str, bool]]] | None:
    """Show adverse and invalid trials in words and letters of their own."""
    word = getattr(report, WORD, None)
    return LETTERS[word] if word is not None else None


def _take_observation(slot: Slot, call: pytest.CallInfo[None]) -> str | None:
    """
    Take a failed assertion away from pytest, and return what it said.

    Before the report is made: debuggers, -x and reporters look at the exception, and an observation is
    none of theirs; nor is its traceback worth the time that it takes to render.
    """
    if call.when != "call" or call.excinfo is None or slot.unheard:
        return None
    if not all(isinstance(leaf, AssertionError) for leaf in _leaves(call.excinfo.value)):
        return None
    said = call.excinfo.exconly(tryshort=True)
    call.excinfo = None
    return said or "assertion failed"


@contextmanager
def _in_its_own_words(slot: Slot, error: pytest.ExceptionInfo[BaseException] | None) -> Iterator[None]:
    """Have an error's text stand for it: of a replay without answers, tracebacks were nine tenths."""
    if error is None or slot.called or not issubclass(error.type, Void):
        yield
        return
    vars(error)["getrepr"] = lambda **_: str(error.value)
    try:
        yield
    finally:
        del vars(error)["getrepr"]


def _trial(
    slot: Slot, report: pytest.TestReport, call: pytest.CallInfo[None], *, observed: str | None
) -> Trial | None:
    """Return the trial that a report tells of; None where it tells of none."""
    if slot.called:
        slot.subtest_failed = slot.subtest_failed or observed is not None
        return None
    if report.when == "call":
        return _observe(slot, report, call, observed)
    return None if report.passed else _void(slot, report, call)


def _observe(
    slot: Slot, report: pytest.TestReport, call: pytest.CallInfo[None], observed: str | None
) -> Trial:
    if slot.unheard and not report.skipped:
        if call.excinfo is None:
            what = "a verdict" if slot.asked is None else "an answer"
            slot.problem = slot.problem or f"the test ended without {what}: it never called {slot.call}"
        return _void(slot, report, call)
    if not report.passed or hasattr(report, "wasxfail"):
        return _void(slot, report, call)
    adverse = observed is not None or slot.subtest_failed
    if slot.verdict is not None and not slot.verdict.valid:
        setattr(report, WORD, "invalid")
    elif _is_moved(slot) if slot.arm == "repeated" else adverse:
        setattr(report, WORD, "adverse")
    return slot.trial("adverse" if adverse else "success", observed)


def _is_moved(slot: Slot) -> bool:
    """Whether a repeated call is known to say something else than the first: its label decides nothing."""
    return slot.first is not None and slot.verdict is not None and said_of(slot.verdict) != slot.first


def _failed_softly(report: pytest.TestReport) -> bool:
    """
    Whether a plug-in failed the report of a body that raised nothing.

    Plug-ins for soft assertions do; some leave a text, some an exception of their own making. A strict
    xfail that passed does too, with a text that pytest's own reports know it by.
    """
    strict = isinstance(report.longrepr, str) and report.longrepr.startswith("[XPASS(strict)]")
    return report.when == "call" and report.failed and not strict


def _void(slot: Slot, report: pytest.TestReport, call: pytest.CallInfo[None]) -> Trial:
    reason = slot.problem
    if call.excinfo is not None:
        if issubclass(call.excinfo.type, Void):
            report.longrepr = reason = str(call.excinfo.value)
            setattr(report, CAUSE, cause(reason, name=slot.name))
        elif reason is None:
            reason = _worded(slot, report, call.excinfo)
    return slot.trial("void", reason or f"{report.outcome} in {report.when}")


def _worded(slot: Slot, report: pytest.TestReport, error: pytest.ExceptionInfo[BaseException]) -> str:
    if report.skipped:
        return f"{'xfailed' if hasattr(report, 'wasxfail') else 'skipped'}: {error.value}"
    where = f"in {report.when}"
    if report.when == "call" and slot.unheard:
        where = f"before {slot.call} was called"
    return f"failed {where}: {error.exconly(tryshort=True)}"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
