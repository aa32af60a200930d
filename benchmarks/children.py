"""Processes to be measured: what one costs in time of the processor, in time and in memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")
"""
Options of every run, on both sides. Without the cache, because writing the ids of all items costs both
sides the same and would flatter a ratio; without the plug-in of hypothesis, which imports it at the end.
"""

# Variables that make a child another one than a user's: options of the surrounding run, and what keeps
# Python from writing compiled modules (pytest would then rewrite those of every plug-in at each start).
# PYTHONPATH stays: it measures another checkout with the same script.
FOREIGN = ("PYTEST", "PYTHONDONTWRITEBYTECODE", "GITHUB_", "COV_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """
    What a process used: seconds of the processor (user and system), seconds, peak memory in MiB.

    Both times last from the start of the process to its exit. Processes that it started and waited for,
    such as workers, are counted: in the processor's time all of them, in memory the largest process alone.
    """

    cpu_s: float
    wall_s: float
    peak_mib: float


def pytest(*options: str, folder: Path, expected: int = 0) -> Cost:
    """Run pytest in a folder and measure it, see :func:`measured`."""
    return measured(sys.executable, "-m", "pytest", *OPTIONS, *options, folder=folder, expected=expected)


def measured(
    *command: str, folder: Path, expected: int = 0, environ: Mapping[str, str] | None = None
) -> Cost:
    """
    Run a command in a folder and measure it; a wrong exit status ends the benchmark with the output.

    ``environ`` is added to the environment.
    """
    log = folder / "output.txt"
    started = time.perf_counter()
    with log.open("wb") as output:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment(), **(environ or {})},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        # Of this child alone, and with its own peak: getrusage knows the largest of all children only.
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != expected:
        shown = log.read_text(encoding="utf-8", errors="replace")[-3000:]
        sys.exit(f"{' '.join(command)}: exit {child.returncode}, expected {expected}:\n{shown}")
    return Cost(
        cpu_s=used.ru_utime + used.ru_stime,
        wall_s=time.perf_counter() - started,
        peak_mib=used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
    )


def environment() -> dict[str, str]:
    """The environment of a child: this one without :data:`FOREIGN`."""
    return {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}


def side_by_side(sides: Mapping[str, Callable[[], Cost]], *, repeat: int) -> dict[str, list[Cost]]:
    """
    Run every side ``repeat`` times, in turn, after one run each that warms up and is not counted.

    In turn, and every other time backwards: whatever else the machine does then meets all sides alike.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for number in range(-1, repeat):
        for name in list(sides)[:: -1 if number % 2 else 1]:
            cost = sides[name]()
            if number >= 0:
                costs[name].append(cost)
    return costs


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        cpu_s=statistics.median(cost.cpu_s for cost in costs),
        wall_s=statistics.median(cost.wall_s for cost in costs),
        peak_mib=statistics.median(cost.peak_mib for cost in costs),
    )


def ratio(costs: Sequence[Cost], beside: Sequence[Cost]) -> float:
    """The median of the ratios of processor time, run for run: neighbours in time share their noise."""
    return statistics.median(one.cpu_s / other.cpu_s for one, other in zip(costs, beside, strict=True))
