"""
Collecting N pairs, against as many plainly parametrised items of the same ids: time of the processor.

A project is written to a temporary folder. Two runs of ``pytest --collect-only`` alternate, each in a
process of its own: the bare items (``-p no:judgeaudit``), and ``--judge-audit``, which reads and checks the
pair file, parametrises, declares the plan and puts the items in the order of the schedule. A project of a
quarter of the size alternates with them, and shows how the cost grows.

Run it as ``python benchmarks/collect.py``; it prints a table, then one line of JSON. POSIX only.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from children import Cost, pytest
from growth import measure, show
from projects import CALLS_PER_TASK, write_project

COLLECT = ("--collect-only", "-q")
GOAL = 1.5


def sides(folder: Path, *, items: int) -> dict[str, Callable[[], Cost]]:
    """Write a project; both ways to collect it."""
    write_project(folder, tasks=items // CALLS_PER_TASK)
    return {
        f"bare {items}": lambda: pytest(*COLLECT, "-p", "no:judgeaudit", "bare", folder=folder),
        f"audit {items}": lambda: pytest(*COLLECT, "--judge-audit", "evals", folder=folder),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time a collection against bare parametrised items.")
    parser.add_argument("--items", type=int, default=50_000, help="collected items (default 50,000)")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each side (default 5)")
    options = parser.parse_args()
    step = 4 * CALLS_PER_TASK
    large = max(options.items // step, 1) * step
    with tempfile.TemporaryDirectory(prefix="judgeaudit-collect-") as folder:
        found = measure(
            lambda size: sides(Path(folder, str(size)), items=size),
            side="audit",
            large=large,
            repeat=options.repeat,
        )
    show(found, side="audit", repeat=options.repeat)
    print(f"goal {GOAL}x")
    print(json.dumps({"items": large, "repeat": options.repeat, **found}))


if __name__ == "__main__":
    main()
