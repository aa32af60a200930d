"""Asking ahead: several calls in flight, each once, and nothing else changes."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.session.ahead import Ahead, _Following
from pytest_judgeaudit.session.trial import SLOT

# A judge that takes a while, and notes who called it, when, and about what.
MINE = """
import json, os, re, threading, time

def ask(messages):
    started = time.time()
    time.sleep(float(os.environ.get("PACE", "0.03")))
    prompt = re.search(r"Ask [0-9]+", messages[-1]["content"])[0]
    note = [prompt, threading.current_thread().name, started, time.time()]
    with open("calls.jsonl", "a") as file:
        file.write(json.dumps(note) + "\\n")
    return '{"winner": "tie"}'
"""
EVALS = """
import pytest

ROWS = "corpora/rows.jsonl"

@pytest.fixture
def own():
    ...

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate(upper=0.3)
def test_plain(judge, pair):
    verdict = judge.compare(pair)
    if pair.id == "c003":
        pytest.skip("not today")
    assert verdict.tie and pair.id not in ("c005", "c006")

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate(upper=0.3)
@pytest.mark.parametrize("tone", ["calm"])
def test_with_parameter(judge, pair, tone):
    assert judge.compare(pair).tie and tone == "calm"

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate(upper=0.3)
def test_with_fixture(judge, pair, own):
    assert judge.compare(pair).tie

class TestMethods:
    @pytest.mark.clone_pairs(ROWS)
    @pytest.mark.clone_gate(upper=0.3)
    def test_of_class(self, judge, pair):
        assert judge.compare(pair).tie
"""
TASKS = 15
TIMES = ("started", "ended")


def written(project, in_flight):
    project.judges(mine={"api": "python", "callable": "mine:ask", "limits": {"in_flight": in_flight}})
    project.pairs(TASKS)
    project.write("mine.py", MINE)
    project.write("evals/test_e.py", EVALS)
    return project


def calls(project):
    return [json.loads(line) for line in (project.root / "calls.jsonl").read_text().splitlines()]


def peak(found):
    """The most calls that were in flight at once."""
    steps = sorted([(start, 1) for *_, start, _ in found] + [(end, -1) for *_, end in found])
    flying = [sum(step for _, step in steps[:index]) for index in range(len(steps) + 1)]
    return max(flying)


@pytest.fixture(scope="module")
def runs(new_project):
    """The same evals asked one by one, four at a time, and by two workers."""
    found = {}
    for name, in_flight, options in (("one", 1, ()), ("four", 4, ()), ("workers", 4, ("-n2",))):
        project = written(new_project(), in_flight)
        ran = project.audit("--judge-live", *options)
        found[name] = (ran, calls(project))
    return found


def test_every_call_is_made_once(runs):
    made = {name: Counter(prompt for prompt, *_ in found) for name, (_, found) in runs.items()}
    every = {f"Ask {number}": 4 for number in range(1, TASKS + 1)}
    assert made == {"one": every, "four": every, "workers": every}


def test_as_many_calls_are_in_flight_as_the_limit_allows(runs):
    peaks = {name: peak(found) for name, (_, found) in runs.items()}
    assert peaks["one"] == 1
    assert 2 <= peaks["four"] <= 4
    assert 2 <= peaks["workers"] <= 4


def test_one_at_a_time_needs_no_thread_and_neither_does_a_body_with_a_set_up_of_its_own(runs):
    threads = {
        name: Counter(thread.partition("_")[0] for _, thread, *_ in found)
        for name, (_, found) in runs.items()
    }
    assert threads["one"] == {"MainThread": 4 * TASKS}
    assert threads["four"] == {"judgeaudit-mine": 2 * TASKS, "MainThread": 2 * TASKS}


@pytest.mark.parametrize("name", ["four", "workers"])
def test_the_report_is_the_same_however_it_was_asked(runs, name):
    (one, _), (other, _) = runs["one"], runs[name]
    assert {gate["eval"].rpartition("::")[2]: gate["state"] for gate in one.report["gates"]} == {
        "test_plain": "HOLD",
        "test_with_parameter": "HOLD",
        "test_with_fixture": "HOLD",
        "test_of_class": "HOLD",
    }
    # The protocol's digest holds the limit itself, and nothing else may differ.
    assert {**other.report, "protocol": None} == {**one.report, "protocol": None}
    assert other.code == one.code == 10


def test_outcomes_of_bodies_that_ran_ahead_are_told_in_their_turn(runs):
    ran, _ = runs["four"]
    assert ran.last.startswith("57 passed, 1 skipped, 4 errors, 2 adverse in ")


def test_a_run_that_stops_keeps_every_answer_that_it_paid_for(project):
    written(project, 4)
    project.evals(body="    judge.compare(pair)\n    if pair.id == 'c007':\n        raise OSError('x')\n")
    ran = project.audit("--judge-live", "-x")
    paid = len(calls(project))
    assert ran.code == 1
    assert ran.gate()["state"] == "PARTIAL"
    stored = (project.root / "snapshots/evals/test_e.py/mine.jsonl").read_text().splitlines()
    assert len(stored) - 1 == paid <= TASKS
    assert not list((project.root / "snapshots/.journal").glob("*.jsonl"))
    project.evals()
    ran = project.audit("--judge-live")
    assert (ran.report["answers"]["hit"], ran.report["answers"]["asked"]) == (paid, TASKS - paid)
    assert len(calls(project)) == TASKS


SKIPPING = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "c002" in item.name or "c005" in item.name:
            item.add_marker(pytest.mark.skip(reason="by a conftest"))
        if "c003" in item.name:
            item.add_marker(pytest.mark.xfail(reason="by a conftest", run=False))
"""


def test_nothing_is_asked_ahead_for_an_item_that_a_conftest_skips(project):
    written(project, 4)
    project.evals()
    project.write("conftest.py", SKIPPING)
    project.audit("--judge-live", "-q")
    assert {prompt for prompt, *_ in calls(project)} == {
        f"Ask {number}" for number in range(1, TASKS + 1) if number not in {2, 3, 5}
    }


FILTERED = """
import warnings
import pytest

@pytest.mark.filterwarnings("error:careful")
@pytest.mark.clone_pairs("corpora/rows.jsonl")
def test_filtered(judge, pair):
    verdict = judge.compare(pair)
    with pytest.raises(UserWarning):
        warnings.warn("careful", UserWarning)
    assert verdict.tie

@pytest.mark.clone_pairs("corpora/rows.jsonl")
def test_other(judge, pair):
    assert judge.compare(pair).tie
"""


def test_a_body_with_filters_of_warnings_runs_in_its_turn(project):
    """Filters are the process' own: ahead of its turn those of another item are in force."""
    written(project, 4).write("evals/test_e.py", FILTERED)
    ran = project.audit("--judge-live", "-q", warn=True)
    assert f"{2 * TASKS} passed" in ran.out
    threads = Counter(thread.partition("_")[0] for _, thread, *_ in calls(project))
    assert threads == {"judgeaudit-mine": TASKS, "MainThread": TASKS}


IMPORTED = """
import os
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
def test_imported(judge, pair):
    with open("modes.txt", "a") as file:
        file.write(f"{pair.id} {os.environ.get('MODE')}\\n")
    assert judge.compare(pair).tie
"""
IMPORTING = """
import pytest
from shared_evals import test_imported

@pytest.fixture(autouse=True)
def mode(monkeypatch, request):
    monkeypatch.setenv("MODE", request.node.callspec.params["pair"].id)
"""


def test_a_body_that_two_modules_share_runs_with_the_fixtures_of_each(project):
    written(project, 4).write("evals/shared_evals.py", IMPORTED)
    project.write("evals/test_a.py", "from shared_evals import test_imported\n")
    project.write("evals/test_e.py", IMPORTING)
    project.audit("--judge-live", "-q")
    found = Counter((project.root / "modes.txt").read_text().splitlines())
    every = [f"c{number:03}" for number in range(1, TASKS + 1)]
    assert found == Counter(f"{pair} {mode}" for pair in every for mode in ("None", pair))


# A run that is ended from outside


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_run_that_is_cancelled_keeps_what_came_and_says_so(project, monkeypatch, sent):
    written(project, 2)
    project.evals()
    monkeypatch.setenv("PACE", "0.3")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    words = project.command("--judge-audit", "--judge-live", "--judge-report=report.json")
    with subprocess.Popen(words, cwd=project.root, stdout=subprocess.PIPE, text=True) as process:
        log = project.root / "calls.jsonl"
        while not log.exists() or len(log.read_text().splitlines()) < 3:
            assert process.poll() is None, process.stdout.read()
            time.sleep(0.05)
        process.send_signal(sent)
        out, _ = process.communicate(timeout=120)
    report = json.loads((project.root / "report.json").read_text())
    paid = len(calls(project))
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in out
    assert [gate["state"] for gate in report["gates"]] == ["PARTIAL"]
    assert 3 <= paid < TASKS
    stored = (project.root / "snapshots/evals/test_e.py/mine.jsonl").read_text().splitlines()
    assert len(stored) - 1 == paid
    lines = out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip("= ") == "judge audit")
    kept = f"{paid} of {TASKS} answers kept"
    assert lines[at + 1] == f"interrupted: {kept}; pytest --judge-audit --judge-live goes on"


def test_those_that_are_taken_are_passed_over_and_looked_at_once():
    items = list(range(6))
    following, taken, looked = _Following(items), {1, 2, 4}, []

    class Watched(set):
        def __contains__(self, item):
            looked.append(item)
            return super().__contains__(item)

    assert list(following.after(0, taken)) == [3, 5]
    assert list(following.after(1, Watched({3, 4}))) == [5]
    assert 2 not in looked


def test_a_busy_judge_does_not_hold_up_another(project):
    project.pairs(TASKS)
    project.write("mine.py", MINE)
    project.evals()
    judge = {"api": "python", "callable": "mine:ask", "limits": {"in_flight": 2}}
    project.judges(mine=judge, yours=judge)
    project.audit("--judge-live")
    assert len(calls(project)) == 2 * TASKS
    assert peak(calls(project)) > 2


def test_bodies_that_end_at_once_are_not_all_begun_at_once(monkeypatch):
    begun, ended = [], []
    items = [Item(number, begun) for number in range(200)]
    ahead = Ahead(in_flight={"j": 2}, bodies=Plain(), stop=lambda: None)
    ahead.pytest_collection_finish(SimpleNamespace(items=items, config=Config()))
    monkeypatch.setattr(ahead, "_is_eligible", lambda *_: True)
    for item in items:
        assert ahead.pytest_pyfunc_call(item)
        ended.append(item.number)
        assert len(begun) - len(ended) <= 4 * 2
    assert sorted(begun) == ended
    ahead.drain()


class Item:
    """As much of an item as is looked at."""

    def __init__(self, number, begun):
        self.number = number
        self.obj = lambda: begun.append(number)
        slot = SimpleNamespace(owner="j", ahead=False, reset=lambda: None)
        self.stash = {SLOT: slot}


class Plain:
    """Bodies without arguments."""

    def arguments(self, _):
        return {}


class Config:
    """A configuration of a process alone."""

    pluginmanager = SimpleNamespace(get_plugins=list)


# Of the calls that begin together the one that another model answers is the first to end.
SUBSTITUTED = MINE.replace(
    'float(os.environ.get("PACE", "0.03"))', "0.1 if is_other(messages) else 0.6"
).replace(
    """return '{"winner": "tie"}'""",
    """return {"text": '{"winner": "tie"}', "served": "other" if is_other(messages) else "own-1"}

def is_other(messages):
    return re.search(r"Ask [0-9]*[37]\\b", messages[-1]["content"]) is not None""",
)


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_no_call_leaves_after_another_model_has_answered(project, options):
    written(project, 4)
    project.write("mine.py", SUBSTITUTED)
    project.judges(
        mine={"api": "python", "callable": "mine:ask", "model": "own-1", "limits": {"in_flight": 4}}
    )
    ran = project.audit("--judge-live", *options)
    assert "was served 'other'" in ran.out
    found = calls(project)
    first = min(ended for prompt, _, _, ended in found if prompt[-1] in "37")
    assert [start - first for *_, start, _ in found if start > first] == []


def test_a_call_that_waits_for_a_slot_is_not_ambiguous_after_a_kill(project, monkeypatch):
    written(project, 4)
    monkeypatch.setenv("PACE", "60")
    run = subprocess.Popen(
        project.command("--judge-audit", "--judge-live"), cwd=project.root, stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 60
        while intents(project) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
    finally:
        run.kill()
        run.wait()
    assert intents(project) == 4


def intents(project):
    lines = [file.read_text() for file in (project.root / "snapshots/.journal").glob("*.jsonl")]
    return "".join(lines).count('"kind": "intent"')


def test_some_more_bodies_are_begun_than_may_call(monkeypatch):
    made = {}
    monkeypatch.setattr(
        "pytest_judgeaudit.session.ahead.ThreadPoolExecutor",
        lambda count, thread_name_prefix: made.setdefault(thread_name_prefix, count),
    )
    Ahead(in_flight={"a": 16, "b": 2, "c": 16}, slotted=["a", "b"], bodies=None, stop=lambda: None)
    assert made == {"judgeaudit-a": 20, "judgeaudit-b": 3, "judgeaudit-c": 16}
