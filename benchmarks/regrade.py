"""
Grading stored answers again, against as many bare parametrised items: time of the processor, side by side.

A project is written to a temporary folder and recorded once by a judge in Python; its grades are accepted.
Then two runs of pytest alternate, each in a process of its own: the bare items (same ids, same number, one
trivial assertion, ``-p no:judgeaudit``) and ``--judge-audit``, which recalls, parses, grades, compares the
accepted grades, computes all gates and reports. Both get the same other options. A project of a quarter of
the size alternates with them, and shows how the cost grows.

Run it as ``python benchmarks/regrade.py``, with ``--workers 2`` for both sides under ``-n 2``, where memory
is that of the largest process; it prints a table, then one line of JSON. POSIX only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from children import Cost, pytest
from growth import run

BARE = ("-p", "no:judgeaudit", "bare")
REPLAY = ("--judge-audit", "evals")
GOALS = "goals at 12,000: 1.3x, then 1.0x, 165 MB where bare items take 109; under -n 2 1.12x"


def sides(folder: Path, items: int, options: Sequence[str]) -> dict[str, Callable[[], Cost]]:
    """Record a project; both ways to run it."""
    pytest("--judge-audit", "--judge-live", "evals", folder=folder)
    return {
        f"bare {items}": lambda: pytest(*BARE, *options, folder=folder),
        f"replay {items}": lambda: pytest(*REPLAY, *options, folder=folder),
    }


if __name__ == "__main__":
    run(
        sides,
        side="replay",
        items=12_000,
        asks="Time a replay against bare parametrised items.",
        goals=GOALS,
    )
