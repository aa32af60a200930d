"""Where to look after a gate missed: its weakest subset, and tasks that speak against the judge."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_judgeaudit.audit.numbers import clipped, counted
from pytest_judgeaudit.records.audits import Audit, Gate
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.report.lines import Block, Line, line
from pytest_judgeaudit.report.text import cells_wide, safe

SHOWN = 3
"""The most tasks that are named for a gate."""


def missed(audit: Audit, width: int) -> list[Block]:
    """
    Return two lines for each gate that failed on single tasks: what is weakest, and the command to read it.

    A gate that was expected to miss, that bounds successes from above, or whose items are no tasks has
    none.
    """
    failed = [gate for gate in audit.gates if gate.state == "MISS" and gate.outcome == "failed"]
    told = [gate for gate in failed if _of_tasks(gate)]
    tasks = _adverse(audit.trials, {gate.cell for gate in told}) if told else {}
    subsets = {cell.id: cell.subsets for cell in audit.cells}
    return [
        Block(tuple(_lines(gate, tasks[gate.cell], subsets.get(gate.cell, ()), width)), rank=0)
        for gate in told
        if tasks.get(gate.cell)
    ]


def _of_tasks(gate: Gate) -> bool:
    """Whether tasks can be shown, and those that do not succeed are why the gate missed."""
    if gate.kind == "rate_gate" and gate.limit == "most" and gate.arm not in LABELLED_ARMS:
        return False
    shown = gate.judge or gate.agent
    return bool(shown) and gate.kind in {"clone_gate", "utility_gate", "rate_gate"}


def _adverse(trials: Sequence[Mapping[str, Any]], cells: set[str]) -> Mapping[str, list[str]]:
    """Return the tasks of each cell of which a call did not come out as wanted, in the plan's order."""
    found: dict[str, dict[str, None]] = {}
    for row in trials:
        if row["cell"] in cells and row["outcome"] != "success":
            found.setdefault(row["cell"], {})[row["task"]] = None
    return {cell: list(tasks) for cell, tasks in found.items()}


def _lines(
    gate: Gate, tasks: Sequence[str], subsets: Sequence[Mapping[str, Any]], width: int
) -> Iterator[Line]:
    name = " ".join(filter(None, (gate.judge, gate.criterion, gate.agent, gate.arm)))
    text = f"  {safe(name, shown=40)}: {counted(len(tasks), 'adverse task')}"
    if len(subsets) > 1:
        weakest = min(subsets, key=lambda one: one["aligned"] / max(1, one["calls"]))
        right = f"{weakest['aligned']:,}/{weakest['calls']:,} right"
        text += f"; weakest subset {safe(weakest['name'], shown=40)}: {right}"
    yield line(clipped(text, width), red=True)
    yield line(_command(tasks, width))


def _command(tasks: Sequence[str], width: int) -> str:
    """Name the command for the first task, and as many others as have room: a command is never cut."""
    command = f"    pytest --judge-audit --judge-show={shlex.quote(safe(tasks[0]))}"
    others = [safe(task) for task in tasks[1:SHOWN]]
    for number in range(len(others), 0, -1):
        text = f"{command} (or {', '.join(others[:number])})"
        if cells_wide(text) <= width:
            return text
    return command
