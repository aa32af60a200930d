"""
Grading stored answers again, against as many bare parametrised items: time of the processor, side by side.

A project is written to a temporary folder and recorded once by a judge in Python; its grades are accepted.
Then two runs of pytest alternate, each in a process of its own: the bare items (same ids, same number, one
trivial assertion, ``-p no:judgeaudit``) and ``--judge-audit``, which recalls, parses, grades, compares the
accepted grades, computes all gates and reports. Both get the same other options. A project of a quarter of
the size alternates with them, and shows how the cost grows.

Run it as ``python benchmarks/regrade.py``; it prints a table, then one line of JSON. POSIX only.
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

BARE = ("-p", "no:judgeaudit", "bare")
REPLAY = ("--judge-audit", "evals")
GOAL = 1.3
LIMIT = 1.5


def sides(folder: Path, *, items: int) -> dict[str, Callable[[], Cost]]:
    """Write and record a project; both ways to run it."""
    write_project(folder, tasks=items // CALLS_PER_TASK)
    pytest("--judge-audit", "--judge-live", "evals", folder=folder)
    return {
        f"bare {items}": lambda: pytest(*BARE, folder=folder),
        f"replay {items}": lambda: pytest(*REPLAY, folder=folder),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time a replay against bare parametrised items.")
    parser.add_argument("--items", type=int, default=12_000, help="stored calls (default 12,000)")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each side (default 5)")
    options = parser.parse_args()
    step = 4 * CALLS_PER_TASK
    large = max(options.items // step, 1) * step
    with tempfile.TemporaryDirectory(prefix="judgeaudit-regrade-") as folder:
        found = measure(
            lambda size: sides(Path(folder, str(size)), items=size),
            side="replay",
            large=large,
            repeat=options.repeat,
        )
    show(found, side="replay", repeat=options.repeat)
    print(f"goal {GOAL}x, limit {LIMIT}x")
    print(json.dumps({"items": large, "repeat": options.repeat, **found}))


if __name__ == "__main__":
    main()
