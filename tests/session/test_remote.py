"""Workers elsewhere, in another folder or behind a socket: what they record comes home."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import execnet
import pytest

from pytest_judgeaudit.session.shipping import _parts
from pytest_judgeaudit.store.recovery import read_journals
from tests.serving import serving

EVALS = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate(upper=0.9)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs("corpora/rows.jsonl")
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
TASKS, CALLS = 12, 36


def decide(_, a, b):
    return "tie" if a == b else "A" if a.startswith("good") else "B"


@pytest.fixture(scope="module")
def server():
    with serving(decide) as judge:
        yield judge


def written(project, server, *, in_flight=4):
    project.pairs(TASKS)
    project.write("evals/test_e.py", EVALS)
    project.judges(
        mine={
            "api": "openai",
            "model": "mine",
            "base_url": f"http://{server.host}/v1",
            "limits": {"in_flight": in_flight, "attempts": 1},
        }
    )
    return project


def answers(project):
    """The stored answers by name, without the times and loads of their attempts, and their files."""
    found = {}
    for path in sorted((project.root / "snapshots/evals").rglob("*.jsonl")):
        assert ".superseded" not in path.name
        for line in path.read_text("ascii").splitlines()[1:]:
            answer = json.loads(line)
            for attempt in answer["attempts"]:
                assert 0 < attempt.pop("started") <= attempt.pop("ended")
                attempt.pop("load", None)  # the machine's at that time
            assert answer["name"] not in found
            found[answer["name"]] = answer
    return found


def away(project, *specs):
    """Options of a run by workers elsewhere; whatever names a path is absolute, and joined by ``=``."""
    chosen = [word for spec in specs for word in ("--tx", spec)]
    return ("--dist=load", *chosen, f"--rsyncdir={project.root}", str(project.root / "evals"))


@contextmanager
def listening(folder):
    """An execnet server of one connection after the other, on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{probe.getsockname()[1]}"
    script = Path(execnet.__file__).parent / "script" / "socketserver.py"
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with subprocess.Popen(
        [sys.executable, "-u", script, place],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert "Accept" in process.stdout.readline()
            yield place
        finally:
            process.kill()


@pytest.fixture(scope="module")
def ways(new_project, server, tmp_path_factory):
    """The same evals recorded in every way: the run, its project, and how often the server was asked."""

    def run(*options, shards=(None,), elsewhere=None):
        project = written(new_project(), server)
        before = server.calls
        words = options if elsewhere is None else away(project, *elsewhere)
        for shard in shards:
            share = [f"--judge-shard={shard}"] if shard else []
            # xdist calls --rsyncdir deprecated.
            ran = project.audit("--judge-live", *words, *share, warn=elsewhere is not None)
        return project, ran, server.calls - before

    w1, w2, w3 = (tmp_path_factory.mktemp("w") for _ in range(3))
    with ExitStack() as servers:
        # A server runs one session after the other in one process: it knows the modules of the first.
        one, two, three = (servers.enter_context(listening(tmp_path_factory.mktemp("s"))) for _ in range(3))
        yield {
            "alone": run("-n0"),
            "two workers": run("-n2"),
            "shards": run(shards=("1/2", "2/2")),
            "folders": run(elsewhere=(f"popen//chdir={w1}", f"popen//chdir={w2}")),
            "one folder": run(elsewhere=(f"2*popen//chdir={w3}",)),
            "sockets": run(elsewhere=(f"socket={one}", f"socket={two}")),
            "mixed": run(elsewhere=("popen", f"popen//chdir={w1}", f"socket={three}")),
        }


@pytest.mark.slow
def test_recordings_are_equal_but_for_times_however_they_were_made(ways):
    expected = answers(ways["alone"][0])
    assert len(expected) == CALLS
    assert {way: calls for way, (_, _, calls) in ways.items()} == dict.fromkeys(ways, CALLS)
    for way, (project, _, _) in ways.items():
        assert (way, answers(project)) == (way, expected)


@pytest.mark.slow
def test_the_report_tells_nothing_of_where_it_was_asked(ways):
    _, alone, _ = ways["alone"]
    for way in set(ways) - {"shards"}:
        _, ran, _ = ways[way]
        assert (ran.code, ran.report) == (0, alone.report)


@pytest.mark.slow
def test_what_was_sent_leaves_nothing_behind_on_either_side(ways, tmp_path_factory):
    for project, _, _ in ways.values():
        assert not list((project.root / "snapshots/.journal").glob("*.jsonl"))
    tops = [top for top in tmp_path_factory.getbasetemp().iterdir() if not top.name.startswith("test_")]
    assert [path for top in tops for path in top.rglob(".judgeaudit")] == []
    caches = [path for top in tops for path in top.rglob("pyexecnetcache")]
    assert [path for path in caches if list(path.rglob("*.lock"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("way", ["folders", "sockets"])
def test_nothing_is_paid_for_twice(ways, server, way):
    project, _, _ = ways[way]
    before = server.calls
    again = project.audit("--judge-live")
    assert (again.code, again.report["answers"]["hit"], server.calls) == (0, CALLS, before)


# Runs that end early


@pytest.fixture
def slow():
    """A server that takes its time."""
    with serving(lambda *asked: time.sleep(0.25) or decide(*asked)) as judge:
        yield judge


@pytest.fixture
def other(tmp_path_factory):
    """A folder of workers, outside of the project."""
    return tmp_path_factory.mktemp("elsewhere")


@contextmanager
def begun(project, server, *options, calls):
    """A live run that has made so many calls."""
    words = project.command(
        "--judge-audit", "--judge-live", "--judge-report=report.json", *options, warn=True
    )
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with subprocess.Popen(
        words,
        cwd=project.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            until = time.monotonic() + 60
            while server.calls < calls:
                assert process.poll() is None, process.stdout.read()
                assert time.monotonic() < until
                time.sleep(0.02)
            yield process
        finally:
            process.kill()


def report(project):
    return json.loads((project.root / "report.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("spec", ["popen//chdir={0}/w", "socket={1}"], ids=["folder", "socket"])
def test_an_interrupted_run_waits_for_what_workers_elsewhere_have_in_flight(
    project, slow, other, spec, sent
):
    written(project, slow)
    with listening(other) as place:
        words = away(project, spec.format(other, place))
        with begun(project, slow, *words, calls=6) as process:
            process.send_signal(sent)
            out, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, out
    assert "Traceback" not in out
    assert len(answers(project)) == slow.calls < CALLS
    assert "left-elsewhere" not in {finding["code"] for finding in report(project)["findings"]}


@pytest.mark.slow
def test_the_next_run_fetches_what_a_killed_controller_had_not_been_sent(project, slow, other):
    written(project, slow)
    words = away(project, f"popen//chdir={other}/w")
    with begun(project, slow, *words, calls=10) as process:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
    time.sleep(1)
    asked = slow.calls
    again = project.audit("--judge-live", *words, warn=True)
    assert again.code == 0, again.out
    # At most the calls that were in flight are made again.
    assert CALLS <= slow.calls <= CALLS + 4
    assert slow.calls - asked == again.report["answers"]["asked"] < CALLS
    assert len(answers(project)) == CALLS
    assert again.finding("recovered")["symptom"].endswith(" recovered from a run that ended early")
    assert not (other / "w/.judgeaudit").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds the worker of a run under /proc")
def test_a_worker_that_replaces_one_that_died_sends_what_that_one_recorded(project, slow, other):
    written(project, slow)
    words = away(project, f"popen//chdir={other}/w")
    with begun(project, slow, *words, calls=10) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        out, _ = process.communicate(timeout=60)
    assert "crashed" in out
    assert report(project)["state"] == "hold"
    assert "left-elsewhere" not in {finding["code"] for finding in report(project)["findings"]}
    assert slow.calls - 4 <= len(answers(project)) <= CALLS
    assert not (other / "w/.judgeaudit").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds the worker of a run under /proc")
def test_a_worker_that_died_and_was_not_replaced_is_named_with_its_folder(project, slow, other):
    written(project, slow)
    words = away(project, f"popen//chdir={other}/w", "popen")
    place = other / f"w/.judgeaudit/{project.root.name}"
    with begun(project, slow, *words, "--max-worker-restart=0", calls=4) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        (mine,) = [pid for pid in children if Path(f"/proc/{pid}/cwd").readlink() == other / "w"]
        until = time.monotonic() + 60
        while not read_journals(place).answers:  # the other worker may have had all the calls so far
            assert time.monotonic() < until
            time.sleep(0.02)
        os.kill(int(mine), signal.SIGKILL)
        process.communicate(timeout=60)
    (found,) = [one for one in report(project)["findings"] if one["code"] == "left-elsewhere"]
    assert found["where"].endswith(f":{place}")
    assert found["symptom"].startswith("worker gw0 ended without a last message")
    assert read_journals(place).answers
    again = project.audit("--judge-live", *words, warn=True)
    assert (again.code, len(answers(project))) == (0, CALLS)


DEAF = """
from pytest_judgeaudit.session.shipping import Receiving, Shipping

Receiving._confirm = lambda *_: None
Shipping.__init__.__kwdefaults__["patience_s"] = 0.1
"""
"""A controller that never says what has arrived: as if it had died on the way."""


@pytest.mark.slow
def test_without_word_from_the_controller_a_journal_stays_and_the_next_run_sends_it(project, server, other):
    written(project, server)
    project.write("conftest.py", DEAF)
    words = away(project, f"popen//chdir={other}/w")
    first = project.audit("--judge-live", *words, warn=True)
    assert first.code == 0, first.out
    left = read_journals(other / f"w/.judgeaudit/{project.root.name}")
    assert len(left.answers) == CALLS
    before, recorded = server.calls, answers(project)
    (project.root / "conftest.py").write_text("")
    again = project.audit("--judge-live", *words, warn=True)
    assert (again.code, server.calls, answers(project)) == (0, before, recorded)
    assert not (other / "w/.judgeaudit").exists()
    assert list((project.root / "snapshots").rglob("*.superseded.jsonl")) == []


@pytest.mark.parametrize("pending", [0, 1, 64, 65, 5_000])
def test_items_are_taken_back_once_each_from_the_last_and_in_few_parts(pending):
    parts = list(_parts(list(range(pending))))
    assert [index for part in reversed(parts) for index in part] == list(range(pending))
    assert len(parts) <= 64 + 10
