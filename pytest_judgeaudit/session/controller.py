"""The controlling half of a session: gathers trials, adds the gates, sets the exit status."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import pytest

from pytest_judgeaudit.audit.endings import HELD, ended
from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.plans import Finding, Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.gates import GateItem, emit
from pytest_judgeaudit.session.heap import keeping
from pytest_judgeaudit.session.refusing import doubts_of, faults_of, told, warn
from pytest_judgeaudit.session.repeats import Repeats
from pytest_judgeaudit.session.wire import PLAN, TRIAL, plan_from_json

PHASES = ("setup", "call", "teardown")


class Analysis(Protocol):
    """What a session does with its trials once they are in."""

    def conclude(self, gathered: Gathered) -> tuple[Audit, Sequence[GateItem]]:
        """Store what came, analyse it, and name the items to add."""

    def publish(self, audit: Audit, gathered: Gathered) -> None:
        """Write the reports."""


class Gathered:
    """
    Trials, plan and findings as they arrive.

    ``made`` holds trials of this process under what their reports carry, which need not be read again.
    ``calls`` and ``answered`` are of a live run that ended early: how many of its answers are kept.
    """

    def __init__(self, made: dict[str | int, Trial] | None = None) -> None:
        self._made = {} if made is None else made
        self.plan: Plan | None = None
        self.interrupted = False
        self.calls = self.answered = 0
        self.findings: list[Finding] = []
        self._trials: list[Trial] = []
        self._last: dict[str, int] = {}

    def receive(self, report: pytest.TestReport) -> Trial | None:
        """Take the plan and the trial that a report carries, and return the trial."""
        plan = getattr(report, PLAN, None)
        if plan is not None and self.plan is None:
            self.plan = plan_from_json(plan)
        trial = getattr(report, TRIAL, None)
        found = None if trial is None else self._made.pop(trial, None)
        last = self._last.get(report.nodeid) if report.when == "teardown" else None
        if found is None and not isinstance(trial, str):
            if report.failed and report.when not in PHASES:
                self._void(report.nodeid)
            return None
        found = found or Trial.from_json(str(trial))
        if last is not None:
            # A failed teardown voids the trial that its call reported; it is no second trial.
            self._trials[last] = found
            return found
        self._last[report.nodeid] = len(self._trials)
        self._trials.append(found)
        return found

    def _void(self, nodeid: str) -> None:
        """Void what came of an item that never ended: xdist reports that its worker crashed in it."""
        last = self._last.pop(nodeid, None)
        if last is not None and self._trials[last].outcome != "void":
            reason = "its worker crashed before the item had ended"
            self._trials[last] = replace(self._trials[last], outcome="void", reason=reason)

    def forget(self, nodeid: str) -> None:
        """Hear that an item has ended: nothing comes of it any more."""
        self._last.pop(nodeid, None)

    @property
    def trials(self) -> Sequence[Trial]:
        """What has arrived so far."""
        return self._trials


class Controller:
    """
    Hooks of the process that decides.

    ``evals`` are the folders whose modules must not vanish in silence; ``analysis`` does the work.
    ``drain`` waits for what is still in flight; ``end`` tells everybody that the run is over. ``made`` is
    :class:`Gathered`'s.
    """

    def __init__(
        self,
        *,
        analysis: Analysis,
        is_eval_path: Callable[[str], bool],
        plan: Callable[[], Plan | None],
        drain: Callable[[], None],
        end: Callable[[pytest.Config], None],
        made: dict[str | int, Trial] | None = None,
    ) -> None:
        self._analysis = analysis
        self._drain = drain
        self._end = end
        self._is_eval_path = is_eval_path
        self._collected_plan = plan
        self._gathered = Gathered(made)
        self._repeats = Repeats()
        self._held = self._announced = 0
        self._faults: list[str] = []
        self.audit: Audit | None = None

    @property
    def plan(self) -> Plan:
        """The plan of the run, as far as it is known: a worker's comes with its first report."""
        return self._gathered.plan or self._collected_plan() or Plan()

    @property
    def interruption(self) -> str:
        """What a live run that ended early has kept, and how it goes on; empty for any other."""
        found = self._gathered
        if not (found.interrupted and found.calls):
            return ""
        kept = f"{found.answered:,} of {counted(found.calls, 'answer')} kept"
        return f"interrupted: {kept}; pytest --judge-audit --judge-live goes on"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note an eval module that was not collected: its gates would vanish, and the rest look green."""
        path = report.nodeid.partition("::")[0]
        if not report.passed and self._is_eval_path(path):
            self._gathered.findings.append(_not_collected(path, report))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what an xdist worker refused, and what it warns of."""
        self._faults += faults_of(node)
        warn(node.config, doubts_of(node))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a report carries, before anybody counts it."""
        trial = self._gathered.receive(report)
        if trial is not None:
            self._repeats.heed(trial, report, lambda: self.plan)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Let go of an item that has ended."""
        self._gathered.forget(nodeid)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Add the gates when all trials are in, and also when the loop ends early."""
        if session.config.option.collectonly:
            return (yield)
        self._announce(session)
        try:
            result = yield
        except BaseException:
            self._gathered.interrupted = True
            self._end(session.config)
            self._conclude(session)
            raise
        self._gathered.interrupted = bool(session.shouldstop or session.shouldfail)
        self._conclude(session)
        return result

    def _announce(self, session: pytest.Session) -> None:
        """Count the gates that will come, where this process has collected: progress then ends at 100 %."""
        plan = self._collected_plan() or Plan()
        self._announced = sum(len(cell.gates) for cell in plan.cells if cell.selected)
        session.testscollected += self._announced

    def _conclude(self, session: pytest.Session) -> None:
        self._drain()
        if self._faults:
            raise pytest.UsageError(*dict.fromkeys(self._faults))
        self._gathered.plan = self._gathered.plan or self._collected_plan() or Plan()
        with told(), keeping():
            self.audit, items = self._analysis.conclude(self._gathered)
        self._held = emit(session, items, announced=self._announced)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Lower the exit status to HELD, last of all plug-ins, and write the reports."""
        yield
        if self.audit is None:
            return
        if self._nothing_but_holds(session):
            session.exitstatus = HELD
        try:
            self._analysis.publish(ended(self.audit, int(session.exitstatus)), self._gathered)
        except JudgeAuditError as error:
            # Too late for a usage error: nobody catches one here.
            green = session.exitstatus in {pytest.ExitCode.OK, HELD}
            pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR if green else session.exitstatus)

    def so_far(self, session: pytest.Session) -> Audit | None:
        """Return the audit with the exit status that the session is about to end with; None without one."""
        held = self._nothing_but_holds(session)
        return None if self.audit is None else ended(self.audit, HELD if held else int(session.exitstatus))

    def _nothing_but_holds(self, session: pytest.Session) -> bool:
        if session.exitstatus != pytest.ExitCode.TESTS_FAILED or not self._held:
            return False
        return session.testsfailed == self._held and not _syrupy_failed(session.config)


def _syrupy_failed(config: pytest.Config) -> bool:
    """Whether syrupy's check for unused snapshots set the status; its own 1 would hide in ours."""
    report = getattr(getattr(config, "_syrupy", None), "report", None)
    if report is None or getattr(config.option, "update_snapshots", False):
        return False
    unused = getattr(report, "num_unused", 0)
    return bool(unused) and not getattr(config.option, "warn_unused_snapshots", False)


def _not_collected(path: str, report: pytest.CollectReport) -> Finding:
    if isinstance(report.longrepr, tuple):
        what, reason = "was skipped while it was collected", report.longrepr[2]
    else:
        lines = [line.removeprefix("E ").strip() for line in str(report.longrepr).splitlines()]
        what, reason = "could not be collected", next(filter(None, reversed(lines)), "no reason given")
    return Finding(
        code="not-collected",
        where=path,
        symptom=f"the eval module {what}: {reason}",
        check="what the module needs to be imported; its gates were not measured",
    )


def collected(findings: Collection[Finding]) -> list[GateItem]:
    """One held item for each eval module that was not collected."""
    return [
        GateItem(
            id=f"{finding.where}::collected",
            outcome="error",
            text=f"HOLD: {finding.symptom}. Check {finding.check}.",
            location=(finding.where, 0),
        )
        for finding in findings
        if finding.code == "not-collected"
    ]
