"""A project with secrets, sandboxes made of it, agents' settings, and a scripted model."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from contextlib import ExitStack

import pytest

from pytest_judgeaudit.agent.answering import Agent
from pytest_judgeaudit.agent.commands import CommandKind
from pytest_judgeaudit.agent.functions import PythonKind
from pytest_judgeaudit.agent.sandboxes import blind, sighted
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.tools import ToolUse
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.settings.models import AgentSettings

SECRET = "the-key-is-COMPUTE-DAILY-RATE"
TIMES = {"started": 100.0, "ended": 101.0}


@functools.cache
def why_no_bubblewrap():
    """Why no process can be put into a box here; None where it can."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (bwrap) is not installed"
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"bubblewrap does not work here: {done.stderr.strip()}"


@pytest.fixture
def bubblewrap():
    """The path of bubblewrap; the test is skipped where it does not work."""
    reason = why_no_bubblewrap()
    if reason is not None:
        pytest.skip(reason)
    return shutil.which("bwrap")


class Project:
    """A project whose corpus holds traps, and whose other files hold the secret."""

    def __init__(self, root):
        self.root = root
        self.source = root / "corpora" / "lending" / "src"
        self.questions = root / "corpora" / "lending" / "questions.toml"
        self.snapshots = root / "snapshots"
        self.write("corpora/lending/src/CALC.cbl", "PERFORM COMPUTE-RATE.\n COMPUTE-RATE.\n")
        self.write("corpora/lending/src/sub/STORE.cbl", "OPEN VSAM-MASTER.\n")
        self.write("corpora/lending/questions.toml", f"# {SECRET}\n")
        self.write("snapshots/evals/test_a.py/reader.jsonl", f'{{"text": "{SECRET}"}}\n')
        self.write("judgeaudit.toml", f"# {SECRET}\n")
        self.write(".git/HEAD", f"{SECRET}\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    return Project(root)


@pytest.fixture
def sandboxes(project):
    """Make sandboxes of the project by arm; they are removed at the end."""
    with ExitStack() as stack:

        def make(arm="sighted", **more):
            apart = {
                "hidden": [project.questions, project.snapshots],
                "keep_out": [project.root],
                **more,
            }
            if arm == "blind":
                return stack.enter_context(blind(sources=[project.source], **apart))
            return stack.enter_context(sighted(project.source, corpus="lending", arm=arm, **apart))

        yield make


@pytest.fixture
def settings():
    """An agent's settings; keyword arguments change them."""

    def make(kind="tools", **changes):
        table = {
            "tools": {
                "api": "openai",
                "model": "m",
                "base_url": "http://127.0.0.1:1/v1",
                "tools": ["list", "read", "grep"],
            },
            "command": {"command": [sys.executable, "-c", "print('hello')", "{prompt}"]},
            "python": {"callable": "readers:answer"},
        }[kind]
        return AgentSettings.model_validate({"name": "reader", "kind": kind, **table, **changes})

    return make


@pytest.fixture
def command_agent(settings):
    """An agent that runs a program of ours; ``bubblewrap`` replaces the one that is found."""

    def make(*command, bubblewrap=None, world=None, environ=None, **changes):
        table = settings("command", command=list(command), **changes)
        environ = dict(os.environ) if environ is None else environ
        return Agent(
            table, CommandKind(table, environ=environ, bubblewrap=bubblewrap, world=world), world=world
        )

    return make


@pytest.fixture
def python_agent(settings, project, monkeypatch):
    """An agent that is a function of a module in the project; the body is what stands below its ``def``."""
    monkeypatch.setattr(sys, "path", [*sys.path])

    def make(body, *, world=None, head="", **changes):
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        number = sum(1 for _ in project.root.glob("readers_*.py"))
        name = f"readers_{number}_{abs(hash(str(project.root)))}"
        project.write(f"{name}.py", f"{head}\n\ndef answer(prompt, sandbox):\n{lines}\n")
        table = settings("python", **{"callable": f"{name}:answer", **changes})
        return Agent(table, PythonKind(table, root=project.root, world=world), world=world)

    return make


class Scripted:
    """A model that says what a script prescribes: one step a request, or what a function makes of it."""

    def __init__(self, *steps, served="m"):
        self.steps = list(steps)
        self.served = served
        self.requests = []
        self.stopped = self.closed = False

    def ask(self, request):
        step = self.steps[min(len(self.requests), len(self.steps) - 1)]
        self.requests.append(request)
        step = step(request) if callable(step) else step
        if isinstance(step, Exception):
            raise step
        if isinstance(step, Reply):
            return step
        uses = () if isinstance(step, str) else tuple(step)
        return Reply(
            text=step if isinstance(step, str) else "",
            served=self.served,
            finish="tool_calls" if uses else "stop",
            usage=Usage(prompt=10, completion=2),
            attempts=(Attempt(outcome="answered", status=200, **TIMES),),
            tool_uses=uses,
        )

    def stop(self):
        self.stopped = True

    def close(self):
        self.closed = True


@pytest.fixture
def scripted():
    return Scripted


def use(name, /, **arguments):
    """A call of a tool."""
    return ToolUse(id=f"call-{name}", name=name, arguments=arguments, raw=json.dumps(arguments))


@pytest.fixture(name="use")
def use_fixture():
    return use


@pytest.fixture
def stub_server(shared, tmp_path):
    """Start the stub server of the shared folder with a script; skipped where that folder is absent."""
    started = []

    class Server:
        def __init__(self, script):
            folder = tmp_path / f"stub{len(started)}"
            folder.mkdir()
            self.log, file = folder / "requests.jsonl", folder / "script.json"
            file.write_text(json.dumps(script), encoding="utf-8")
            program = shared / "tools" / "stub_llm.py"
            command = [sys.executable, str(program), "--script", str(file), "--log", str(self.log)]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            address = json.loads(self.process.stdout.readline())
            self.url, self.openai = address["url"], address["openai"]

        def requests(self):
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(self.url + "/__stats"):
                return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def start(**script):
        started.append(Server(script))
        return started[-1]

    yield start
    for server in started:
        server.process.terminate()
        server.process.wait()
        server.process.stdout.close()
