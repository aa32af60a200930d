"""A tiny OpenAI-compatible server in this process, and what the pages tell a newcomer to write and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

CANDIDATES = re.compile(
    r"^<candidate_A_(?P<fence>\w+)>\n(?P<a>.*?)\n</candidate_A_(?P=fence)>\s+"
    r"^<candidate_B_(?P=fence)>\n(?P<b>.*?)\n</candidate_B_(?P=fence)>$",
    re.DOTALL | re.MULTILINE,
)

PROGRAMS = {"pytest": ("-m", "pytest"), "python": ()}
"""What a page's commands may begin with, and what this environment's Python is given instead."""

Decide = Callable[[str, str, str], str]
"""From the system message and the texts of candidates A and B to ``A``, ``B`` or ``tie``."""


class Judge(ThreadingHTTPServer):
    """Answers ``POST …/chat/completions`` with the verdict of ``decide``, and counts the calls."""

    path = "/chat/completions"
    daemon_threads = True
    # A client may keep its connection: closing the server must not wait for it.
    block_on_close = False

    def __init__(self, decide: Decide) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.decide = decide
        self.calls = 0

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def reply(self, body: Mapping) -> Mapping:
        self.calls += 1
        system, user = (message["content"] for message in body["messages"])
        shown = CANDIDATES.search(user)
        verdict = json.dumps({"winner": self.decide(system, shown["a"], shown["b"])})
        message = {"role": "assistant", "content": verdict}
        return {
            "object": "chat.completion",
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(system + user) // 4, "completion_tokens": len(verdict) // 4},
        }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Judge

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = json.dumps(self.server.reply(asked)).encode("ascii")
        self.send_response(200 if self.path.endswith(self.server.path) else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(decide: Decide, kind: type[Judge] = Judge) -> Iterator[Judge]:
    """Serve a judge on a free port."""
    with kind(decide) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def longer(_: str, a: str, b: str) -> str:
    """Prefer the longer candidate; a tie when they have equally many characters."""
    return "tie" if len(a) == len(b) else "A" if len(a) > len(b) else "B"


def run(command: str, project: Path) -> subprocess.CompletedProcess[str]:
    """Run a line such as ``pytest --judge-audit`` or ``python look.py`` with this environment's Python."""
    program, *arguments = command.split()
    return subprocess.run(
        [sys.executable, *PROGRAMS[program], *arguments],
        cwd=project,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def environment() -> dict[str, str]:
    """Return the environment without what belongs to a surrounding run, 80 columns wide and direct."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "GITHUB_"))
        and name not in {"CI", "BUILD_NUMBER"}  # with which pytest shortens no line
    }
    return {**ours, "COLUMNS": "80", "NO_PROXY": "127.0.0.1", "PYTHONIOENCODING": "utf-8"}


class Block(NamedTuple):
    """A fenced block below a comment ``<!-- MARK -->`` or ``<!-- MARK: ARGUMENT -->``."""

    mark: str
    argument: str
    text: str


def blocks(page: str) -> Sequence[Block]:
    """Return the marked blocks of a page in order."""
    found = re.finditer(r"^<!-- (\w+)(?:: (.*?))? -->\n```\w*\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return [Block(match[1], match[2] or "", match[3]) for match in found]
