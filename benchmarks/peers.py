"""
The same samples by us and by other tools: stored answers graded, and the same judge asked live.

A server in this process answers every call after the delay. Every tool runs in a virtual environment of its
own, which this script makes, with the newest release of the package index; it is told to send nothing
anywhere. What each runs is in ``peer_tools/``, written as its documentation says, with its fastest
settings. Every run must find all samples right; a live one must have asked once for each, and never for
more at once than allowed.

* ``stored``: all answers are there. Beside bare parametrised items without the plug-in; ratios of time of
  the processor, since neither waits.
* ``live``: nothing is there. Beside the ideal, calls x delay / in flight; ratios of time.

Both include starting Python and loading the tool. All alternate; figures are medians. The environments take
about 700 MB and minutes to install: keep them with ``--environments FOLDER``.

    python benchmarks/peers.py
    python benchmarks/peers.py --only ours
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import children
from children import Cost
from live import Legs
from server import REPLY, Server, serving

TOOLS = Path(__file__).parent / "peer_tools"
OURS = "ours"


@dataclass(frozen=True, kw_only=True)
class Peer:
    """
    Another tool: its package, what else it needs, and variables that keep it off the network.

    ``records``: it grades a log of its own, which is made first. ``spread``: it runs in pytest, live over
    as many workers as calls may be in flight.
    """

    package: str
    script: str
    beside: Sequence[str] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    records: bool = False
    spread: bool = False


PEERS = {
    peer.package: peer
    for peer in (
        Peer(
            package="inspect_ai",
            script="with_inspect_ai.py",
            beside=("openai",),
            environ={"MINE_API_KEY": "none", "HF_HUB_OFFLINE": "1"},
            records=True,
        ),
        Peer(
            package="deepeval",
            script="with_deepeval.py",
            beside=("httpx",),
            environ={
                "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
                "DEEPEVAL_DISABLE_DOTENV": "1",
                "DEEPEVAL_NO_INSPECT_PROMPT": "1",
            },
        ),
        Peer(
            package="pytest-evals",
            script="with_pytest_evals.py",
            beside=("httpx", "pytest-xdist"),
            spread=True,
        ),
        Peer(package="pydantic-evals", script="with_pydantic_evals.py", beside=("httpx",)),
    )
}


def main() -> None:
    """Measure, print both tables and one line of JSON."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="judgeaudit-peers-") as name, serving(options.delay) as server:
        folder = Path(name)
        work = Work(folder, server, samples=options.samples, in_flight=options.in_flight)
        versions = {OURS: version("pytest-judgeaudit"), "pytest": version("pytest")}
        for tool in options.only:
            if tool != OURS:
                python = environment(options.environments or folder / "environments", PEERS[tool])
                versions[tool] = installed(python, tool)
                work.add(PEERS[tool], python)
        if OURS in options.only:
            work.add_ours()
        costs = children.side_by_side(work.sides, repeat=options.repeat)
        ideal = options.samples * options.delay / options.in_flight
    found = figures(costs, options.only, ideal=ideal)
    show(found, versions, repeat=options.repeat)
    about = {"samples": options.samples, "in_flight": options.in_flight, "ideal_s": ideal}
    print(json.dumps({**about, "repeat": options.repeat, "versions": versions, **found}))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tools = (OURS, *PEERS)
    parser.add_argument("--samples", type=int, default=3000)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that a call takes")
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=tools, default=list(tools), metavar="TOOL")
    parser.add_argument("--environments", type=Path, help="keep environments here, and use those there are")
    return parser.parse_args()


def environment(folder: Path, peer: Peer) -> Path:
    """Return the Python of a peer's environment, made where there is none."""
    python = (folder / peer.package / "bin" / "python").absolute()
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        packages = (peer.package, *peer.beside)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
    return python


def installed(python: Path, package: str) -> str:
    """Return the version of a package in an environment."""
    asked = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True)
    return done.stdout.strip()


class Work:
    """
    All runs of all tools, in folders below one.

    ``sides`` are the runs by name: ``stored TOOL`` and ``live TOOL``, and ``stored bare``.
    """

    def __init__(self, folder: Path, server: Server, *, samples: int, in_flight: int) -> None:
        self._folder, self._server = folder, server
        self._samples, self._in_flight = samples, in_flight
        self._url = f"http://127.0.0.1:{server.port}/v1"
        self._ours = Legs(folder, server, calls=samples, workers=0)
        self._project = self._ours.project(in_flight)
        self._prompt = self._asked()
        self.sides: dict[str, Callable[[], Cost]] = {"stored bare": self._ours.bare}

    def _asked(self) -> str:
        """Record our project, and return what its judge was sent: the others send as much."""
        self._ours.live(self._project)
        messages = json.loads(self._server.last)["messages"]
        return "\n\n".join(message["content"] for message in messages)

    def add_ours(self) -> None:
        """Grade what is stored, which takes no option; ask again for everything."""
        self.sides["stored ours"] = lambda: children.pytest("--judge-audit", folder=self._project)
        self.sides["live ours"] = self._counted(lambda: self._ours.live(self._project))

    def add(self, peer: Peer, python: Path) -> None:
        """Write what a tool needs to a folder of its own."""
        folder = self._folder / peer.package
        folder.mkdir(exist_ok=True)
        for file in (TOOLS / "samples.py", TOOLS / peer.script):
            shutil.copy(file, folder)
        reply = json.loads(REPLY)["choices"][0]["message"]["content"]
        rows = (
            {"id": f"t{n:05}", "prompt": f"{self._prompt}\n{n}", "reply": reply}
            for n in range(self._samples)
        )
        (folder / "samples.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        run = self._spread(peer, python, folder) if peer.spread else self._script(peer, python, folder)
        if peer.records:
            run("record")
        self.sides[f"stored {peer.package}"] = lambda: run("stored")
        self.sides[f"live {peer.package}"] = self._counted(lambda: run("live"))

    def _script(self, peer: Peer, python: Path, folder: Path) -> Callable[[str], Cost]:
        def run(mode: str) -> Cost:
            shutil.rmtree(folder / "logs", ignore_errors=True)
            return children.measured(
                str(python),
                peer.script,
                mode,
                self._url,
                str(self._in_flight),
                folder=folder,
                environ=peer.environ,
            )

        return run

    def _spread(self, peer: Peer, python: Path, folder: Path) -> Callable[[str], Cost]:
        """Evaluate, then analyse: over several workers these are two runs, otherwise one will do."""
        (folder / "pytest.ini").write_text("[pytest]\n")

        def pytest(*options: str, environ: Mapping[str, str]) -> Cost:
            command = (str(python), "-m", "pytest", *children.OPTIONS, *options, peer.script)
            return children.measured(*command, folder=folder, environ={**peer.environ, **environ})

        def run(mode: str) -> Cost:
            if mode == "stored":
                return pytest("--run-eval", "--run-eval-analysis", environ={})
            asked = pytest("--run-eval", f"-n{self._in_flight}", environ={"JUDGE_URL": self._url})
            analysed = pytest("--run-eval-analysis", environ={})
            return Cost(
                cpu_s=asked.cpu_s + analysed.cpu_s,
                wall_s=asked.wall_s + analysed.wall_s,
                peak_mib=max(asked.peak_mib, analysed.peak_mib),
            )

        return run

    def _counted(self, run: Callable[[], Cost]) -> Callable[[], Cost]:
        """Make sure that a run asked once for each sample, and never for too many at once."""

        def counted() -> Cost:
            self._server.forget()
            cost = run()
            asked, peak = len(self._server.began), self._server.peak
            assert asked == self._samples, f"{asked} calls"
            assert peak <= self._in_flight, f"{peak} calls at once"
            return cost

        return counted


def figures(costs: Mapping[str, list[Cost]], tools: Iterable[str], *, ideal: float) -> dict[str, Any]:
    """Medians of every run, and the ratios to bare items and to the ideal."""
    bare = costs["stored bare"]
    return {
        "runs": {side: asdict(children.median(cost)) for side, cost in costs.items()},
        "stored": {tool: round(children.ratio(costs[f"stored {tool}"], bare), 2) for tool in tools},
        "live": {
            tool: round(statistics.median(cost.wall_s for cost in costs[f"live {tool}"]) / ideal, 2)
            for tool in tools
        },
    }


def show(found: Mapping[str, Any], versions: Mapping[str, str], *, repeat: int) -> None:
    """Print the table."""
    print(", ".join(f"{tool} {number}" for tool, number in versions.items()))
    print(f"{'medians of ' + str(repeat):<24}{'CPU s':>9}{'wall s':>9}{'peak MiB':>10}")
    for side, cost in found["runs"].items():
        print(f"{side:<24}{cost['cpu_s']:>9.2f}{cost['wall_s']:>9.2f}{cost['peak_mib']:>10.0f}", end="")
        mode, tool = side.split()
        if tool in found[mode]:
            print(f"{found[mode][tool]:>8.2f}x of {'bare items, CPU' if mode == 'stored' else 'the ideal'}")
        else:
            print()


if __name__ == "__main__":
    main()
