"""
The exact stratified bootstrap against drawing: time a bound, side by side in one process.

485 tasks in six strata, the layout of the published extension. The references are index resampling (a
task index for every draw) and multinomial counts (how often each score is drawn); both use 20,000
replicates. Run it as ``python benchmarks/bootstrap.py``; it prints a table, then one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from pytest_judgeaudit.stats.bootstrap import bootstrap_lower, percentile

COUNTS = ((19, 32, 108), (3, 5, 75), (2, 4, 35), (35, 26, 16), (3, 4, 93), (1, 0, 24))
"""Tasks with score 0, ½ and 1 in each stratum: a strict cell with a published bound of .77423."""

DRAWS = 20_000

Units = Mapping[str, NDArray[np.int64]]


def by_index(strata: Units) -> float:
    """Draw a task index for every task of every replicate."""
    rng = np.random.default_rng(0)
    sums = np.zeros(DRAWS, dtype=np.int64)
    for scores in strata.values():
        sums += scores[rng.integers(0, len(scores), size=(DRAWS, len(scores)))].sum(axis=1)
    return _bound(strata, sums)


def by_counts(strata: Units) -> float:
    """Draw how often each score comes up in every replicate."""
    rng = np.random.default_rng(0)
    sums = np.zeros(DRAWS, dtype=np.int64)
    for scores in strata.values():
        values, counts = np.unique(scores, return_counts=True)
        sums += rng.multinomial(len(scores), counts / len(scores), size=DRAWS) @ values
    return _bound(strata, sums)


def _bound(strata: Units, sums: NDArray[np.int64]) -> float:
    return percentile(sums / (2 * sum(map(len, strata.values()))), 0.05)


def milliseconds(call: Callable[[], float], *, repeats: int) -> float:
    """The median time of a call, after one that warms up."""
    call()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - started))
    return statistics.median(times)


def measured(repeats: int) -> dict[str, dict[str, float]]:
    """Time and bound of each way, and its time as a multiple of the exact one's."""
    strata = {f"s{i}": [0.0] * a + [0.5] * b + [1.0] * c for i, (a, b, c) in enumerate(COUNTS)}
    units = {name: np.rint(2 * np.array(scores)).astype(np.int64) for name, scores in strata.items()}
    ways: dict[str, tuple[Callable[[], float], int]] = {
        "exact": (lambda: bootstrap_lower(strata), 20 * repeats),
        "multinomial counts": (lambda: by_counts(units), repeats),
        "index resampling": (lambda: by_index(units), repeats),
    }
    times = {name: milliseconds(call, repeats=times) for name, (call, times) in ways.items()}
    return {
        name: {"ms": times[name], "ratio": times[name] / times["exact"], "lower": call()}
        for name, (call, _) in ways.items()
    }


def main() -> None:
    """Print the table and the JSON."""
    parser = argparse.ArgumentParser(description="Time the exact bootstrap against drawing.")
    parser.add_argument(
        "--repeats", type=int, default=15, help="timed calls of each reference (default 15)"
    )
    found = measured(parser.parse_args().repeats)
    print(f"{'485 tasks, six strata':<22}{'ms':>10}{'ratio':>10}{'lower':>12}")
    for name, row in found.items():
        print(f"{name:<22}{row['ms']:>10.2f}{row['ratio']:>9.0f}x{row['lower']:>12.5f}")
    print(json.dumps({"tasks": 485, "strata": 6, "draws": DRAWS, "ways": found}))


if __name__ == "__main__":
    main()
