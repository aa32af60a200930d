"""The plan of this process: frozen when collection is over, sent to the controller once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.faults import check_gates
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Finding, Plan
from pytest_judgeaudit.session.crew import Crew
from pytest_judgeaudit.session.evals import Declared, make_plan
from pytest_judgeaudit.session.panel import Panel
from pytest_judgeaudit.session.refusing import refuse


class Collected:
    """
    Makes the plan and seats judges and agents at the end of collection.

    ``seat`` puts in their places those that a plan needs. ``sends`` is whether the plan must travel: a
    worker attaches it to its first report. ``locked`` adds what the protocol's lock knows; ``check``
    refuses a plan under which nothing may be asked.
    """

    def __init__(
        self,
        *,
        declared: Declared,
        panel: Panel,
        crew: Crew,
        seat: Callable[[pytest.Config, Plan], None],
        locked: Callable[[Plan], Plan],
        check: Callable[[Plan], None],
        sends: bool,
    ) -> None:
        self._declared = declared
        self._panel = panel
        self._crew = crew
        self._seat = seat
        self._locked = locked
        self._check_protocol = check
        self._unsent = sends
        self.plan: Plan | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Freeze the plan when everything that selects has selected."""
        if self._declared.faults:
            return
        configuration = self._panel.configuration
        judges = self._panel.plans()
        plan = make_plan(
            self._declared,
            items=session.items,
            every_judge=[judge for judge in configuration.judges if judge.compares],
            selected=judges,
            agents=self._crew.plans(),
            seed=configuration.audit.seed,
            schedule=configuration.audit.schedule,
        )
        plan, faults = self._with_lock(plan)
        faults = faults or check_gates(plan)
        if faults:
            refuse(session.config, session.items, faults)
            return
        self.plan = plan if not judges else _with(plan, self._panel.stray_rows(plan))
        self._seat(session.config, plan)

    def _with_lock(self, plan: Plan) -> tuple[Plan, Sequence[str]]:
        try:
            plan = self._locked(plan)
            self._check_protocol(plan)
        except Refused as error:
            return plan, [str(error)]
        return plan, ()

    def to_send(self) -> Plan | None:
        """Return the plan once, where it must travel."""
        if not self._unsent or self.plan is None:
            return None
        self._unsent = False
        return self.plan


def _with(plan: Plan, findings: Sequence[Finding]) -> Plan:
    return replace(plan, findings=(*plan.findings, *findings)) if findings else plan
