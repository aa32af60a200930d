"""Accepted grades over the life of a project, and what a run says of its answers."""

from __future__ import annotations

import copy
import json
import shutil

import pytest

from pytest_judgeaudit.store.amber import read_amber, read_table

MINE = 'def ask(messages):\n    return \'{"winner": "tie"}\'\n'
OBJECTS = "    verdict = judge.compare(pair)\n    assert pair.id not in ('c003', 'c007')\n"
CELL = "test_copies_tie[mine-neutral][grades]"


@pytest.fixture(scope="module")
def origin(new_project):
    """A project with one judge of its own, after a live run; and what that run found."""
    project = new_project()
    project.judges(mine={"api": "python", "callable": "mine:ask"})
    project.write("mine.py", MINE)
    project.evals()
    return project, project.audit("--judge-live", "-q")


@pytest.fixture
def asked(origin, tmp_path):
    """A copy of it, to be changed."""
    project, _ = origin
    copied = copy.copy(project)
    copied.root = shutil.copytree(project.root, tmp_path / "copy")
    return copied


def accepted(project):
    return read_table(read_amber(project.root / "snapshots/evals/test_e.py/test_copies_tie.ambr")[CELL])


def answers(ran):
    return {name: count for name, count in ran.report["answers"].items() if count}


def test_a_live_run_keeps_answers_and_accepts_their_grades(origin):
    project, ran = origin
    assert (ran.code, answers(ran)) == (0, {"asked": 60})
    assert "answers: 0 hit, 0 stale, 0 missing, 60 asked" in ran.out
    assert len(accepted(project)) == 60
    assert accepted(project)["c001-AB"].split(" ", 1)[1] == "tie success"
    assert {"snapshots/evals/test_e.py/mine.jsonl", "snapshots/evals/test_e.py/test_copies_tie.ambr"} < (
        project.files()
    )


def test_a_replay_finds_everything_and_writes_nothing(asked):
    before = {path: path.read_bytes() for path in (asked.root / "snapshots").rglob("*") if path.is_file()}
    ran = asked.audit("-q")
    assert (ran.code, answers(ran), ran.report["findings"]) == (0, {"hit": 60}, [])
    after = {path: path.read_bytes() for path in (asked.root / "snapshots").rglob("*") if path.is_file()}
    assert after == before


def test_a_moved_grade_fails_an_item_of_its_own_until_it_is_accepted(asked):
    asked.evals(body=OBJECTS)
    ran = asked.audit("-q")
    assert (ran.code, ran.report["state"]) == (1, "miss")
    told = ran.out.partition("_ test_copies_tie::grades[mine-neutral] _")[2].partition("= judge audit =")[0]
    assert [line for line in told.splitlines() if line.startswith(("-", "+"))] == [
        f"{sign} {task}-AB: {accepted(asked)['c001-AB'].split()[0]} tie {grade}"
        for task in ("c003", "c007")
        for sign, grade in (("-", "success"), ("+", "adverse"))
    ]
    assert "2 grades moved: c003-AB, c007-AB" in told
    assert ran.gate()["state"] == "MISS"  # 2 of 60: the gate beside it keeps its own state

    ran = asked.audit("-q", "--snapshot-update")
    assert "grades[" not in ran.out
    assert [key for key, grade in accepted(asked).items() if grade.endswith("adverse")] == [
        "c003-AB",
        "c007-AB",
    ]
    assert "grades[" not in asked.audit("-q").out


def test_a_selection_compares_what_it_saw_and_accepts_nothing(asked):
    asked.evals(body=OBJECTS)
    before = accepted(asked)
    ran = asked.audit("-q", "-k", "c007", "--snapshot-update")
    assert ran.code == 1
    assert "1 grade moved: c007-AB" in ran.out
    assert accepted(asked) == before
    ran = asked.audit("-q", "-k", "c001", "--snapshot-update")
    assert (ran.code, accepted(asked)) == (0, before)


def test_rows_that_vanish_are_findings_until_they_are_dropped(asked):
    asked.pairs(59)
    ran = asked.audit("-q")
    assert (ran.code, answers(ran)) == (0, {"hit": 59, "unused": 1})
    assert ran.finding("grades-vanished")["symptom"] == (
        "1 accepted grade without a trial in this run, such as c060-AB"
    )
    assert "c060" in ran.finding("unused-answers")["symptom"]
    ran = asked.audit("-q", "--snapshot-update")
    assert "grades-vanished" not in ran.out
    assert len(accepted(asked)) == 59
    ran = asked.audit("-q", "--judge-prune")
    assert (ran.code, answers(ran), ran.report["findings"]) == (0, {"hit": 59}, [])


def test_accepted_cells_of_a_test_that_is_gone_are_a_finding(asked):
    text = (asked.root / "evals/test_e.py").read_text()
    asked.write("evals/test_e.py", text.replace("test_copies_tie", "test_copies_are_ties"))
    ran = asked.audit("-q", "--judge-live")
    assert ran.finding("grades-vanished")["symptom"] == (
        f"1 cell of accepted grades without a test in this run, such as {CELL}"
    )
    assert "--judge-prune drops them" in ran.finding("grades-vanished")["check"]
    ran = asked.audit("-q", "--judge=mine")
    assert "grades-vanished" not in [finding["code"] for finding in ran.report["findings"]]
    ran = asked.audit("-q", "-k", "c00")
    assert "grades-vanished" not in [finding["code"] for finding in ran.report["findings"]]


def test_prune_drops_accepted_cells_that_no_test_stands_for_and_no_others(asked):
    text = (asked.root / "evals/test_e.py").read_text()
    asked.write("evals/test_e.py", text + "\n\n" + text.replace("test_copies_tie", "test_again"))
    asked.audit("-q", "--judge-live")
    kept = accepted(asked)
    folder = asked.root / "snapshots/evals/test_e.py"
    assert len(list(folder.glob("*.ambr"))) == 2
    asked.write("evals/test_e.py", text)
    # A part of the test is no complete run: nothing may go.
    for part in (["-k", "c00"], ["evals/test_e.py::test_copies_tie", "-k", "c001"]):
        asked.audit("-q", "--judge-prune", *part)
        assert len(list(folder.glob("*.ambr"))) == 2
    ran = asked.audit("-q", "--judge-prune")
    assert (ran.code, ran.report["findings"]) == (0, [])
    assert [path.name for path in folder.glob("*.ambr")] == ["test_copies_tie.ambr"]
    assert accepted(asked) == kept


def test_prune_drops_the_cells_of_a_module_whose_file_is_gone_in_a_run_of_all(asked):
    asked.write("evals/test_z.py", (asked.root / "evals/test_e.py").read_text())
    asked.audit("-q", "--judge-live")
    (asked.root / "evals/test_z.py").unlink()
    gone = asked.root / "snapshots/evals/test_z.py/test_copies_tie.ambr"
    assert gone.exists()
    ran = asked.audit("-q")
    assert ran.finding("grades-vanished")["where"] == "evals/test_z.py"
    ran = asked.audit("-q", "--judge-prune", "evals/test_e.py")
    assert (ran.code, gone.exists()) == (0, True)
    ran = asked.audit("-q", "--judge-prune")
    assert (ran.code, gone.exists()) == (0, False)
    assert "grades-vanished" not in [finding["code"] for finding in ran.report["findings"]]
    assert len(accepted(asked)) == 60


def test_answers_that_contradict_each_other_fail_the_run_and_name_both(asked):
    folder = asked.root / "snapshots/evals/test_e.py"
    text = (
        (folder / "mine.jsonl").read_text().replace('{\\"winner\\": \\"tie\\"}', '{\\"winner\\": \\"A\\"}')
    )
    (folder / "mine.1of2.jsonl").write_text(text)
    ran = asked.audit("-q")
    assert ran.code == 1
    told = ran.out.partition("_ kept _")[2].partition("= judge audit =")[0]
    assert told.count("\n") <= 3
    assert "mine.jsonl:2" in told
    assert "mine.1of2.jsonl:2" in told


def test_a_missing_answer_is_one_line_and_what_to_do(asked):
    asked.pairs(61)
    ran = asked.audit("-q")
    assert (ran.code, answers(ran), ran.gate()["state"]) == (1, {"hit": 60, "missing": 1}, "HOLD")
    lines = ran.out.splitlines()
    at = next(i for i, line in enumerate(lines) if "_ test_copies_tie[mine-neutral-c061-AB] _" in line)
    assert lines[at + 1] == (
        "no stored answer for test_copies_tie-mine-neutral-c061-clone-AB-1. Ask for it with --judge-live."
    )
    assert lines[at + 2].startswith("====")
    ran = asked.audit("-q", "--judge-live")
    assert (ran.code, answers(ran)) == (0, {"hit": 60, "asked": 1})
    assert len(accepted(asked)) == 61


def test_a_stale_answer_names_the_part_that_moved(asked):
    asked.judges(mine={"api": "python", "callable": "mine:ask", "decoder": {}, "model": "other"})
    ran = asked.audit("-q", "-k", "c001")
    assert (ran.code, answers(ran)) == (1, {"stale": 1})
    assert (
        "the stored answer for test_copies_tie-mine-neutral-c001-clone-AB-1 is stale: model moved. "
        "Ask again with --judge-live."
    ) in ran.out


def test_judges_in_the_process_store_grades_but_no_answers(project):
    project.evals()
    ran = project.audit("-q")
    assert ran.finding("grades-not-accepted")["symptom"] == "no accepted grades to compare with in 1 cell"
    assert "snapshots" not in {path.partition("/")[0] for path in project.files()}
    ran = project.audit("-q", "--snapshot-update")
    assert ran.report["findings"] == []
    kept = {path for path in project.files() if path.startswith("snapshots/evals")}
    assert kept == {"snapshots/evals/test_e.py/test_copies_tie.ambr"}


def test_an_answer_that_cannot_be_read_voids_its_trial_in_one_line(asked):
    path = asked.root / "snapshots/evals/test_e.py/mine.jsonl"
    path.write_text(path.read_text().replace('"text": ', '"text" ', 1))
    ran = asked.audit("-q")
    assert ran.code == 1
    assert "Traceback" not in ran.out + ran.err
    assert "snapshots/evals/test_e.py/mine.jsonl:2" in ran.out


def test_a_baseline_names_the_tasks_that_flipped_and_moves_no_gate(project):
    project.evals()
    project.audit()
    (project.root / "report.json").rename(project.root / "base.json")
    same = project.audit("--judge-baseline=base.json")
    assert "no task of 60 flipped" in same.out
    project.evals(body="    judge.compare(pair)\n    assert pair.id != 'c007'\n")
    ran = project.audit("--judge-baseline=base.json")
    (found,) = (one for one in ran.report["contrasts"] if one["kind"] == "baseline")
    assert [flip["task"] for flip in found["flipped"]] == ["c007"]
    assert "1 flipped: c007; p = 1 (exchangeability assumed)" in " ".join(ran.out.split())


EMPTY = {"schema": 1, "cells": [], "configurations": [], "trials": []}
GATE = {"id": "g", "kind": "clone_gate", "state": "PASS", "threshold": 0.05, "bound": 0.01}
FOREIGN = (
    {"protocol": None},
    {"gates": None},
    {"gates": ["g"]},
    {"gates": [{**GATE, "bound": "0.01"}]},
    {"gates": [{**GATE, "id": ["g"]}]},
    {"gates": [{**GATE, "kind": None}]},
    {"gates": [{**GATE, "threshold": True}]},
    {"gates": [{**GATE, "bound": 10**400}]},
    {"configurations": [{"study": "s", "judge": "j", "served": [None]}]},
)
"""Parts of reports by another hand."""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[]", "is no report of schema 1. Name one that --judge-report=FILE.json wrote."),
        ("{", "is no JSON. Name a report that --judge-report=FILE.json wrote."),
        (
            '{"schema": 1, "cells": [{}]}',
            "is no report of schema 1. Name one that --judge-report=FILE.json wrote.",
        ),
        *(
            (
                json.dumps({**EMPTY, **part}),
                "is no report of schema 1. Name one that --judge-report=FILE.json wrote.",
            )
            for part in FOREIGN
        ),
        (None, "cannot be read: No such file or directory. Name a JSON report."),
    ],
)
def test_a_baseline_that_is_no_report_is_refused(project, text, line):
    project.evals()
    if text is not None:
        project.write("base.json", text)
    ran = project.audit("--judge-baseline=base.json")
    assert (ran.code, ran.errors) == (4, [f"{project.root / 'base.json'}: {line}"])
