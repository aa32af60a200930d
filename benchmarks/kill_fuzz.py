"""
Kill live runs at random moments, many times: is an answer ever lost, or asked for twice?

Each round starts `pytest --judge-audit --judge-live` (alone and with `-n 2` in turn), waits for a random
time and kills the whole process group, one worker or the controller with SIGKILL. Then it looks at what the
snapshots and journals hold. An answer is *lost* if it was held after one round and not after a later one,
and *asked twice* if the server was asked for it again after it was held. A last run, not killed, must ask
exactly for the rest.

    python benchmarks/kill_fuzz.py --kills 200
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from projects import COPIES, served_judge

from pytest_judgeaudit.store.recovery import read_journals
from pytest_judgeaudit.store.snapshots import Snapshots

MODULE = "evals/test_copies.py"


class Server(ThreadingHTTPServer):
    """Ties on everything after a short while, and notes every task that it is asked about."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, delay_s: float) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.delay_s = delay_s
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients are killed here: say nothing."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        """Answer one call."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        task = re.search(r"Task (t\d+):", body)
        with self.server.lock:
            self.server.asked[task[1] if task else "?"] += 1
        time.sleep(self.server.delay_s)
        message = {"role": "assistant", "content": json.dumps({"winner": "tie"})}
        reply = json.dumps({"model": "mine", "choices": [{"message": message, "finish_reason": "stop"}]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> int:
    """Fuzz, print what was found, and fail if anything was lost or asked twice."""
    options = _options()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder, Server(options.delay) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        project = _project(Path(folder), server.server_address[1], options.tasks)
        found = Counter({"lost": 0, "asked twice": 0, "kills": 0, "killed while asking": 0})
        held: set[str] = set()
        while found["kills"] < options.kills:
            before = Counter(server.asked)
            _killed_run(project, chance, server, workers=found["kills"] % 2)
            time.sleep(2 * options.delay)
            found["kills"] += 1
            found["killed while asking"] += server.asked != before
            found["asked twice"] += sum(server.asked[task] > before[task] for task in held)
            now = _held(project)
            found["lost"] += len(held - now)
            held = now
            if len(held) == options.tasks:
                _start_over(project)
                held = set()
        before = Counter(server.asked)
        code = subprocess.run(
            _command(0), cwd=project, env=_environment(), check=False, capture_output=True
        ).returncode
        found["asked twice"] += sum(server.asked[task] > before[task] for task in held)
        found["missing at the end"] = options.tasks - len(_held(project))
        server.shutdown()
    print(json.dumps({**found, "exit of the last run": code, "calls in all": sum(server.asked.values())}))
    return int(bool(found["lost"] or found["asked twice"] or found["missing at the end"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--tasks", type=int, default=120)
    parser.add_argument("--delay", type=float, default=0.02, help="seconds that a call takes")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _project(root: Path, port: int, tasks: int) -> Path:
    rows = [
        {"id": f"t{i:03d}", "prompt": f"Task t{i:03d}: why?", "chosen": f"because {i}", "rejected": "no"}
        for i in range(tasks)
    ]
    (root / "evals").mkdir()
    (root / MODULE).write_text(COPIES)
    (root / "pytest.ini").write_text("[pytest]\n")
    (root / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / "judgeaudit.toml").write_text(served_judge(port, "in_flight = 4, attempts = 1, timeout = 20"))
    return root


def _command(workers: int) -> list[str]:
    spread = ["-n", "2"] if workers else []
    return [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--judge-audit",
        "--judge-live",
        *spread,
    ]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**kept, "NO_PROXY": "127.0.0.1"}


def _killed_run(project: Path, chance: random.Random, server: Server, *, workers: int) -> None:
    """Start a run, let it ask for a while, and kill it or one of its processes."""
    started = sum(server.asked.values())
    process = subprocess.Popen(
        _command(workers),
        cwd=project,
        env=_environment(),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # One kill in five comes while the run starts; the others once it asks.
    patience = time.monotonic() + (chance.uniform(0, 2) if chance.random() < 0.2 else 60)
    while sum(server.asked.values()) == started and time.monotonic() < patience and process.poll() is None:
        time.sleep(0.005)
    time.sleep(chance.uniform(0, 0.6))
    if workers and chance.random() < 0.3:
        _kill_a_worker(process.pid, chance)
        time.sleep(chance.uniform(0, 0.5))
    elif workers and chance.random() < 0.3:
        process.kill()
        time.sleep(chance.uniform(0, 0.5))
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _kill_a_worker(controller: int, chance: random.Random) -> None:
    children = Path(f"/proc/{controller}/task/{controller}/children")
    workers = children.read_text().split() if children.exists() else []
    if workers:
        os.kill(int(chance.choice(workers)), signal.SIGKILL)


def _held(project: Path) -> set[str]:
    """Return the tasks of which an answer is on disk."""
    folder = project / "snapshots"
    snapshots = Snapshots(folder, journaled=read_journals(folder).answers)
    return {name.split("-")[3] for name in snapshots.names(MODULE, "mine")}


def _start_over(project: Path) -> None:
    shutil.rmtree(project / "snapshots")


if __name__ == "__main__":
    sys.exit(main())
