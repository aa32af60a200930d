"""The process of a local model's server: it starts, is refused in one line, and ends with its owner."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_judgeaudit.ask.local import PROGRAM, LocalServer
from pytest_judgeaudit.ask.weights import Weights
from pytest_judgeaudit.records.errors import Refused

ROOT = Path(__file__).parents[2]
FAKES = ROOT / "tests" / "fakes"
UP = 'print(\'{"url": "http://127.0.0.1:9"}\', flush=True)\n'
REST = "import sys; sys.stdin.read()"

# Starts a server, says the process id of it, and waits to be killed.
OWNER = """
import pathlib, sys, time
from pytest_judgeaudit.ask.local import LocalServer
from pytest_judgeaudit.ask.weights import Weights
server = LocalServer(Weights(requested="tiny", file=pathlib.Path(sys.argv[1])))
server.start()
print(server._process.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def weights(tmp_path):
    file = tmp_path / "tiny.gguf"
    file.write_bytes(b"GGUF")
    return Weights(requested="tiny", file=file)


def server(weights, program):
    return LocalServer(weights, command=(sys.executable, "-c", program))


def test_a_server_says_where_it_is_and_ends_when_it_is_stopped(weights):
    one = server(weights, UP + REST)
    assert one.start() == "http://127.0.0.1:9"
    process = one._process
    one.stop()
    assert process.returncode == 0
    one.stop()


def test_a_server_is_given_the_file_the_name_to_declare_and_the_size_of_its_context(weights):
    show = "import json, sys; print(json.dumps({'url': ' '.join(sys.argv[1:])}), flush=True)\n"
    one = server(weights, show + REST)
    file, name, context = one.start().rsplit(" ", 2)
    one.stop()
    assert (file, context) == (str(weights.file), "8192")
    assert name.startswith("tiny@sha256:")


def test_a_server_that_does_not_listen_to_its_input_is_ended_by_force(weights, monkeypatch):
    monkeypatch.setattr("pytest_judgeaudit.ask.local._END_S", 0.2)
    one = server(weights, UP + "import time; time.sleep(600)")
    one.start()
    process = one._process
    one.stop()
    assert process.returncode not in {0, None}


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ('print(\'{"error": "out of\\\\tmemory"}\')', r"out of\\tmemory. Check the weights' file."),
        ("", r"the server ended, or was not up within 300 s."),
        ("print('hello')", r"the server ended, or was not up within 300 s."),
        ("print('[1]')", r"the server ended, or was not up within 300 s."),
    ],
    ids=["an error", "nothing", "no JSON", "no object"],
)
def test_a_server_that_does_not_come_up_is_refused_in_one_line(weights, program, reason):
    with pytest.raises(Refused, match=rf"^tiny\.gguf could not be served: {reason}$"):
        server(weights, program).start()


def test_a_server_that_takes_too_long_is_ended(weights):
    one, begun = server(weights, "import time; time.sleep(600)"), time.monotonic()
    with pytest.raises(Refused, match=r"was not up within 0\.3 s"):
        one.start(within_s=0.3)
    assert time.monotonic() - begun < 30
    assert one._process is None


def test_the_program_that_serves_needs_nothing_of_ours():
    assert "pytest_judgeaudit" not in Path(PROGRAM[-1]).read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_the_program_ends_when_its_owner_is_killed(weights, tmp_path):
    path = os.pathsep.join([str(FAKES), str(ROOT)])
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(weights.file)],
        env={**os.environ, "PYTHONPATH": path, "FAKE_LLAMA": str(tmp_path / "log")},
        stdout=subprocess.PIPE,
    )
    with owner:
        pid = int(owner.stdout.readline())
        os.kill(pid, 0)
        owner.kill()
    for _ in range(200):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "zombie" in status.read_text():
            return
        time.sleep(0.05)
    pytest.fail("the server outlived its owner")
