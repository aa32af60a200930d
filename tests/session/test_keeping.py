"""The store as a session uses it: recall, recovery, and what is left over."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.plans import CellPlan, JudgePlan, Plan, Presentation
from pytest_judgeaudit.session.keeping import Keeper
from pytest_judgeaudit.session.station import LIMITS, RUN
from pytest_judgeaudit.session.using import asked_names, used_names
from pytest_judgeaudit.settings.models import Configuration
from pytest_judgeaudit.store.snapshots import Snapshots

MODULE, TEST = "evals/test_a.py", "evals/test_a.py::test_x"


def keeper(folder, *, mode="live", worker=None, **changes):
    plain = {
        "root": folder.parent,
        "snapshots": folder,
        "mode": mode,
        "shard": None,
        "prune": False,
        "judges": (),
        "criteria": (),
        "narrowed": False,
    }
    settings = SimpleNamespace(**{**plain, **changes})
    return Keeper(settings=settings, configuration=Configuration(), worker=worker)


def name(task, judge="qwen"):
    return f"test_x-{judge}-neutral-{task}-clone-AB-1"


def stored(task, judge="qwen", text="tie"):
    attempt = Attempt(started=1.0, ended=2.0, outcome="answered")
    return StoredAnswer(
        name=name(task, judge),
        fingerprint="f" * 64,
        parts={},
        instrument="i",
        reply=Reply(text=text, attempts=(attempt,)),
    )


def plan(*tasks, judges=("qwen",), selected=None):
    shown = tuple(Presentation(task, "AB") for task in tasks)
    cells = (
        CellPlan(
            id=f"{TEST}::{judge}",
            eval=TEST,
            variant="",
            study="my study",
            judge=judge,
            criterion="neutral",
            arm="clone",
            stratum="core",
            gates=(),
            declared=shown,
            selected=shown if selected is None else selected,
            location=(MODULE, 3),
        )
        for judge in judges
    )
    return Plan(cells=tuple(cells))


def recorded(folder, *tasks, judge="qwen"):
    """Leave answers behind, as a live run does that is over."""
    asking = keeper(folder)
    for task in tasks:
        asking.journal.intent(MODULE, judge, name(task, judge), "f" * 64)
        asking.journal.answer(MODULE, judge, stored(task, judge))
    return asking.keep(plan(*tasks, judges=(judge,)), complete=True)


def codes(kept):
    return [finding.code for finding in kept.findings]


# What a run does to the disk


def test_a_replay_of_nothing_creates_nothing(tmp_path):
    folder = tmp_path / "snapshots"
    replay = keeper(folder, mode="replay")
    replay.recover()
    assert replay.find(MODULE, "qwen", name("c1"), fingerprint="f" * 64) is None
    kept = replay.keep(plan("c1"), complete=True)
    replay.pytest_unconfigure()
    assert (kept.unused, kept.recovered, kept.findings) == (0, 0, ())
    assert not folder.exists()


def test_what_was_asked_is_found_by_the_next_replay(tmp_path):
    kept = recorded(tmp_path, "c1", "c2")
    assert codes(kept) == []
    found = keeper(tmp_path, mode="replay").find(MODULE, "qwen", name("c2"), fingerprint="f" * 64)
    assert found == stored("c2")
    assert Snapshots(tmp_path).files() == [(MODULE, "qwen")]


def test_the_folder_of_limits_is_made_once_and_removed_with_the_run(tmp_path):
    controller = keeper(tmp_path)
    node = SimpleNamespace(workerinput={})
    controller.pytest_configure_node(node)
    folder = controller.limits_folder()
    assert (node.workerinput[LIMITS], folder.is_dir()) == (str(folder), True)
    worker = keeper(tmp_path, worker={**node.workerinput, "workerid": "gw0"})
    assert worker.limits_folder() == folder
    worker.pytest_unconfigure()
    assert folder.is_dir()
    controller.pytest_unconfigure()
    assert not folder.exists()


def test_workers_write_journals_of_one_run(tmp_path):
    controller, node = keeper(tmp_path), SimpleNamespace(workerinput={})
    controller.pytest_configure_node(node)
    for worker in ("gw0", "gw1"):
        one = keeper(tmp_path, worker={**node.workerinput, "workerid": worker})
        one.journal.intent(MODULE, "qwen", name(worker), "f" * 64)
        one.journal.answer(MODULE, "qwen", stored(worker))
        one.pytest_sessionfinish()
    assert {path.name for path in (tmp_path / ".journal").glob("*.jsonl")} == {
        f"{node.workerinput[RUN]}-gw0.jsonl",
        f"{node.workerinput[RUN]}-gw1.jsonl",
    }
    kept = controller.keep(plan("gw0", "gw1"), complete=True)
    assert (kept.unused, codes(kept)) == (0, [])
    assert Snapshots(tmp_path).names(MODULE, "qwen") == {name("gw0"), name("gw1")}


def test_a_replay_tells_workers_nothing(tmp_path):
    node = SimpleNamespace(workerinput={})
    keeper(tmp_path, mode="replay").pytest_configure_node(node)
    assert node.workerinput == {}


# Who must not be asked further


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Where a run makes the folder of its limits."""
    folder = tmp_path / "places"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_controller_and_workers_hear_each_other(tmp_path, places):
    controller, node = keeper(tmp_path), SimpleNamespace(workerinput={})
    controller.pytest_configure_node(node)
    one, other = (keeper(tmp_path, worker={**node.workerinput, "workerid": gw}) for gw in ("gw0", "gw1"))
    one.brake.pull("qwen", "served gpt")
    assert [each.brake.pulled("qwen") for each in (controller, one, other)] == ["served gpt"] * 3
    controller.brake.pull_all("interrupted")
    assert [each.brake.pulled("opus") for each in (one, other)] == ["interrupted"] * 2
    assert len(list(places.glob("*/*.brake"))) == 2


def test_a_run_of_one_process_makes_no_folder_for_it_and_remembers_it_beside_workers(tmp_path, places):
    alone = keeper(tmp_path)
    alone.brake.pull_all("interrupted")
    assert alone.brake.pulled("qwen") == "interrupted"
    assert list(places.iterdir()) == []
    alone.pytest_configure_node(SimpleNamespace(workerinput={}))
    assert alone.limits_folder().parent == places
    assert alone.brake.pulled("qwen") == "interrupted"


MINE = """
import os
import time

def ask(messages):
    with open("begun.txt", "a") as file:
        file.write("call\\n")
    while not os.path.exists("go.txt"):
        time.sleep(0.02)
    return {"text": '{"winner": "tie"}'}
"""


def asking(project):
    """A project of eight calls, of which two begin at once and wait."""
    project.pairs(8)
    project.write("mine.py", MINE)
    project.evals()
    project.judges(mine={"api": "python", "callable": "mine:ask", "limits": {"in_flight": 2}})
    return project


def begun(project):
    log = project.root / "begun.txt"
    return len(log.read_text().splitlines()) if log.exists() else 0


def until(holds):
    last = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < last
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to the controller only")
def test_workers_begin_no_call_that_waits_when_the_controller_is_interrupted(project, places, monkeypatch):
    asking(project)
    monkeypatch.setenv("TMPDIR", str(places))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    command = project.command("--judge-audit", "--judge-live", "-n2", warn=True)
    with subprocess.Popen(command, cwd=project.root, stdout=subprocess.PIPE, text=True) as process:
        try:
            until(lambda: begun(project) == 2)
            process.send_signal(signal.SIGINT)
            until(lambda: list(places.glob("*/*.brake")))
        finally:
            project.write("go.txt", "")
        out, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert begun(project) == 2
    assert "interrupted: 2 of 8 answers kept" in out


# What a process has written itself

READS = """
import os
import sys

def told(event, arguments):
    if event == "open" and str(arguments[0]).endswith(".jsonl") and ".journal" in str(arguments[0]):
        print("journal:", "written" if arguments[2] & os.O_WRONLY else "read")

sys.addaudithook(told)
"""


def test_a_run_of_one_process_does_not_read_what_it_has_written_itself(project):
    asking(project).write("go.txt", "")
    project.write("reads.py", READS)
    ran = project.audit("--judge-live", "-s", plugins=("reads", "judgeaudit", "xdist", "syrupy"))
    assert ran.report["answers"]["asked"] == 8
    assert "journal: written" in ran.out
    assert "journal: read" not in ran.out


def test_what_a_process_has_answered_is_kept_when_its_journal_is_gone(tmp_path):
    live = keeper(tmp_path)
    live.journal.intent(MODULE, "qwen", name("c1"), "f" * 64)
    live.journal.answer(MODULE, "qwen", stored("c1"))
    live.journal.path.unlink()
    assert codes(live.keep(plan("c1"), complete=True)) == []
    assert Snapshots(tmp_path).names(MODULE, "qwen") == {name("c1")}


# What is left over


@pytest.mark.parametrize(
    ("gone", "symptom"),
    [
        (1, f"1 stored answer without a trial, such as {name('c3')}"),
        (2, f"2 stored answers without a trial, such as {name('c2')}"),
    ],
)
def test_answers_without_a_trial_are_counted_and_named(tmp_path, gone, symptom):
    recorded(tmp_path, "c1", "c2", "c3")
    kept = keeper(tmp_path, mode="replay").keep(plan(*["c1", "c2", "c3"][: 3 - gone]), complete=True)
    (finding,) = kept.findings
    assert (kept.unused, finding.code, finding.where) == (gone, "unused-answers", f"{MODULE}/qwen.jsonl")
    assert finding.symptom == symptom


def test_answers_that_were_not_selected_are_used(tmp_path):
    recorded(tmp_path, "c1", "c2")
    kept = keeper(tmp_path, mode="replay").keep(plan("c1", "c2", selected=()), complete=False)
    assert kept.unused == 0


def test_answers_of_a_judge_that_is_gone_are_named(tmp_path):
    recorded(tmp_path, "c1")
    recorded(tmp_path, "c1", judge="old/judge")
    kept = keeper(tmp_path, mode="replay").keep(plan("c1"), complete=True)
    (finding,) = kept.findings
    assert (kept.unused, finding.code) == (1, "unused-answers")
    assert finding.symptom.endswith(name("c1", "old/judge"))


def test_answers_of_another_module_or_of_judges_left_out_are_nobodys_business(tmp_path):
    recorded(tmp_path, "c1")
    recorded(tmp_path, "c1", judge="other")
    assert keeper(tmp_path, mode="replay").keep(Plan(), complete=True).unused == 0
    narrowed = keeper(tmp_path, mode="replay", judges=("qwen",), narrowed=True)
    assert narrowed.keep(plan("c1"), complete=True).unused == 0


@pytest.mark.parametrize(("complete", "left"), [(True, {name("c1")}), (False, {name("c1"), name("c2")})])
def test_only_a_complete_run_removes_what_is_unused(tmp_path, complete, left):
    recorded(tmp_path, "c1", "c2")
    recorded(tmp_path, "c1", judge="gone")
    kept = keeper(tmp_path, mode="replay", prune=True).keep(plan("c1"), complete=complete)
    assert Snapshots(tmp_path).names(MODULE, "qwen") == left
    assert kept.unused == (0 if complete else 2)
    assert bool(Snapshots(tmp_path).names(MODULE, "gone")) is not complete


# What an ended run left behind


def ended(folder, *, answered=(), asked=()):
    """A run that died: its journal is closed by nobody but its process."""
    dead = keeper(folder)
    for task in (*answered, *asked):
        dead.journal.intent(MODULE, "qwen", name(task), "f" * 64)
    for task in answered:
        dead.journal.answer(MODULE, "qwen", stored(task))
    dead.journal.close()


@pytest.mark.parametrize(("tasks", "words"), [(["c1"], "1 answer"), (["c1", "c2"], "2 answers")])
def test_a_live_run_recovers_what_was_answered_and_says_how_many(tmp_path, tasks, words):
    ended(tmp_path, answered=tasks)
    live = keeper(tmp_path)
    live.recover()
    kept = live.keep(plan("c1", "c2"), complete=True)
    (finding,) = kept.findings
    assert (kept.recovered, finding.code) == (len(tasks), "recovered")
    assert finding.symptom == f"{words} recovered from a run that ended early"
    assert Snapshots(tmp_path).names(MODULE, "qwen") == {name(task) for task in tasks}


def test_a_replay_reads_what_was_answered_and_moves_nothing(tmp_path):
    ended(tmp_path, answered=["c1"])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")}
    replay = keeper(tmp_path, mode="replay")
    replay.recover()
    assert replay.find(MODULE, "qwen", name("c1"), fingerprint="f" * 64) == stored("c1")
    kept = replay.keep(plan("c1"), complete=True)
    assert (kept.recovered, kept.unused, codes(kept)) == (0, 0, [])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.jsonl")} == before


def test_a_request_without_an_end_is_ambiguous_until_it_is_repeated(tmp_path):
    ended(tmp_path, answered=["c1"], asked=["c2"])
    kept = keeper(tmp_path, mode="replay").keep(plan("c1", "c2"), complete=True)
    (finding,) = kept.findings
    assert kept.ambiguous == {("my study", "qwen"): 1}
    assert finding.symptom == f"1 request without a recorded end (ambiguous), such as {name('c2')}"
    assert finding.check == "nothing: --judge-live asks them again; until then their campaigns are HOLD"
    live = keeper(tmp_path)
    live.recover()
    live.journal.intent(MODULE, "qwen", name("c2"), "f" * 64)
    live.journal.answer(MODULE, "qwen", stored("c2"))
    assert live.keep(plan("c1", "c2"), complete=True).ambiguous == {}


def test_a_live_run_that_ended_early_counts_the_answers_that_it_was_to_bring(tmp_path):
    ended(tmp_path, answered=["c1", "c9"])
    live = keeper(tmp_path)
    live.recover()
    planned = plan("c1", "c2", "c3")
    kept = live.keep(planned, complete=False)
    assert (kept.answered, kept.calls) == (1, 3)
    assert keeper(tmp_path, mode="replay").keep(planned, complete=False).calls == 0


def test_judges_in_the_process_bring_no_answers_to_keep():
    planned = plan("c1", "c2", judges=("a", "b"))
    judges = [
        JudgePlan(name=name, family=name, api=api, requested=name, expect="certified", identity="served")
        for name, api in (("a", "openai"), ("b", "embedded"))
    ]
    assert {owner for _, owner in asked_names(replace(planned, judges=tuple(judges)))} == {"a"}


def test_a_request_that_no_trial_makes_any_more_holds_nothing(tmp_path):
    ended(tmp_path, asked=["c9"])
    assert keeper(tmp_path, mode="replay").keep(plan("c1"), complete=True).ambiguous == {}


def test_used_names_are_those_under_which_answers_are_stored():
    assert used_names(plan("c1", "c2", judges=("a", "b"))) == {
        (MODULE, "a"): {name("c1", "a"), name("c2", "a")},
        (MODULE, "b"): {name("c1", "b"), name("c2", "b")},
    }
