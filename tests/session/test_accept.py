"""Accepted grades through syrupy: alone, under xdist, beside a user's own snapshots, without syrupy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_judgeaudit.store.amber import read_amber, read_table, table_text, write_amber

# The smallest plug-in that does what the controller does: it checks cells when all trials have run.
CONFTEST = """
import dataclasses, json
from pathlib import Path
import pytest
from pytest_judgeaudit.session.accept import AcceptedGrades

@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session):
    result = yield
    config = session.config
    if not hasattr(config, "workerinput"):
        accepted = AcceptedGrades(config, config.rootpath / "snapshots")
        cells = json.loads(Path("cells.json").read_text())
        told = [accepted.check(test_file=config.rootpath / "test_evals.py", **cell) for cell in cells]
        unseen = accepted.unseen("test_evals.py")
        Path("told.json").write_text(json.dumps([[dataclasses.asdict(one) for one in told], unseen]))
    return result
"""
TESTS = """
def test_a(): pass
def test_b(): pass
"""
ROWS = {"c1-AB": "11 tie success", "c2-AB": "22 tie success", "c3-AB": "33 A adverse"}
MOVED = {**ROWS, "c2-AB": "22 B adverse"}
PLUGINS = ("-p", "syrupy", "-p", "xdist")
WORKERS = pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["alone", "n2"])


class Project:
    """A project in which cells are checked; ``run`` returns what became of them."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.folder = pytester.path / "snapshots" / "test_evals.py"
        self.file = self.folder / "test_a.ambr"
        self.unseen: list[str] = []
        pytester.makeini("[pytest]\n")
        pytester.makeconftest(CONFTEST)
        pytester.makepyfile(test_evals=TESTS)

    def run(self, *cells: dict, options=(), code=0):
        Path("told.json").unlink(missing_ok=True)
        Path("cells.json").write_text(json.dumps(cells), "ascii")
        self.result = self.pytester.runpytest_subprocess(*PLUGINS, "-W", "error", *options)
        assert self.result.ret == code
        self.result.stdout.no_fnmatch_line("*Traceback*")
        told, self.unseen = json.loads(Path("told.json").read_text("ascii"))
        return told[0] if len(told) == 1 else told

    def says(self, line):
        self.result.stdout.fnmatch_lines([line])

    def accepted(self, name="test_a[qwen-neutral][grades]"):
        return read_table(read_amber(self.file)[name])


def cell(rows=ROWS, **changes):
    plain = {"module": "test_evals.py", "test": "test_a", "cell": "qwen-neutral", "complete": True}
    return {**plain, "rows": rows, "asked": [], "live": False, **changes}


@pytest.fixture
def project(pytester, monkeypatch):
    # Runs start in half the time without the plug-ins that happen to be installed here.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Project(pytester)


@pytest.fixture
def accepted(project):
    """The same, with the grades of one cell accepted."""
    write_amber(project.folder, project.file, {"test_a[qwen-neutral][grades]": table_text(ROWS)})
    return project


@WORKERS
def test_a_live_run_accepts_and_syrupy_counts_it(project, workers):
    told = project.run(cell(live=True), options=workers)
    assert (told["state"], told["message"]) == ("written", "accepted 3 grades")
    assert project.accepted() == ROWS
    project.says("1 snapshot generated.")


def test_a_replay_of_the_same_passes_and_writes_nothing(accepted):
    before = accepted.file.stat()
    told = accepted.run(cell())
    assert told["state"] == "same"
    accepted.says("1 snapshot passed.")
    assert accepted.file.stat().st_ino == before.st_ino


@WORKERS
def test_a_moved_grade_is_told_and_not_written(accepted, workers):
    told = accepted.run(cell(MOVED), options=workers)
    assert told["state"] == "moved"
    assert told["moved"] == [["c2-AB", "22 tie success", "22 B adverse"]]
    assert "- c2-AB: 22 tie success\n+ c2-AB: 22 B adverse" in told["message"]
    accepted.says("1 snapshot failed.")
    assert accepted.accepted() == ROWS


def test_update_accepts_what_moved_and_what_vanished(accepted):
    rows = {key: row for key, row in MOVED.items() if key != "c3-AB"}
    told = accepted.run(cell(rows), options=["--snapshot-update"])
    assert told["state"] == "written"
    accepted.says("1 snapshot updated.")
    assert accepted.accepted() == rows
    assert accepted.run(cell(rows))["state"] == "same"


def test_nothing_is_accepted_by_a_replay(project):
    assert project.run(cell())["state"] == "none"
    assert not project.folder.exists()
    assert not (project.pytester.path / "__snapshots__").exists()


def test_a_part_of_a_cell_is_compared_and_never_accepted(accepted):
    part = {"c2-AB": MOVED["c2-AB"]}
    assert accepted.run(cell({"c1-AB": ROWS["c1-AB"]}, complete=False))["state"] == "same"
    accepted.says("1 snapshot passed.")
    told = accepted.run(cell(part, complete=False), options=["--snapshot-update"])
    assert told["state"] == "moved"
    assert accepted.accepted() == ROWS


def test_a_shard_accepts_nothing(project):
    assert project.run(cell(live=True, sharded=True))["state"] == "none"
    assert not project.folder.exists()


def test_a_live_run_replaces_what_it_asked(accepted):
    told = accepted.run(cell(MOVED, live=True, asked=["c2-AB"]))
    assert told["state"] == "written"
    accepted.says("1 snapshot updated.")
    assert accepted.accepted() == MOVED


# Other cells


@WORKERS
def test_update_never_touches_cells_that_were_not_run(accepted, workers):
    other = cell({"c1-AB": "11 A adverse"}, cell="gpt-neutral", live=True)
    elsewhere = cell({"k": "1"}, test="TestX::test_b", live=True)
    accepted.run(other, elsewhere)
    accepted.run(cell(MOVED), options=["--snapshot-update", "-k", "test_a", *workers])
    assert accepted.accepted() == MOVED
    assert accepted.accepted("test_a[gpt-neutral][grades]") == {"c1-AB": "11 A adverse"}
    assert read_amber(accepted.folder / "TestX.test_b.ambr").keys() == {
        "TestX.test_b[qwen-neutral][grades]"
    }
    assert sorted(accepted.unseen) == ["TestX.test_b[qwen-neutral][grades]", "test_a[gpt-neutral][grades]"]


@pytest.mark.parametrize(
    "options",
    [["-k", "test_b"], ["test_evals.py::test_b"], ["--snapshot-update"], ["--snapshot-update", "-n2"]],
)
def test_cells_that_nobody_checked_are_neither_unused_nor_deleted(accepted, options):
    before = accepted.file.read_bytes()
    accepted.run(options=options)
    accepted.result.stdout.no_fnmatch_line("*snapshot unused*")
    accepted.result.stdout.no_fnmatch_line("*unused snapshot *")
    assert accepted.file.read_bytes() == before


def test_answers_beside_the_grades_are_out_of_syrupys_reach(accepted):
    answers = accepted.folder / "qwen.jsonl"
    answers.write_text("paid for\n", "ascii")
    accepted.run(cell(MOVED), options=["--snapshot-update"])
    accepted.run(options=["--snapshot-update"])
    assert answers.read_text("ascii") == "paid for\n"


# Beside a user's own snapshots


OWN = """
def test_a(snapshot): assert snapshot == {"a": 1}
def test_b(): pass
"""


@WORKERS
def test_a_users_own_snapshots_work_as_ever(accepted, workers):
    accepted.pytester.makepyfile(test_evals=OWN)
    accepted.run(cell(MOVED), options=["--snapshot-update", *workers])
    accepted.says("1 snapshot generated. 1 snapshot updated.")
    accepted.run(cell(MOVED), options=workers)
    accepted.says("2 snapshots passed.")
    assert accepted.accepted() == MOVED


@WORKERS
@pytest.mark.parametrize("tests", [TESTS, OWN], ids=["nobody uses it", "somebody uses it"])
def test_a_users_unused_snapshots_are_still_found_and_deleted(accepted, tests, workers):
    accepted.pytester.makepyfile(test_evals=OWN + "def test_gone(snapshot): assert snapshot == 2\n")
    accepted.run(cell(), options=["--snapshot-update"])
    accepted.pytester.makepyfile(test_evals=tests)
    accepted.run(cell(), code=1, options=workers)
    accepted.says("*unused.")
    accepted.run(cell(), options=["--snapshot-update", *workers])
    accepted.says("*unused snapshot* deleted.")
    assert accepted.accepted() == ROWS


# Without syrupy, or with another one


CHANGED = """
import syrupy.assertion

def pytest_collection_finish():
    syrupy.assertion.SnapshotAssertion = None
"""


@pytest.mark.parametrize("how", ["absent", "changed"])
def test_without_syrupy_the_same_files_are_read_and_written(project, how):
    options = ["-p", "no:syrupy"] if how == "absent" else ["-p", "changed"]
    project.pytester.makepyfile(changed=CHANGED)
    project.pytester.syspathinsert()
    assert project.run(cell(live=True), options=options)["state"] == "written"
    by_us = project.file.read_bytes()
    assert project.run(cell(), options=options)["state"] == "same"
    assert project.run(cell(MOVED), options=options)["state"] == "moved"
    project.file.unlink()
    project.run(cell(live=True))
    assert project.file.read_bytes() == by_us


# Files that cannot be read or written


def test_an_unfinished_merge_is_told_and_never_overwritten(accepted):
    spoiled = accepted.file.read_text("ascii") + "<<<<<<< HEAD\n"
    accepted.file.write_text(spoiled, "ascii")
    for options in ([], ["--snapshot-update"]):
        told = accepted.run(cell(MOVED), options=options)
        assert told["state"] == "moved"
        assert "snapshots/test_evals.py/test_a.ambr:9: holds a merge" in told["message"]
    assert accepted.file.read_text("ascii") == spoiled


def test_a_cell_that_cannot_be_read_is_told_and_replaced_by_update_only(accepted):
    accepted.run(cell({"k": "1"}, cell="gpt-neutral", live=True))
    spoiled = accepted.file.read_text("ascii").replace("'c2-AB'", "c2-AB")
    accepted.file.write_text(spoiled, "ascii")
    told = accepted.run(cell(live=True))
    assert told["state"] == "moved"
    assert "test_a[[]qwen-neutral][[]grades]".replace("[[]", "[") in told["message"]
    assert accepted.file.read_text("ascii") == spoiled
    assert accepted.run(cell(), options=["--snapshot-update"])["state"] == "written"
    assert accepted.accepted() == ROWS
    assert accepted.accepted("test_a[gpt-neutral][grades]") == {"k": "1"}


@pytest.mark.parametrize("options", [[], ["-p", "no:syrupy"]])
def test_a_disk_that_fails_is_told_with_the_cell(project, options):
    (project.pytester.path / "snapshots").write_text("in the way", "ascii")
    told = project.run(cell(live=True), options=options)
    assert told["state"] == "new"
    assert "could not be written" in told["message"]


def test_odd_names_stay_in_their_folder_and_on_one_line(project):
    odd = cell(test="test_a", cell="a::b\n]\ud83d\x1b # ---", module="../../test_evals.py", live=True)
    assert project.run(odd)["state"] == "written"
    assert project.run({**odd, "live": False})["state"] == "same"
    (file,) = project.pytester.path.rglob("*.ambr")
    assert file.is_relative_to(project.pytester.path / "snapshots")
    assert len(read_amber(file)) == 1


@pytest.mark.parametrize("name", ["snapshots", "deep/snapshots", "../snapshots"])
def test_a_folder_shared_with_syrupy_is_refused(project, name):
    Path("cells.json").write_text("[]", "ascii")
    result = project.pytester.runpytest_subprocess(*PLUGINS, f"--snapshot-dirname={name}")
    result.stdout.fnmatch_lines(["*--snapshot-dirname: found*syrupy would delete recorded answers*"])
    assert result.ret != 0
