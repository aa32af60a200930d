"""Two sizes of one question side by side: what each costs beside bare items, and how that grows."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from children import Cost, median, ratio, side_by_side
from projects import CALLS_PER_TASK, SINGLE, write_project

Sides = Callable[[Path, int, Sequence[str]], dict[str, Callable[[], Cost]]]
"""
Takes a project of so many items, and returns its runs ``bare SIZE`` and ``SIDE SIZE``, both with the
options that are given.
"""


def run(sides: Sides, *, side: str, items: int, asks: str, goals: str) -> None:
    """Read the command line, measure, print the table and one line of JSON."""
    options = _options(asks, items)
    both = ("-n", str(options.workers)) if options.workers else ()
    calls = options.calls_a_pair
    large = max(options.items // (4 * calls), 1) * 4 * calls

    def written(size: int) -> dict[str, Callable[[], Cost]]:
        project = write_project(Path(folder, str(size)), tasks=size // calls, calls_per_task=calls)
        return sides(project, size, both)

    with tempfile.TemporaryDirectory(prefix=f"judgeaudit-{side}-") as folder:
        found = measure(written, side=side, large=large, repeat=options.repeat)
    about = {"items": large, "pairs": large // calls, "repeat": options.repeat, "workers": options.workers}
    print(f"{large:,} items: {large // calls:,} pairs, calls a pair: {calls}")
    show(found, side=side, repeat=options.repeat)
    print(goals)
    print(json.dumps({**about, **found}))


def _options(asks: str, items: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=asks)
    parser.add_argument("--items", type=int, default=items, help=f"items (default {items:,})")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each side (default 5)")
    parser.add_argument("--workers", type=int, default=0, help="-n of both sides (default: none)")
    parser.add_argument(
        "--calls-a-pair",
        type=int,
        choices=(SINGLE, CALLS_PER_TASK),
        default=CALLS_PER_TASK,
        help=f"items that a pair gives (default {CALLS_PER_TASK}: two criteria, a copy and two orders)",
    )
    return parser.parse_args()


def measure(
    sides: Callable[[int], dict[str, Callable[[], Cost]]], *, side: str, large: int, repeat: int
) -> dict[str, Any]:
    """
    Time the sides ``bare SIZE`` and ``SIDE SIZE`` at ``large`` and at a quarter of it, in turn.

    Returns the medians of every run with its items per second of time, not of the processor; of both sizes
    the ratio, what is added to an item, and the MiB beyond bare items; and by how much each side grows from
    the small size to the large one: its processor time, and its peak memory in KiB per item that is more.
    """
    sizes = (large // 4, large)
    runs: dict[str, Callable[[], Cost]] = {}
    for size in sizes:
        runs |= sides(size)
    costs = side_by_side(runs, repeat=repeat)
    middle = {name: median(found) for name, found in costs.items()}
    beside = {size: (middle[f"{side} {size}"], middle[f"bare {size}"]) for size in sizes}
    ends = {name: [middle[f"{name} {size}"] for size in sizes] for name in ("bare", side)}
    return {
        "runs": {name: asdict(cost) for name, cost in middle.items()},
        "items_per_s": {name: int(name.split()[1]) / cost.wall_s for name, cost in middle.items()},
        "ratio": {size: ratio(costs[f"{side} {size}"], costs[f"bare {size}"]) for size in sizes},
        "added_us_per_item": {
            size: 1e6 * (ours.cpu_s - bare.cpu_s) / size for size, (ours, bare) in beside.items()
        },
        "mib_beyond_bare": {size: ours.peak_mib - bare.peak_mib for size, (ours, bare) in beside.items()},
        "growth": {name: many.cpu_s / few.cpu_s for name, (few, many) in ends.items()},
        "kib_per_item": {
            name: 2**10 * (many.peak_mib - few.peak_mib) / (sizes[1] - sizes[0])
            for name, (few, many) in ends.items()
        },
    }


def show(found: Mapping[str, Any], *, side: str, repeat: int) -> None:
    """Print the table."""
    print(f"{f'medians of {repeat}':<16}{'CPU s':>9}{'wall s':>9}{'items/s':>9}{'peak MiB':>10}", end="")
    print(f"{'CPU ratio':>11}{'added':>14}{'memory':>12}")
    for name, cost in found["runs"].items():
        print(f"{name:<16}{cost['cpu_s']:>9.2f}{cost['wall_s']:>9.2f}", end="")
        print(f"{found['items_per_s'][name]:>9.0f}{cost['peak_mib']:>10.0f}", end="")
        which, size = name.split()
        if which != side:
            print()
            continue
        added, memory = found["added_us_per_item"][int(size)], found["mib_beyond_bare"][int(size)]
        print(f"{found['ratio'][int(size)]:>10.2f}x{f'{added:.0f} µs/item':>14}{f'{memory:+.0f} MiB':>12}")
    bare, ours = found["growth"]["bare"], found["growth"][side]
    print(f"four times the items cost {ours:.2f} times as much (bare: {bare:.2f})")
    bare, ours = found["kib_per_item"]["bare"], found["kib_per_item"][side]
    print(f"each item more takes {ours:.1f} KiB (bare: {bare:.1f})")
