"""
What the plug-in costs a suite that does not use it: ``pytest`` against ``pytest -p no:judgeaudit``.

A suite of plain tests is written to a temporary folder; both runs alternate, each in a process of its own.
Afterwards one more run of each side lists the modules that it had loaded at its end.

Run it as ``python benchmarks/unused.py``; it prints a table, then one line of JSON. POSIX only.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from children import median, pytest, ratio, side_by_side

OFF = ("-p", "no:judgeaudit")
GOAL = 1.03
HEAVY = ("numpy", "scipy", "httpx", "pydantic", "pydantic_core")

SUITE = """
import pytest


@pytest.mark.parametrize("number", range({tests}))
def test_number(number):
    assert number >= 0
"""

LISTED = """
import sys


def pytest_unconfigure():
    with open("modules.txt", "w") as file:
        file.write("\\n".join(sorted(sys.modules)))
"""


def loaded(folder: Path, *options: str) -> set[str]:
    """Run the suite and return the names of all modules that it has loaded."""
    (folder / "conftest.py").write_text(LISTED, encoding="utf-8")
    pytest(*options, folder=folder)
    (folder / "conftest.py").unlink()
    return set((folder / "modules.txt").read_text(encoding="utf-8").split())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time a suite with the plug-in installed and without.")
    parser.add_argument("--tests", type=int, default=300, help="tests of the suite (default 300)")
    parser.add_argument("--repeat", type=int, default=31, help="timed runs of each side (default 31)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="judgeaudit-unused-") as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        (folder / "test_plain.py").write_text(SUITE.format(tests=options.tests), encoding="utf-8")
        costs = side_by_side(
            {"without": lambda: pytest(*OFF, folder=folder), "with": lambda: pytest(folder=folder)},
            repeat=options.repeat,
        )
        more = sorted(loaded(folder) - loaded(folder, *OFF))
    cpu_s = {side: median(cost).cpu_s for side, cost in costs.items()}
    found = {
        "ratio": ratio(costs["with"], costs["without"]),
        "cpu_s": cpu_s,
        "modules": more,
        "heavy": [name for name in more if name.partition(".")[0] in HEAVY],
    }
    print(f"{'medians of ' + str(options.repeat):<16}{'CPU s':>9}")
    for side, seconds in cpu_s.items():
        print(f"{side:<16}{seconds:>9.3f}")
    print(f"ratio {found['ratio']:.3f}x, goal {GOAL}x")
    print(f"{len(more)} modules more: {', '.join(more)}")
    print(json.dumps({"tests": options.tests, "repeat": options.repeat, **found}))


if __name__ == "__main__":
    main()
