"""
How fast are 1,000 live calls of 50 ms with 16 in flight, and do the limits hold across workers?

A server in this process answers every call after the delay, and notes when calls begin and how many there
are at once. For each number of workers the same evals run twice: live into an empty folder, then live again
with everything stored. The second run is the start-up: it collects, looks every answer up, judges and
reports, and asks nothing. The ideal is calls x delay / in flight. The ratio is that of

    the live run's time / (the ideal + the time of the run with everything stored)

and ``asking`` is (live - stored) / ideal, in which the start-up dilutes nothing; ``cpu_s`` is what the live
run takes of the processor beyond the stored one. Each is the median of ``--repeat`` pairs. A last run with
``-n 4`` and a limit a minute shows that both limits hold over all workers: no 60 seconds in which more than
``per_minute`` calls arrive. It takes a minute and more.

    python benchmarks/live.py
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import children
from projects import COPIES, served_judge

MESSAGE = {"role": "assistant", "content": '{"winner": "tie"}'}
REPLY = json.dumps(
    {
        "model": "mine",
        "choices": [{"message": MESSAGE, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 6},
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(REPLY)


class Server:
    """Answers every request after ``delay_s``, in a thread of its own."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s, self.port = delay_s, 0
        self.began: list[float] = []
        self.flying = self.peak = 0

    def forget(self) -> None:
        """Count anew."""
        self.began, self.peak = [], 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = head.partition(b"content-length:")[2].split(b"\r\n")[0]
                await reader.readexactly(int(size))
                self.began.append(time.monotonic())
                self.flying += 1
                self.peak = max(self.peak, self.flying)
                await asyncio.sleep(self.delay_s)
                self.flying -= 1
                writer.write(HEAD + REPLY)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


@contextmanager
def serving(delay_s: float) -> Iterator[Server]:
    """Serve on a free port of this machine."""
    server, loop, ready = Server(delay_s), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        listener = await asyncio.start_server(server.answer, "127.0.0.1", 0, backlog=256)
        server.port = listener.sockets[0].getsockname()[1]
        ready.set()

    def work() -> None:
        loop.run_until_complete(serve())
        loop.run_forever()

    threading.Thread(target=work, daemon=True).start()
    ready.wait()
    yield server
    loop.call_soon_threadsafe(loop.stop)


def main() -> None:
    """Measure and print one line of JSON."""
    options = _options()
    ideal = options.calls * options.delay / options.in_flight
    found: dict[str, object] = {"calls": options.calls, "ideal_s": ideal}
    with tempfile.TemporaryDirectory() as name, serving(options.delay) as server:
        project = _write(Path(name), server.port, calls=options.calls, in_flight=options.in_flight)
        for workers in (0, 2):
            found[f"n{workers}"] = _throughput(project, server, ideal, workers, repeat=options.repeat)
        _configure(project, server.port, in_flight=options.in_flight, per_minute=options.per_minute)
        found["n4, limited"] = _limits(project, server, options.per_minute)
    print(json.dumps(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that a call takes")
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--per-minute", type=int, default=900, help="of the run with -n 4")
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def _write(project: Path, port: int, *, calls: int, in_flight: int) -> Path:
    rows = (
        {"id": f"t{n:05}", "prompt": f"Task {n}: why?", "chosen": f"because {n}", "rejected": "no"}
        for n in range(calls)
    )
    (project / "evals").mkdir()
    (project / "evals/test_live.py").write_text(COPIES)
    (project / "pytest.ini").write_text("[pytest]\n")
    (project / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    _configure(project, port, in_flight=in_flight)
    return project


def _configure(project: Path, port: int, *, in_flight: int, per_minute: int | None = None) -> None:
    rate = "" if per_minute is None else f", per_minute = {per_minute}"
    text = served_judge(port, f"in_flight = {in_flight}, attempts = 1{rate}")
    (project / "judgeaudit.toml").write_text(text)


def _run(project: Path, workers: int) -> children.Cost:
    spread = [f"-n{workers}"] if workers else []
    return children.pytest("--judge-audit", "--judge-live", *spread, folder=project)


def _throughput(
    project: Path, server: Server, ideal: float, workers: int, *, repeat: int
) -> dict[str, object]:
    live, stored, peak = [], [], 0
    for _ in range(repeat):
        shutil.rmtree(project / "snapshots", ignore_errors=True)
        server.forget()
        live.append(_run(project, workers))
        peak = max(peak, server.peak)
        asked = len(server.began)
        stored.append(_run(project, workers))
        assert len(server.began) == asked, "the second run asked"
    pairs = list(zip(live, stored, strict=True))
    return {
        "ratio": _median(one.wall_s / (ideal + other.wall_s) for one, other in pairs),
        "asking": _median((one.wall_s - other.wall_s) / ideal for one, other in pairs),
        "cpu_s": _median(one.cpu_s - other.cpu_s for one, other in pairs),
        "live_s": _median(one.wall_s for one in live),
        "stored_s": _median(one.wall_s for one in stored),
        "peak": peak,
    }


def _median(figures: Iterable[float]) -> float:
    return round(statistics.median(figures), 3)


def _limits(project: Path, server: Server, per_minute: int) -> dict[str, object]:
    shutil.rmtree(project / "snapshots", ignore_errors=True)
    server.forget()
    wall = _run(project, 4).wall_s
    return {
        "peak": server.peak,
        "calls": len(server.began),
        "most in a minute, of the limit": round(_most(server.began) / per_minute, 3),
        "seconds": round(wall, 2),
    }


def _most(began: list[float]) -> int:
    """Return how many calls arrived in the fullest minute."""
    began = sorted(began)
    return max((bisect_left(began, at + 60) - place for place, at in enumerate(began)), default=0)


if __name__ == "__main__":
    main()
