"""
Where a replay spends its time, beside as many bare items: shares of a profile.

A project is written to a temporary folder and recorded once. Its replay and the bare items run under
cProfile, which makes calls dear: the figures tell which parts take how much of a run, and no time of a run.
What a function does itself counts for the package it is in; what is built into Python is a part by itself.

Then come the functions that take most by themselves: of all, and of ours alone with how often each was
called.

Run it as ``python benchmarks/profiled.py``; it prints a table and one line of JSON, and keeps the table in
``profile.txt`` beside it with ``--write``.
"""

from __future__ import annotations

import argparse
import json
import pstats
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from children import OPTIONS, measured, pytest
from projects import CALLS_PER_TASK, write_project

SIDES = {"bare": ("-p", "no:judgeaudit", "bare"), "replay": ("--judge-audit", "evals")}
KEPT = Path(__file__).with_name("profile.txt")
SHOWN, SHOWN_OF_OURS = 14, 15
OURS = "ours"
PARTS = {
    "/pytest_judgeaudit/": OURS,
    "/_pytest/": "pytest",
    "/pluggy/": "pluggy",
    "/numpy/": "numpy, scipy",
    "/scipy/": "numpy, scipy",
    "/pydantic": "pydantic",
    "/site-packages/": "other packages",
    "~": "built into Python",
}
"""Which part a file belongs to: the first that its path contains; Python's own library otherwise."""

Function = tuple[str, int, str]


class Spent(NamedTuple):
    """What a function took: seconds without those of what it calls, and how often it was called."""

    own_s: float
    calls: int


Profile = Mapping[Function, Spent]


def profile(folder: Path, *options: str) -> Profile:
    """Run pytest under a profile."""
    kept = folder / "profile.out"
    measured(
        sys.executable, "-m", "cProfile", "-o", str(kept), "-m", "pytest", *OPTIONS, *options, folder=folder
    )
    # Its attributes are documented, and not typed.
    stats: Mapping[Function, tuple[int, int, float, float, object]] = vars(pstats.Stats(str(kept)))["stats"]
    return {function: Spent(own, calls) for function, (_, calls, own, _, _) in stats.items()}


def part_of(function: Function) -> str:
    """Name the part of a run that a function belongs to; one of ours is named with its layer."""
    path = function[0].replace("\\", "/")
    found = next((part for inner, part in PARTS.items() if inner in path), "Python's library")
    if found != OURS:
        return found
    layer = path.rpartition("/pytest_judgeaudit/")[2].split("/")[0]
    return f"{OURS}: {layer.removesuffix('.py')}"


def shares(found: Profile) -> dict[str, float]:
    """The share of each part in the whole."""
    parts: dict[str, float] = defaultdict(float)
    for function, spent in found.items():
        parts[part_of(function)] += spent.own_s
    whole = sum(parts.values())
    return {part: parts[part] / whole for part in sorted(parts, key=lambda part: -parts[part])}


def dearest(found: Profile, *, most: int, ours: bool = False) -> list[tuple[str, float, int]]:
    """The functions that take most by themselves: name, share in the whole profile, and calls."""
    whole = sum(spent.own_s for spent in found.values())
    rows = [
        (named(function), spent.own_s / whole, spent.calls)
        for function, spent in found.items()
        if not ours or part_of(function).startswith(OURS)
    ]
    return sorted(rows, key=lambda row: -row[1])[:most]


def table(profiles: Mapping[str, Profile]) -> Iterator[str]:
    """The lines of the table."""
    found = {side: shares(one) for side, one in profiles.items()}
    yield f"{'share of the profile':<28}{'bare':>8}{'replay':>8}"
    for part in sorted({*found["bare"], *found["replay"]}, key=lambda part: -found["replay"].get(part, 0)):
        bare, replay = found["bare"].get(part, 0), found["replay"].get(part, 0)
        if max(bare, replay) >= 0.001:
            yield f"{part:<28}{bare:>8.1%}{replay:>8.1%}"
    yield "the dearest functions of the replay, without what they call:"
    for name, share, _ in dearest(profiles["replay"], most=SHOWN):
        yield f"  {share:>6.1%}  {name}"
    yield "the dearest functions of ours, likewise, and how often each is called:"
    for name, share, calls in dearest(profiles["replay"], most=SHOWN_OF_OURS, ours=True):
        yield f"  {share:>6.2%}{calls:>10,}  {name}"


def named(function: Function) -> str:
    """Name a function and its module, without where that is installed."""
    path, _, name = function
    if path == "~":
        return name
    parts = Path(path).with_suffix("").parts
    roots = [number for number, part in enumerate(parts) if part in {"site-packages", "python3"}]
    below = parts[roots[-1] + 1 :] if roots else parts[-3:]
    return f"{'.'.join(below[-3:])}:{name}"


def main() -> None:
    """Profile and print."""
    parser = argparse.ArgumentParser(description="Profile a replay beside bare items.")
    parser.add_argument("--items", type=int, default=12_000, help="items (default 12,000)")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {KEPT.name}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="judgeaudit-profile-") as name:
        folder = write_project(Path(name), tasks=max(options.items // CALLS_PER_TASK, 1))
        pytest("--judge-audit", "--judge-live", "evals", folder=folder)
        profiles = {side: profile(folder, *chosen) for side, chosen in SIDES.items()}
    title = f"python benchmarks/profiled.py --items {options.items}"
    text = "\n".join([title, "", *table(profiles)])
    print(text)
    if options.write:
        KEPT.write_text(f"{text}\n", encoding="utf-8")
    found = {
        "shares": {side: shares(one) for side, one in profiles.items()},
        "dearest of ours": dearest(profiles["replay"], most=SHOWN_OF_OURS, ours=True),
    }
    print(json.dumps({"items": options.items, **found}))


if __name__ == "__main__":
    main()
