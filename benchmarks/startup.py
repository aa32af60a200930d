"""
Where a replay spends its time before the first trial and after the last one.

A project is written to a temporary folder and recorded once. Its replay and as many bare parametrised items
alternate, each with a plug-in that notes the time of the processor when the session begins, when the first
item starts, when the last one has ended, and when Python ends. What ours adds to a phase is the difference
of the medians. One more replay under ``-X importtime`` names the dearest imports before the first item and
after it.

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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from children import OPTIONS, environment, pytest
from projects import CALLS_PER_TASK, write_project

BARE = ("-p", "moments", "-p", "no:judgeaudit", "bare")
REPLAY = ("-p", "moments", "--judge-audit", "evals")
PHASES = ("start", "collection", "items", "end")
KEPT = Path(__file__).with_name("startup.txt")
GOAL_S = 1.0
SHOWN = 8

MOMENTS = """
import atexit, json, sys, time
import pytest

moments, count, left = [], [0], [0]

def note():
    moments.append(time.process_time())

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

@atexit.register
def end():
    note()
    with open("moments.json", "w") as file:
        json.dump(moments, file)
"""
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \| ( *)(\S+)")


def phases(folder: Path, *options: str) -> dict[str, float]:
    """Seconds of the processor in each phase of one run."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    pytest(*options, folder=folder)
    moments = json.loads((folder / "moments.json").read_text(encoding="ascii"))
    return {
        name: after - before for name, before, after in zip(PHASES, [0.0, *moments], moments, strict=False)
    }


def measure(folder: Path, repeat: int) -> dict[str, dict[str, float]]:
    """The medians of each phase, of both sides in turn."""
    found: dict[str, list[dict[str, float]]] = {"bare": [], "replay": []}
    for number in range(-1, repeat):
        for name, options in (("bare", BARE), ("replay", REPLAY)):
            ran = phases(folder, *options)
            if number >= 0:
                found[name].append(ran)
    return {
        name: {phase: statistics.median(run[phase] for run in runs) for phase in PHASES}
        for name, runs in found.items()
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


def table(
    middle: Mapping[str, Mapping[str, float]], found: Mapping[str, Sequence[tuple[str, float]]]
) -> Iterator[str]:
    """The lines of the table."""
    yield f"{'seconds of the processor':<28}{'bare':>8}{'replay':>8}{'ours':>8}"
    for phase in PHASES:
        bare, replay = middle["bare"][phase], middle["replay"][phase]
        yield f"{phase:<28}{bare:>8.2f}{replay:>8.2f}{replay - bare:>8.2f}"
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
        middle = measure(folder, options.repeat)
        lines = list(table(middle, imports(folder)))
    heading = f"python benchmarks/startup.py --items {options.items} --repeat {options.repeat} (medians)"
    print(*lines, sep="\n")
    if options.write:
        KEPT.write_text("\n".join([heading, "", *lines, ""]), encoding="utf-8")
    print(json.dumps({"items": options.items, "repeat": options.repeat, "phases": middle}))


if __name__ == "__main__":
    main()
