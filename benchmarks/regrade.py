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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from children import Cost, median, pytest, ratio, side_by_side
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


def summary(costs: Mapping[str, Sequence[Cost]], sizes: Sequence[int]) -> dict[str, Any]:
    """Medians of every run; of both sizes the ratio and our share of an item; growth between them."""
    middle = {name: median(found) for name, found in costs.items()}
    return {
        "runs": {name: asdict(cost) for name, cost in middle.items()},
        "ratio": {size: ratio(costs[f"replay {size}"], costs[f"bare {size}"]) for size in sizes},
        "added_us_per_item": {
            size: 1e6 * (middle[f"replay {size}"].cpu_s - middle[f"bare {size}"].cpu_s) / size
            for size in sizes
        },
        "growth": {
            side: middle[f"{side} {sizes[1]}"].cpu_s / middle[f"{side} {sizes[0]}"].cpu_s
            for side in ("bare", "replay")
        },
    }


def show(found: Mapping[str, Any], *, repeat: int) -> None:
    """Print the table."""
    title = f"medians of {repeat}"
    print(f"{title:<16}{'CPU s':>9}{'wall s':>9}{'peak MiB':>10}{'CPU ratio':>11}{'added':>14}")
    for name, cost in found["runs"].items():
        print(f"{name:<16}{cost['cpu_s']:>9.2f}{cost['wall_s']:>9.2f}{cost['peak_mib']:>10.0f}", end="")
        side, size = name.split()
        replay = side == "replay"
        added = f"{found['added_us_per_item'][int(size)]:.0f} µs/item"
        print(f"{found['ratio'][int(size)]:>10.2f}x{added:>14}" if replay else "")
    bare, replay = found["growth"]["bare"], found["growth"]["replay"]
    print(f"four times the items cost {replay:.2f} times as much (bare: {bare:.2f})")
    print(f"goal {GOAL}x, limit {LIMIT}x")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time a replay against bare parametrised items.")
    parser.add_argument("--items", type=int, default=12_000, help="stored calls (default 12,000)")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each side (default 5)")
    options = parser.parse_args()
    step = 4 * CALLS_PER_TASK
    large = max(options.items // step, 1) * step
    sizes = (large // 4, large)
    with tempfile.TemporaryDirectory(prefix="judgeaudit-regrade-") as folder:
        runs: dict[str, Callable[[], Cost]] = {}
        for size in sizes:
            runs |= sides(Path(folder, str(size)), items=size)
        found = summary(side_by_side(runs, repeat=options.repeat), sizes)
    show(found, repeat=options.repeat)
    print(json.dumps({"items": large, "repeat": options.repeat, **found}))


if __name__ == "__main__":
    main()
