"""
Where a replay spends its time between the command and the first trial, and between the last one and exit.

A project is written to a temporary folder and recorded once. Its replay and as many bare parametrised items
alternate, each with a plug-in that notes clock and processor at three moments. They part a run into four
phases: ``start`` from the command to the beginning of the session, ``collection`` up to the first item,
``items`` up to the end of the last one, and ``end`` up to the exit code, as the process that waits for it
sees it: analysis, report, and how Python takes itself down. Seconds of the processor stand beside those of
the clock; what ours adds to a phase is the difference of the medians. One more replay under ``-X
importtime`` names the dearest imports before the first item and after it.

Run it as ``python benchmarks/startup.py``; it prints a table and one line of JSON, and keeps the table in
``startup.txt`` beside it with ``--write``. POSIX only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from children import OPTIONS, environment, pytest
from projects import CALLS_PER_TASK, write_project

BARE = ("-p", "moments", "-p", "no:judgeaudit", "bare")
REPLAY = ("-p", "moments", "--judge-audit", "evals")
PHASES = ("start", "collection", "items", "end")
UNITS = {"cpu_s": "seconds of the processor", "wall_s": "seconds of the clock"}
KEPT = Path(__file__).with_name("startup.txt")
GOAL_S = 1.0
SHOWN = 8

MOMENTS = """
import json, sys, time
import pytest

moments, count, left = [], [0], [0]

def note():
    moments.append([time.process_time(), time.monotonic()])

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    note()
    return (yield)

def pytest_collection_finish(session):
    left[0] = len(session.items)

def pytest_runtest_logstart():
    if len(moments) == 1:
        note()
        print("first item", file=sys.__stderr__)

def pytest_runtest_logfinish():
    left[0] -= 1
    if left[0] == 0:
        note()
        with open("moments.json", "w") as file:
            json.dump(moments, file)
"""
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| ( *)(\S+)")


Spent = dict[str, dict[str, float]]
"""Seconds of each phase: ``cpu_s`` of the processor, ``wall_s`` of the clock."""


def phases(folder: Path, *options: str) -> Spent:
    """What each phase of one run took; together they are all that the process took."""
    # The clock is that of the machine: a moment in the child can be compared with one here.
    began = time.monotonic()
    cost = pytest(*options, folder=folder)
    moments = json.loads((folder / "moments.json").read_text(encoding="ascii"))
    marks = [(0.0, began), *moments, (cost.cpu_s, began + cost.wall_s)]
    return {
        name: {"cpu_s": after[0] - before[0], "wall_s": after[1] - before[1]}
        for name, (before, after) in zip(PHASES, pairwise(marks), strict=True)
    }


def measure(folder: Path, repeat: int) -> dict[str, Spent]:
    """The medians of each phase, of both sides in turn, and what ours adds to them."""
    found: dict[str, list[Spent]] = {"bare": [], "replay": []}
    for number in range(-1, repeat):
        for name, options in (("bare", BARE), ("replay", REPLAY)):
            ran = phases(folder, *options)
            if number >= 0:
                found[name].append(ran)
    middle = {name: medians(runs) for name, runs in found.items()}
    ours = {
        phase: {unit: middle["replay"][phase][unit] - spent for unit, spent in bare.items()}
        for phase, bare in middle["bare"].items()
    }
    return {**middle, "ours": ours}


def medians(runs: Sequence[Spent]) -> Spent:
    """The median of each figure of each phase."""
    return {
        phase: {unit: statistics.median(run[phase][unit] for run in runs) for unit in UNITS}
        for phase in PHASES
    }


def imports(folder: Path) -> dict[str, list[tuple[str, float]]]:
    """The dearest imports before and after the first item, with their milliseconds."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pytest", *OPTIONS, *REPLAY],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    before, _, after = done.stderr.partition("first item")
    return {"before the first item": dearest(before), "after it": dearest(after)}


def dearest(text: str) -> list[tuple[str, float]]:
    """The imports that cost most with all that they import; parts of one already named are left out."""
    found = sorted(
        ((int(took), name) for _, took, _, name in _IMPORT.findall(text)),
        reverse=True,
    )
    shown: list[tuple[str, float]] = []
    for took, name in found:
        if not any(name.startswith(f"{other}.") for other, _ in shown):
            shown.append((name, took / 1000))
    return shown[:SHOWN]


def table(middle: Mapping[str, Spent], found: Mapping[str, Sequence[tuple[str, float]]]) -> Iterator[str]:
    """The lines of the table."""
    for unit, title in UNITS.items():
        yield f"{title:<28}" + "".join(f"{side:>8}" for side in middle)
        for phase in PHASES:
            spent = (side[phase][unit] for side in middle.values())
            yield f"{phase:<28}" + "".join(f"{seconds:>8.2f}" for seconds in spent)
    yield "start: from the command on; end: from the last item to the exit code; ours: replay less bare"
    yield f"goal: under {GOAL_S} s of ours before the first item, and after the last one"
    for where, names in found.items():
        yield f"imports {where}, with all that they import:"
        yield from (f"  {took:>6.0f} ms  {name}" for name, took in names)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time the phases of a replay against bare items.")
    parser.add_argument("--items", type=int, default=3_000, help="items (default 3,000)")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each side (default 5)")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {KEPT.name}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="judgeaudit-startup-") as name:
        folder = write_project(Path(name), tasks=max(options.items // CALLS_PER_TASK, 1))
        (folder / "moments.py").write_text(MOMENTS, encoding="utf-8")
        pytest("--judge-audit", "--judge-live", "evals", folder=folder)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (name, os.environ.get("PYTHONPATH"))))
        middle = measure(folder, options.repeat)
        lines = list(table(middle, imports(folder)))
    heading = f"python benchmarks/startup.py --items {options.items} --repeat {options.repeat} (medians)"
    print(*lines, sep="\n")
    if options.write:
        KEPT.write_text("\n".join([heading, "", *lines, ""]), encoding="utf-8")
    print(json.dumps({"items": options.items, "repeat": options.repeat, "phases": middle}))


if __name__ == "__main__":
    main()
