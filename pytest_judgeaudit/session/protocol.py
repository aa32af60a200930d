"""The protocol of a run: what was fixed before the first call, and whether it still holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.audit.schedules import assign, planned_groups
from pytest_judgeaudit.records.audits import Protocol
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.plans import CellPlan, FamilyMember, GateSpec, Plan
from pytest_judgeaudit.report.lines import line
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.summary import write
from pytest_judgeaudit.store.lock import (
    Lock,
    compare,
    part_digest,
    protocol_digest,
    read_lock,
    write_lock,
)

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from pytest_judgeaudit.settings.models import AgentSettings, Configuration, JudgeSettings

NOT_INSTRUMENT = {
    "limits",
    "price",
    "api_key_env",
    "headers",
    "proxy",
    "ca_file",
    "base_url",
}
"""What of a judge is no part of the protocol: how it is reached and paid for, and how fast it is asked."""

POINTWISE = ("pointwise", "acceptance")
"""What of a judge is about single answers only."""


def protocol_parts(plan: Plan, configuration: Configuration) -> dict[str, str]:
    """
    Name the parts of the protocol with a digest each.

    ``items EVAL``: its tasks with the digests of their texts; ``gates EVAL``; ``judge NAME`` and
    ``agent NAME``: the whole instrument; ``corpus NAME``: what is shown of it and renamed;
    ``criteria``, ``predictions``, ``aliases`` and ``schedule`` as written. None of them depends
    on what a session selects, but for the evals that it collects.
    """
    described: dict[str, Any] = {
        "schedule": [configuration.audit.seed, configuration.audit.schedule],
        "criteria": [(criterion.name, criterion.text) for criterion in configuration.criteria],
        "predictions": [prediction.model_dump(mode="json") for prediction in configuration.predictions],
        "aliases": dict(configuration.aliases),
    }
    for name, tasks in plan.tasks.items():
        described[f"items {name}"] = sorted((t.id, t.digest, t.target or "") for t in tasks.values())
    if configuration.audit.schedule != "hash":
        described |= {
            f"order {name}": order for name, order in schedule_orders(plan, configuration).items()
        }
    for cell in plan.cells:
        # Edge strata carry fewer gates than the core of the same test, and an arm may have one of its own.
        gates = {_gate_name(gate, cell): asdict(gate) for gate in cell.gates}
        described[f"gates {cell.eval}"] = described.get(f"gates {cell.eval}", {}) | gates
        if cell.arm in LABELLED_ARMS:
            # Controls are made of the items: nothing else would say which were declared.
            arms = described.setdefault(f"arms {cell.eval}", [])
            arms += [[cell.arm, cell.stratum]] if [cell.arm, cell.stratum] not in arms else []
    for judge in configuration.judges:
        described[f"judge {judge.name}"] = _instrument(judge, configuration)
    for agent in configuration.agents:
        described[f"agent {agent.name}"] = {
            **agent.model_dump(mode="json", exclude=NOT_INSTRUMENT),
            "endpoint": agent.endpoint,
            "attempts": agent.limits.attempts,
            **_of_plug_ins(agent),
        }
    for corpus in configuration.corpora:
        described[f"corpus {corpus.name}"] = corpus.model_dump(mode="json", exclude={"path"})
    return {name: part_digest(part) for name, part in described.items()}


def _gate_name(gate: GateSpec, cell: CellPlan) -> str:
    """Name a gate in its eval; of labelled answers each arm may have one of its own."""
    return f"{gate.kind} {cell.arm}" if gate.where and cell.arm in LABELLED_ARMS else gate.kind


def schedule_orders(plan: Plan, configuration: Configuration) -> dict[str, dict[str, Any]]:
    """
    Return the drawn schedule of each eval: by judge and group, the conditions of each task in turn.

    Of every configured judge, whatever is selected.
    """
    found: dict[str, dict[str, Any]] = {}
    for place, shown in planned_groups(plan).items():
        name = " ".join(filter(None, (place.variant, place.stratum)))
        for judge in configuration.judges:
            if judge.compares:
                drawn = assign(
                    place,
                    shown,
                    judge=judge.name,
                    criteria=judge.criteria,
                    seed=configuration.audit.seed,
                    kind=configuration.audit.schedule,
                )
                found.setdefault(place.eval, {}).setdefault(judge.name, {})[name] = drawn.written()
    return found


def _instrument(judge: JudgeSettings, configuration: Configuration) -> dict[str, Any]:
    # Locks that were frozen before there were judges of single answers stay as they are.
    default = {name for name in POINTWISE if name not in judge.model_fields_set}
    described = judge.model_dump(mode="json", exclude=NOT_INSTRUMENT | default)
    described |= {"model": judge.requested, "endpoint": judge.endpoint, "attempts": judge.limits.attempts}
    for name in ("template", "rubric", *(POINTWISE[:1] if "pointwise" in described else ())):
        file = configuration.resolve(getattr(judge, name))
        described[f"{name} text"] = file.read_text("utf-8", "replace") if file.is_file() else ""
    return {**described, **_of_plug_ins(judge)}


def _of_plug_ins(one: JudgeSettings | AgentSettings) -> dict[str, Any]:
    """Return the versions of what plug-ins contribute; nothing, as ever, where they contribute nothing."""
    return {"plug-ins": dict(one.versions)} if one.versions else {}


def _moved(lock: Lock, parts: Mapping[str, str]) -> list[str]:
    """Name what moved; an eval that this session does not collect did not."""
    evals = {name.partition(" ")[2] for name in parts if name.startswith("items ")}
    gone = {
        name
        for name in set(lock.parts) - set(parts)
        if name.startswith(("items ", "gates ", "order ", "arms ")) and name.partition(" ")[2] not in evals
    }
    return [name for name in compare(lock, parts) if name not in gone]


def with_locked_members(plan: Plan, *, snapshots: Path) -> Plan:
    """
    Add the members of this plan's Holm families that the lock knows and this session does not collect.

    A family is what was declared and locked, never what a session happens to select (RULES R1).
    """
    lock = read_lock(snapshots)
    known = {member.gate for member in plan.members}
    families = {member.family for member in plan.members}
    locked = [FamilyMember(*row) for row in (lock.notes.get("families", ()) if lock else ())]
    others = [one for one in locked if one.family in families and one.gate not in known]
    return replace(plan, members=(*plan.members, *others)) if others else plan


def protocol_of(
    plan: Plan, configuration: Configuration, *, snapshots: Path, asked_at: Sequence[float]
) -> Protocol:
    """
    Compare the protocol with the lock.

    ``asked_at`` are the times, in seconds since the epoch, of the first attempts of this run's answers,
    asked for now or earlier. Refused: a lock that cannot be trusted.
    """
    parts = protocol_parts(plan, configuration)
    digest, lock = protocol_digest(parts), read_lock(snapshots)
    if lock is None:
        return Protocol(sha256=digest)
    frozen = datetime.fromisoformat(lock.frozen_at).timestamp()
    before = sum(moment < frozen for moment in asked_at)
    state = "frozen before the first call"
    if _moved(lock, parts):
        state = f"changed after {len(asked_at)} calls"
    elif before:
        state = f"frozen after {before} of {len(asked_at)} calls"
    return Protocol(sha256=digest, state=state, frozen_at=lock.frozen_at)


def refuse_changed(plan: Plan, configuration: Configuration, *, snapshots: Path) -> None:
    """Refuse to ask anything under a protocol that moved since its freeze."""
    lock = read_lock(snapshots)
    moved = _moved(lock, protocol_parts(plan, configuration)) if lock is not None else []
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
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Freeze, and run nothing."""
        plan = self._plan()
        if plan is None or session.testsfailed:
            raise pytest.UsageError("not everything could be collected, so nothing was frozen.")
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        members = sorted([member.study, member.family, member.gate] for member in plan.members)
        parts = protocol_parts(plan, self._configuration)
        with told():
            lock = write_lock(self._snapshots, parts, now, notes=self._notes(plan, members))
        self._said = f"protocol frozen at {lock.frozen_at}: {lock.sha256}"
        return True

    def _notes(self, plan: Plan, members: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Return what a reader wants to see beside the digests: families, and a drawn schedule as it is."""
        drawn = self._configuration.audit.schedule != "hash"
        orders = {"schedule": schedule_orders(plan, self._configuration)} if drawn else {}
        return {"families": members, **orders}

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Say what was frozen."""
        write(terminalreporter, [line(self._said)])
