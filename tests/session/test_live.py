"""What only a live run has: it keeps out a second one, which would pay for the same calls."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from pytest_judgeaudit.session.live import Loading
from pytest_judgeaudit.store.occupied import occupy
from tests.session.conftest import CLONES

OWN = """
import time

def ask(messages):
    time.sleep(0.02)
    return {"text": '{"winner": "tie"}', "usage": {"prompt": 90, "completion": 10}}
"""


WAITING = """
import os
import time

def ask(messages):
    while not os.path.exists("go.txt"):
        time.sleep(0.02)
    return {"text": '{"winner": "tie"}'}
"""


def own_judge(project, **keys):
    project.pairs(4)
    project.write("mine.py", OWN)
    project.evals(CLONES.replace("0.05", "0.9"))
    project.judges(mine={"api": "python", "callable": "mine:ask", **keys})
    return project


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["alone", "workers"])
def test_a_second_live_run_is_refused_in_one_line_and_asks_nothing(project, options):
    own_judge(project)
    end = occupy(project.root / "snapshots", ["mine"])
    second = project.audit("--judge-live", *options)
    (refused,) = second.errors
    assert second.code == 4
    assert refused == (
        'snapshots: another live run is asking "mine" into this folder: the same calls would cost twice. '
        "Wait for it to end, or leave out --judge-live."
    )
    end()
    third = project.audit("--judge-live", *options)
    assert (third.code, third.report["answers"]["asked"]) == (0, 4)


def test_a_live_run_keeps_out_others_until_it_has_ended(project):
    own_judge(project)
    project.write("mine.py", WAITING)
    command = project.command("--judge-audit", "--judge-live")
    with subprocess.Popen(command, cwd=project.root, stdout=subprocess.DEVNULL) as first:
        until = time.monotonic() + 60
        while not list((project.root / "snapshots/.journal").glob("*.jsonl")):
            assert time.monotonic() < until
            time.sleep(0.02)
        second = project.audit("--judge-live")
        replay = project.audit()
        assert first.poll() is None
        project.write("go.txt", "")
    assert (second.code, first.returncode) == (4, 0)
    assert (replay.code, replay.report["answers"]["missing"] > 0) == (1, True)
    again = project.audit("--judge-live")
    assert (again.code, again.report["answers"]["hit"]) == (0, 4)


def test_replays_shards_and_plans_are_not_kept_out(project):
    own_judge(project)
    assert project.audit("--judge-live").code == 0
    end = occupy(project.root / "snapshots", ["mine"], shard="1/2")
    assert project.audit().code == 0
    assert project.run("--judge-audit", "--judge-live", "--judge-plan").code == 0
    assert project.run("--judge-audit", "--judge-live", "--collect-only").code == 0
    assert project.audit("--judge-live", "--judge-shard=2/2").code == 0
    assert project.audit("--judge-live", "--judge-shard=1/2").code == 4
    end()


def test_nothing_is_asked_where_every_worker_would_ask_for_everything(project):
    own_judge(project)
    ran = project.audit("--judge-live", "-n2", "--dist=each")
    assert ran.code == 4
    (refused,) = ran.errors
    assert refused == (
        "--dist=each: every worker would ask for every answer, and each would be paid for. Use --dist=load."
    )
    assert not (project.root / "snapshots").exists()


AHEAD = """    import threading
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("asked ahead")
"""


@pytest.mark.parametrize(("dist", "ahead"), [("load", True), ("worksteal", False)])
def test_a_worker_asks_nothing_ahead_that_another_could_steal(project, dist, ahead):
    own_judge(project, limits={"in_flight": 4})
    project.evals(CLONES.replace("0.05", "0.9"), body=AHEAD)
    ran = project.audit("--judge-live", "-n2", f"--dist={dist}")
    assert ("asked ahead" in ran.out) == ahead
    assert ran.code == ahead


# As pytest-repeat does with --count=2.
REPEATS = """
import pytest

@pytest.fixture
def __pytest_repeat_step_number(request):
    return request.param

@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc):
    metafunc.fixturenames.append("__pytest_repeat_step_number")
    metafunc.parametrize("__pytest_repeat_step_number", range(2), indirect=True)
"""


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["alone", "workers"])
def test_nothing_is_asked_twice_that_a_plugin_repeats(project, options):
    own_judge(project)
    project.write("conftest.py", REPEATS)
    ran = project.audit("--judge-live", *options)
    assert ran.code == 4
    (refused,) = ran.errors
    assert refused == (
        "evals/test_e.py::test_copies_tie: 4 trials would be run more than once, asked for each time, and "
        "the gates held. Leave out what repeats items, such as --count of pytest-repeat."
    )
    assert not list((project.root / "snapshots").rglob("*.jsonl"))


LOADED = """
import sys

def pytest_runtest_logstart(nodeid):
    print(f"\\nanalysis: {'pytest_judgeaudit.audit.auditing' in sys.modules}")

def pytest_runtestloop(session):
    names = [type(plugin).__name__ for plugin in session.config.pluginmanager.get_plugins()]
    print(f"\\nlistens: {'Loading' in names}")

def pytest_sessionfinish(session):
    pytest_runtestloop(session)
"""


def test_a_live_run_loads_the_analysis_after_its_first_item_and_a_replay_at_its_end(project):
    own_judge(project)
    project.write("conftest.py", LOADED)
    for options, later, listens in (("--judge-live",), True, True), ((), False, False):
        ran = project.audit("-s", *options)
        told = [line for line in ran.out.splitlines() if line.startswith(("analysis", "listens"))]
        items = [False, later, later, later]
        assert told[0] == f"listens: {listens}"
        assert told[1:5] == [f"analysis: {loaded}" for loaded in items]
        assert told[-1] == "listens: False"


# A Ctrl-C that comes while numpy is loaded, which no process can load again once it has begun to.
INTERRUPTS = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy.linalg" and self in sys.meta_path:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

def pytest_sessionstart():
    sys.meta_path.insert(0, Interrupts())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process there")
def test_a_run_that_is_interrupted_while_the_analysis_is_loaded_writes_its_report(project):
    own_judge(project)
    project.write("conftest.py", INTERRUPTS)
    ran = project.audit("--judge-live")
    assert (ran.code, ran.gate()["state"]) == (pytest.ExitCode.INTERRUPTED, "PARTIAL")
    assert ran.report["answers"]["asked"] == 1


def test_an_analysis_that_cannot_be_loaded_is_told_when_all_answers_are_kept(monkeypatch, pytestconfig):
    def fail(name):
        raise RuntimeError(name)

    monkeypatch.setattr("pytest_judgeaudit.session.live.import_module", fail)
    loading = Loading(pytestconfig)
    pytestconfig.pluginmanager.register(loading)
    loading.pytest_runtest_logfinish()
    assert not pytestconfig.pluginmanager.is_registered(loading)
