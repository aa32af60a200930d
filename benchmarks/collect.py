"""
Collecting N pairs, against as many plainly parametrised items of the same ids: time of the processor.

A project is written to a temporary folder. Two runs of ``pytest --collect-only`` alternate, each in a
process of its own: the bare items (``-p no:judgeaudit``), and ``--judge-audit``, which reads and checks the
pair file, parametrises, declares the plan and puts the items in the order of the schedule. A project of a
quarter of the size alternates with them, and shows how the cost grows.

Run it as ``python benchmarks/collect.py``; it prints a table, then one line of JSON. POSIX only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from children import Cost, pytest
from growth import run
from projects import CALLS_PER_TASK, write_project

COLLECT = ("--collect-only", "-q")
GOAL = 1.5


def sides(folder: Path, items: int, options: Sequence[str]) -> dict[str, Callable[[], Cost]]:
    """Write a project; both ways to collect it."""
    write_project(folder, tasks=items // CALLS_PER_TASK)
    return {
        f"bare {items}": lambda: pytest(*COLLECT, *options, "-p", "no:judgeaudit", "bare", folder=folder),
        f"audit {items}": lambda: pytest(*COLLECT, *options, "--judge-audit", "evals", folder=folder),
    }


if __name__ == "__main__":
    run(
        sides,
        side="audit",
        items=50_000,
        asks="Time a collection against bare parametrised items.",
        limits=f"goal {GOAL}x",
    )
