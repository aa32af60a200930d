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
from projects import CALLS_PER_TASK

Sides = Callable[[Path, int, Sequence[str]], dict[str, Callable[[], Cost]]]
"""
Writes a project of so many items to a folder, and returns its runs ``bare SIZE`` and ``SIDE SIZE``, both
with the options that are given.
"""


def run(sides: Sides, *, side: str, items: int, asks: str, limits: str) -> None:
    """Read the command line, measure, print the table and one line of JSON."""
    parser = argparse.ArgumentParser(description=asks)
    parser.add_argument("--items", type=int, default=items, help=f"items (default {items:,})")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each side (default 5)")
    parser.add_argument("--workers", type=int, default=0, help="-n of both sides (default: none)")
    options = parser.parse_args()
    both = ("-n", str(options.workers)) if options.workers else ()
    step = 4 * CALLS_PER_TASK
    large = max(options.items // step, 1) * step
    with tempfile.TemporaryDirectory(prefix=f"judgeaudit-{side}-") as folder:
        found = measure(
            lambda size: sides(Path(folder, str(size)), size, both),
            side=side,
            large=large,
            repeat=options.repeat,
        )
    show(found, side=side, repeat=options.repeat)
    print(limits)
    print(json.dumps({"items": large, "repeat": options.repeat, "workers": options.workers, **found}))


def measure(
    sides: Callable[[int], dict[str, Callable[[], Cost]]], *, side: str, large: int, repeat: int
) -> dict[str, Any]:
    """
    Time the sides ``bare SIZE`` and ``SIDE SIZE`` at ``large`` and at a quarter of it, in turn.

    Returns the medians of every run and, of both sizes, the ratio and what is added to an item; and by how
    much each side grows from the small size to the large one.
    """
    sizes = (large // 4, large)
    runs: dict[str, Callable[[], Cost]] = {}
    for size in sizes:
        runs |= sides(size)
    costs = side_by_side(runs, repeat=repeat)
    middle = {name: median(found) for name, found in costs.items()}
    return {
        "runs": {name: asdict(cost) for name, cost in middle.items()},
        "ratio": {size: ratio(costs[f"{side} {size}"], costs[f"bare {size}"]) for size in sizes},
        "added_us_per_item": {
            size: 1e6 * (middle[f"{side} {size}"].cpu_s - middle[f"bare {size}"].cpu_s) / size
            for size in sizes
        },
        "growth": {
            name: middle[f"{name} {sizes[1]}"].cpu_s / middle[f"{name} {sizes[0]}"].cpu_s
            for name in ("bare", side)
        },
    }


def show(found: Mapping[str, Any], *, side: str, repeat: int) -> None:
    """Print the table."""
    title = f"medians of {repeat}"
    print(f"{title:<16}{'CPU s':>9}{'wall s':>9}{'peak MiB':>10}{'CPU ratio':>11}{'added':>14}")
    for name, cost in found["runs"].items():
        print(f"{name:<16}{cost['cpu_s']:>9.2f}{cost['wall_s']:>9.2f}{cost['peak_mib']:>10.0f}", end="")
        which, size = name.split()
        if which != side:
            print()
            continue
        added = f"{found['added_us_per_item'][int(size)]:.0f} µs/item"
        print(f"{found['ratio'][int(size)]:>10.2f}x{added:>14}")
    bare, ours = found["growth"]["bare"], found["growth"][side]
    print(f"four times the items cost {ours:.2f} times as much (bare: {bare:.2f})")
