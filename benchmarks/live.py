"""
How fast are live calls of 50 ms with 16 and with 64 in flight, and do the limits hold across workers?

A server in this process answers every call after the delay. These alternate, each in a process of its own,
the first two for each number in flight:

* ``live``: the evals, into an empty folder;
* ``loop``: plain httpx, a client a thread and as many threads as may be in flight, which sends the same
  body as often and reads the answers;
* ``stored``: the evals live again with everything stored: it collects, looks every answer up, judges and
  reports, and asks nothing;
* ``bare``: as many bare parametrised items of the same ids, without the plug-in.

The ideal is calls x delay / in flight, "as served" with the delay that the server really made in the same
run, which its clock and its processor lengthen. Ratios are of time, run for run, against sums of the
others; the last is of time of the processor. That of the server, which shares the machine, stands beside
it. ``ideal + stored`` is what waiting and a stored run take one after the other, which need not be the
least: a stored run is no mere start-up, it runs all items too.

What the server saw parts each run that asks: ``first`` is from the command to the first request, ``span``
from there to the last answer, which is what the ideal is about, and ``after`` from there to the end of the
process. Medians are of the runs that are counted, without those that record and warm up; ``peak`` is the
most of all runs.

A last run with ``-n 4`` and a limit a minute shows that both limits hold over all workers: no 60 seconds in
which more than ``per_minute`` calls arrive. It takes a minute and more; ``--per-minute 0`` leaves it out.

    python benchmarks/live.py --calls 1000 --in-flight 16 64
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import children
from children import Cost
from projects import COPIES, served_judge
from server import Server, serving

GOALS = "goals: 1.15x of the ideal at 16 in flight, 1.3x of loop and bare at 64"

LOOP = """
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx

url, calls, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
body = json.load(open("body.json"))
mine = threading.local()


def ask(_):
    if not hasattr(mine, "client"):
        mine.client = httpx.Client(timeout=60)
    reply = mine.client.post(url, json=body)
    reply.raise_for_status()
    return json.loads(reply.json()["choices"][0]["message"]["content"])["winner"]


with ThreadPoolExecutor(threads) as pool:
    assert list(pool.map(ask, range(calls))) == ["tie"] * calls
"""

BARE = """
import pytest

IDS = [f"mine-neutral-t{{n:05}}-AB" for n in range({calls})]


@pytest.mark.parametrize("judge, pair", [("mine", name) for name in IDS], ids=IDS)
def test_copies_tie(judge, pair):
    assert judge == "mine"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    What the server saw of one run that asked, in seconds.

    ``delay_s`` is how long a call took it on average; ``first_s``, ``span_s`` and ``after_s`` part the run
    at the first request and at the last answer.
    """

    delay_s: float
    first_s: float
    span_s: float
    after_s: float


def main() -> None:
    """Measure, print a table and one line of JSON."""
    options = _options()
    found: dict[str, Any] = {"calls": options.calls, "delay_s": options.delay, "repeat": options.repeat}
    with tempfile.TemporaryDirectory() as name, serving(options.delay) as server:
        legs = Legs(Path(name), server, calls=options.calls, workers=options.workers)
        costs = children.side_by_side(legs.sides(options.in_flight), repeat=options.repeat)
        found |= _found(costs, legs, options) | {"peak": legs.peak}
        _show(found)
        if options.per_minute:
            found["n4, limited"] = legs.limited(min(options.in_flight), options.per_minute)
    print(json.dumps(found))


def _found(costs: Mapping[str, list[Cost]], legs: Legs, options: argparse.Namespace) -> dict[str, Any]:
    """All figures of the runs that are counted: the last ``repeat`` of each side."""
    calls, ideals = options.calls, {n: options.calls * options.delay / n for n in options.in_flight}
    server_cpu_s = {side: spent[-options.repeat :] for side, spent in legs.server_cpu_s.items()}
    asked = {side: runs[-options.repeat :] for side, runs in legs.asked.items()}
    return {
        "runs": {side: asdict(children.median(cost)) for side, cost in costs.items()},
        "server_cpu_s": {side: _median(spent) for side, spent in server_cpu_s.items()},
        "asked": {
            f"{side} {flying}": _parts(asked[f"{side} {flying}"], ideal)
            for flying, ideal in ideals.items()
            for side in ("live", "loop")
        },
        "ratios": {
            flying: _ratios(costs, asked[f"live {flying}"], flying, calls, ideal)
            for flying, ideal in ideals.items()
        },
        "delay_ms as served": {
            side: _median(1e3 * run.delay_s for run in runs) for side, runs in asked.items()
        },
        "cpu_ms_a_call": {flying: _cpu_ms(costs, flying, calls) for flying in ideals},
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that a call takes")
    parser.add_argument("--in-flight", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--workers", type=int, default=0, help="-n of the runs with the plug-in")
    parser.add_argument("--per-minute", type=int, default=900, help="of the run with -n 4; 0: no such run")
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


class Legs:
    """All that is measured, in folders below one."""

    def __init__(self, folder: Path, server: Server, *, calls: int, workers: int) -> None:
        self._folder, self._server, self._calls = folder, server, calls
        self._spread = [f"-n{workers}"] if workers else []
        self.server_cpu_s: dict[str, list[float]] = defaultdict(list)
        self.asked: dict[str, list[Asked]] = defaultdict(list)
        self._commanded = 0.0
        self.peak: Counter[str] = Counter()

    def sides(self, in_flight: Iterable[int]) -> dict[str, Callable[[], Cost]]:
        """Write the projects, record each once, and return the ways to run them."""
        sides: dict[str, Callable[[], Cost]] = {"bare": self.bare}
        for flying in in_flight:
            project = self.project(flying)
            self.live(project)
            sides[f"live {flying}"] = partial(self.live, project)
            sides[f"loop {flying}"] = partial(self._loop, project, flying)
        sides["stored"] = partial(self._stored, project)
        return {name: self._watched(name, side) for name, side in sides.items()}

    def limited(self, in_flight: int, per_minute: int) -> dict[str, object]:
        """Run with four workers and a limit a minute; what arrived at once and in the fullest minute."""
        project = self._folder / str(in_flight)
        _configure(project, self._server.port, f"in_flight = {in_flight}, per_minute = {per_minute}")
        shutil.rmtree(project / "snapshots")
        self._command()
        wall = children.pytest("--judge-audit", "--judge-live", "-n4", folder=project).wall_s
        return {
            "peak": self._server.peak,
            "calls": len(self._server.began),
            "most in a minute, of the limit": round(_most(self._server.began) / per_minute, 3),
            "seconds": round(wall, 2),
        }

    def bare(self) -> Cost:
        """Run as many bare items."""
        folder = self._folder / "bare"
        _write(folder, {"pytest.ini": "[pytest]\n", "test_live.py": BARE.format(calls=self._calls)})
        self._command()
        return children.pytest("-p", "no:judgeaudit", folder=folder)

    def project(self, in_flight: int) -> Path:
        """Write the evals, and the configuration of a judge that may be asked so often at once."""
        project = self._folder / str(in_flight)
        rows = (
            {"id": f"t{n:05}", "prompt": f"Task {n}: why?", "chosen": f"because {n}", "rejected": "no"}
            for n in range(self._calls)
        )
        pairs = "".join(f"{json.dumps(row)}\n" for row in rows)
        _write(project, {"pytest.ini": "[pytest]\n", "pairs.jsonl": pairs, "loop.py": LOOP})
        _write(project / "evals", {"test_live.py": COPIES})
        _configure(project, self._server.port, f"in_flight = {in_flight}")
        return project

    def live(self, project: Path) -> Cost:
        """Ask for everything."""
        shutil.rmtree(project / "snapshots", ignore_errors=True)
        cost = self._run(project)
        asked = len(self._server.began)
        assert asked == self._calls, f"{asked} calls"
        self.peak[project.name] = max(self.peak[project.name], self._server.peak)
        return cost

    def _stored(self, project: Path) -> Cost:
        cost = self._run(project)
        assert not self._server.began, "a run with everything stored asked"
        return cost

    def _run(self, project: Path) -> Cost:
        self._command()
        return children.pytest("--judge-audit", "--judge-live", *self._spread, folder=project)

    def _loop(self, project: Path, threads: int) -> Cost:
        (project / "body.json").write_bytes(self._server.last)
        url = f"http://127.0.0.1:{self._server.port}/v1/chat/completions"
        self._command()
        return children.measured(
            sys.executable, "loop.py", url, str(self._calls), str(threads), folder=project
        )

    def _command(self) -> None:
        """Count anew from here: the command follows."""
        self._server.forget()
        self._commanded = time.monotonic()

    def _watched(self, name: str, side: Callable[[], Cost]) -> Callable[[], Cost]:
        """Note what the server costs and sees: waiting for a child, this process does nothing else."""

        def watched() -> Cost:
            before = time.process_time()
            cost = side()
            self.server_cpu_s[name].append(time.process_time() - before)
            if self._server.began:
                self.asked[name].append(self._seen(cost))
            return cost

        return watched

    def _seen(self, cost: Cost) -> Asked:
        """What the server saw of the run that has just ended."""
        first, last = self._server.began[0], self._server.ended
        return Asked(
            delay_s=statistics.mean(self._server.took),
            first_s=first - self._commanded,
            span_s=last - first,
            after_s=self._commanded + cost.wall_s - last,
        )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _configure(project: Path, port: int, limits: str) -> None:
    _write(project, {"judgeaudit.toml": served_judge(port, f"{limits}, attempts = 1")})


def _parts(runs: Sequence[Asked], ideal: float) -> dict[str, float]:
    """Medians of the parts of a run that asks, in seconds, and its span as a multiple of the ideal."""
    return {
        "first_s": _median(run.first_s for run in runs),
        "span_s": _median(run.span_s for run in runs),
        "after_s": _median(run.after_s for run in runs),
        "span, of ideal": _median(run.span_s / ideal for run in runs),
    }


def _ratios(
    costs: Mapping[str, list[Cost]], asked: Sequence[Asked], in_flight: int, calls: int, ideal: float
) -> dict[str, float]:
    """Our live runs against sums of others; ``asked`` is what the server saw of the same runs."""
    sides = list(
        zip(
            costs[f"live {in_flight}"],
            costs[f"loop {in_flight}"],
            costs["stored"],
            costs["bare"],
            strict=True,
        )
    )
    runs = [(live.wall_s, loop.wall_s, stored.wall_s, bare.wall_s) for live, loop, stored, bare in sides]
    served = zip(
        costs[f"live {in_flight}"], (calls * run.delay_s / in_flight for run in asked), strict=True
    )
    return {
        "ideal": _median(live / ideal for live, *_ in runs),
        "ideal as served": _median(live.wall_s / waited for live, waited in served),
        "ideal + bare": _median(live / (ideal + bare) for live, _, _, bare in runs),
        "ideal + stored": _median(live / (ideal + stored) for live, _, stored, _ in runs),
        "loop + bare": _median(live / (loop + bare) for live, loop, _, bare in runs),
        "loop + bare, CPU": _median(
            live.cpu_s / (loop.cpu_s + bare.cpu_s) for live, loop, _, bare in sides
        ),
    }


def _cpu_ms(costs: Mapping[str, list[Cost]], in_flight: int, calls: int) -> dict[str, float]:
    """Milliseconds of the processor: ours beyond a stored run, and the loop's."""
    ours = zip(costs[f"live {in_flight}"], costs["stored"], strict=True)
    return {
        "live - stored": _median(1e3 * (live.cpu_s - stored.cpu_s) / calls for live, stored in ours),
        "loop": _median(1e3 * loop.cpu_s / calls for loop in costs[f"loop {in_flight}"]),
    }


def _show(found: Mapping[str, Any]) -> None:
    """Print the table."""
    title = f"medians of {found['repeat']}"
    print(f"{title:<16}{'CPU s':>9}{'wall s':>9}{'server CPU s':>14}", end="")
    print(f"{'first s':>9}{'span s':>9}{'after s':>9}{'span':>9}")
    for side, cost in found["runs"].items():
        print(f"{side:<16}{cost['cpu_s']:>9.2f}{cost['wall_s']:>9.2f}", end="")
        print(f"{found['server_cpu_s'][side]:>14.2f}", end="")
        seen = found["asked"].get(side)
        if seen is None:
            print()
            continue
        print(f"{seen['first_s']:>9.2f}{seen['span_s']:>9.2f}{seen['after_s']:>9.2f}", end="")
        print(f"{seen['span, of ideal']:>8.2f}x of the ideal")
    for flying, beside in found["ratios"].items():
        print(f"live, {flying} in flight: " + ", ".join(f"{much:.2f}x {of}" for of, much in beside.items()))
        spent = ", ".join(f"{ms:.2f} {of}" for of, ms in found["cpu_ms_a_call"][flying].items())
        served = found["delay_ms as served"][f"live {flying}"]
        print(f"  ms of the processor a call: {spent}; a call took the server {served:.1f} ms")
    print(GOALS)


def _median(figures: Iterable[float]) -> float:
    return round(statistics.median(figures), 3)


def _most(began: list[float]) -> int:
    """Return how many calls arrived in the fullest minute."""
    began = sorted(began)
    return max((bisect_left(began, at + 60) - place for place, at in enumerate(began)), default=0)


if __name__ == "__main__":
    main()
