"""The protocol of a run: what was fixed before the first call, and whether it still holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.records.audits import Protocol
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.report.lines import line
from pytest_judgeaudit.session.summary import write
from pytest_judgeaudit.store.lock import compare, part_digest, protocol_digest, read_lock, write_lock

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from pytest_judgeaudit.settings.models import Configuration, JudgeSettings

INSTRUMENT = (
    "name",
    "family",
    "api",
    "endpoint",
    "model",
    "criteria",
    "template",
    "parser",
    "verdict",
    "decoder",
    "expect",
)
"""What of a judge is part of the protocol: not where its key is, nor how fast it may be asked."""


def protocol_parts(plan: Plan, configuration: Configuration) -> dict[str, str]:
    """
    Name the parts of the protocol with a digest each.

    ``items``: every task with the digest of its text; ``schedule``: seed and presentations;
    ``thresholds``: every gate; ``families``: the declared members; ``configurations``: the judges as
    instruments; ``criteria`` and ``predictions``: as written.
    """
    cells = sorted(plan.cells, key=lambda cell: cell.id)
    audit = configuration.audit
    described: Mapping[str, object] = {
        "items": {
            name: sorted((task.id, task.digest, task.target or "") for task in tasks.values())
            for name, tasks in plan.tasks.items()
        },
        "schedule": [audit.seed, audit.schedule, [(cell.id, sorted(cell.declared)) for cell in cells]],
        "thresholds": [(cell.id, [asdict(gate) for gate in cell.gates]) for cell in cells],
        "families": sorted(plan.members),
        "configurations": [_instrument(judge, configuration) for judge in configuration.judges],
        "criteria": [(criterion.name, criterion.text) for criterion in configuration.criteria],
        "predictions": [prediction.model_dump(mode="json") for prediction in configuration.predictions],
    }
    return {name: part_digest(part) for name, part in described.items()}


def _instrument(judge: JudgeSettings, configuration: Configuration) -> dict[str, Any]:
    described = {name: getattr(judge, name) for name in INSTRUMENT}
    described["attempts"] = judge.limits.attempts
    template = configuration.resolve(judge.template)
    described["template text"] = template.read_text("utf-8", "replace") if template.is_file() else ""
    return described


def protocol_of(plan: Plan, configuration: Configuration, *, snapshots: Path, calls: int) -> Protocol:
    """
    Compare the protocol with the lock.

    ``calls`` counts the answers of this run that were asked for, now or earlier. Refused: a lock that
    cannot be trusted.
    """
    parts = protocol_parts(plan, configuration)
    digest, lock = protocol_digest(parts), read_lock(snapshots)
    if lock is None:
        return Protocol(sha256=digest)
    moved = compare(lock, parts)
    state = f"changed after {calls} calls" if moved else "frozen before the first call"
    return Protocol(sha256=digest, state=state, frozen_at=lock.frozen_at)


def refuse_changed(plan: Plan, configuration: Configuration, *, snapshots: Path) -> None:
    """Refuse to ask anything under a protocol that moved since its freeze."""
    lock = read_lock(snapshots)
    moved = compare(lock, protocol_parts(plan, configuration)) if lock is not None else []
    if moved:
        raise Refused(
            f"the protocol changed since it was frozen: {', '.join(moved)}. Freeze it anew with "
            "--judge-freeze, or undo the change."
        )


class Freeze:
    """``--judge-freeze``: writes the lock instead of running."""

    def __init__(
        self, plan: Callable[[], Plan | None], configuration: Configuration, *, snapshots: Path
    ) -> None:
        self._plan = plan
        self._configuration = configuration
        self._snapshots = snapshots
        self._said = "nothing was frozen"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> bool:
        """Freeze, and run nothing."""
        plan = self._plan() or Plan()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        gates = sorted(member.gate for member in plan.members)
        parts = protocol_parts(plan, self._configuration)
        lock = write_lock(self._snapshots, parts, now, notes={"clone gates": gates})
        self._said = f"protocol frozen at {lock.frozen_at}: {lock.sha256}"
        return True

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Say what was frozen."""
        write(terminalreporter, [line(self._said)])
