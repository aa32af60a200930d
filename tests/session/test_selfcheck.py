"""``--judge-selfcheck``: every planted fault is caught, and one that goes by is told."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_judgeaudit.session import planted, planting, selfcheck

FAULTS = {
    "program (no fault)", "first-slot", "second-slot", "coin", "always-tie", "fenced", "longest",
    "constant-score", "prose", "evidence (no fault)", "peeking agent",
    "program, single answers", "always-accept", "always-reject", "coin, single answers",
    "fenced, single answers", "served-by-another-model", "duplicate", "missing", "stale",
}  # fmt: skip


@pytest.mark.slow
def test_every_planted_fault_is_caught_and_nothing_is_left_behind(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--judge-selfcheck"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    caught = {text.split("  ")[2] for text in done.stdout.splitlines() if text.startswith("  caught")}
    assert caught == FAULTS
    assert list(tmp_path.iterdir()) == []


def test_the_faults_are_those_of_all_projects():
    assert {check.fault for one in planted.projects() for check in one.checks} == FAULTS


def clean(judge):
    """A report in which a judge did nothing wrong, of both cells."""
    cell = {
        "judge": judge,
        "tasks": 60,
        "counts": {"adverse": 0},
        "estimate": 1.0,
        "patterns": {"position": 0, "stable": 60},
    }
    configuration = {"judge": judge, "state": "OK", "invalid_rate": 0.0, "reasons": []}
    return {
        "cells": [{**cell, "arm": arm} for arm in ("clone", "signal")],
        "joint": [{"judge": judge, "label": "both gates pass"}],
        "configurations": [configuration],
        "answers": {"stale": 0, "hit": 180},
        **level(),
    }


def level():
    """What a report says of judges that score answers with and without access alike, all of them blind."""
    judges = ("constant-score", "prose", "evidence")
    floor = {"judges": {name: {"floor": 50.0} for name in judges}, "verified_blind": True, "reasons": []}
    scored = {"arm": "sighted", "judges": {name: {"total": 50.0} for name in judges}}
    agents = ("reader", "peeking")
    return {
        "floors": [{"agent": name, **floor} for name in agents],
        "grades": [{"agent": name, **scored} for name in agents],
        "gates": [
            *(
                {"judge": None, "agent": name, "kind": "blind_floor", "state": "REPORTED"}
                for name in agents
            ),
            *(
                {"judge": name, "agent": None, "kind": "rate_gate", "arm": arm, "state": "PASS"}
                for name in ("always-accept", "always-reject", "coin", "fenced")
                for arm in planted.ALL_ARMS
            ),
        ],
    }


@pytest.mark.parametrize("fault", sorted(FAULTS - {"program (no fault)", "program, single answers"}))
def test_a_fault_that_leaves_no_trace_is_missed(fault):
    (look,) = (check.look for one in planted.projects() for check in one.checks if check.fault == fault)
    with pytest.raises(planting.Missed, match="expected"):
        look(clean(fault))


def test_a_fault_that_goes_by_fails_the_check(monkeypatch, capsys):
    monkeypatch.setattr(selfcheck, "projects", lambda: [planting.Planted({}, [()], planted.STALE)])
    monkeypatch.setattr(selfcheck, "_audited", lambda *_: clean("stale"))
    assert selfcheck.check() == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  MISSED  stale                    expected (180, 0), found (0, 180)",
        "1 of the planted faults went by",
    ]


def test_a_run_without_a_report_fails_the_check(monkeypatch, capsys):
    nothing = planting.Planted({}, [("--judge-report=no.docx",)], planted.STALE)
    monkeypatch.setattr(selfcheck, "projects", lambda: [nothing])
    assert selfcheck.check() == 1
    assert "MISSED  stale" in capsys.readouterr().out
