"""Judges, requests, a scripted world, and the stub server of the shared folder."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request

import pytest

from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.records.errors import CampaignStopped
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.settings.models import JudgeSettings


@pytest.fixture
def judge():
    """A judge behind HTTP; keyword arguments change it."""

    def make(**changes):
        table = {
            "name": "qwen",
            "family": "q",
            "api": "openai",
            "model": "m",
            "base_url": "http://127.0.0.1:1/v1",
        }
        return JudgeSettings.model_validate({**table, **changes})

    return make


@pytest.fixture
def request_():
    """A request with a system and a user message."""
    return Request(
        messages=(Message(role="system", content="Judge."), Message(role="user", content="A or B?")),
        model="m",
        endpoint="openai 127.0.0.1",
        decoder={"temperature": 0},
    )


class Slept(list):
    """A world in which time passes only while somebody sleeps, or when it is told to."""

    def __init__(self):
        super().__init__()
        self.now = 1_700_000_000.0

    def sleep(self, seconds):
        self.append(seconds)
        self.now += seconds

    def world(self, *, chance=0.0):
        return World(
            clock=lambda: self.now,
            monotonic=lambda: self.now - 1_000_000_000.0,
            chance=lambda: chance,
            sleep=self.sleep,
        )


@pytest.fixture
def slept():
    """The pauses of an asker, and the world to give it."""
    return Slept()


class Stub:
    """The running stub server."""

    def __init__(self, program, script, folder):
        self.log = folder / "requests.jsonl"
        file = folder / "script.json"
        file.write_text(json.dumps(script), encoding="utf-8")
        command = [sys.executable, str(program), "--script", str(file), "--log", str(self.log)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        address = json.loads(self.process.stdout.readline())
        self.url, self.openai = address["url"], address["openai"]

    def stats(self):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + "/__stats") as answer:
            return json.load(answer)

    def requests(self):
        self.stats()
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def stub(shared, tmp_path):
    """Start the stub server with a script; skipped where the shared folder is absent."""
    started = []

    def start(**script):
        folder = tmp_path / f"stub{len(started)}"
        folder.mkdir()
        started.append(Stub(shared / "tools" / "stub_llm.py", script, folder))
        return started[-1]

    yield start
    for server in started:
        server.stop()


class Recorder:
    """A flight that writes down what it is told, and may refuse to depart after so many tries."""

    def __init__(self, log=None, *, tries=99):
        self.log, self.tries = [] if log is None else log, tries

    def departs(self, attempts):
        if len(attempts) >= self.tries:
            raise CampaignStopped("nothing further is asked", tuple(attempts))
        self.log.append(f"departs after {len(attempts)}")

    def landed(self, attempts, served=None):
        self.log.append(f"landed after {len(attempts)}, served {served}")


@pytest.fixture
def flight():
    """Make a flight that writes down what it is told."""
    return Recorder
