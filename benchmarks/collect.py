"""
Collecting N items, against as many plainly parametrised items of the same ids: time of the processor.

A project is written to a temporary folder. Two runs of ``pytest --collect-only`` alternate, each in a
process of its own: the bare items (``-p no:judgeaudit``), and ``--judge-audit``, which reads and checks the
pair file, parametrises, declares the plan and puts the items in the order of the schedule. A project of a
quarter of the size alternates with them, and shows how the cost grows.

By default a pair gives six items: two criteria, each with one copy and both orders of one contrast, so that
50,000 items are 8,333 pairs. With ``--calls-a-pair 1`` it gives one, a copy under one criterion, and 50,000
items are 50,000 pairs: the pair file, which bare items do not have, is six times as long.

Run it as ``python benchmarks/collect.py``; it prints a table, then one line of JSON. POSIX only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from children import Cost, pytest
from growth import run

COLLECT = ("--collect-only", "-q")
GOAL = 1.5


def sides(folder: Path, items: int, options: Sequence[str]) -> dict[str, Callable[[], Cost]]:
    """Both ways to collect a project."""
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
        goals=f"goal {GOAL}x",
    )
