"""``--lf`` runs the tests of gates that failed, beside whatever else failed."""

from __future__ import annotations

import json
import shutil

import pytest

EVALS = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate(upper=0.05)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs("corpora/rows.jsonl")
@pytest.mark.utility_gate(lower=0.75)
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target

class TestRates:
    @pytest.mark.rate_gate(lower=0.9)
    @pytest.mark.parametrize("n", range(30))
    def test_rate(self, n):
        assert n > 3

def test_plain():
    import os
    assert "PLAIN" in os.environ
"""
CLONE, UTILITY, RATE = "clone_gate[first-neutral]", "utility_gate[first-neutral]", "rate_gate[all]"


@pytest.fixture(scope="module")
def once(new_project):
    """A project in which gates missed, one in a class too, and a plain test failed."""
    project = new_project()
    project.judges(first={"model": "first-slot"})
    project.write("evals/test_e.py", EVALS)
    project.write("evals/test_other.py", "def test_fine(): ...\n")
    ran = project.audit()
    assert ran.states() == {CLONE: "MISS", UTILITY: "MISS", RATE: "MISS"}
    return project


@pytest.fixture
def failed(once, project):
    """A copy of it, of which nothing is known but what failed."""
    shutil.copytree(once.root, project.root, dirs_exist_ok=True)
    return project


def remembered(project):
    return json.loads((project.root / ".pytest_cache/v/cache/lastfailed").read_text("utf-8"))


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["alone", "workers"])
def test_gates_that_missed_are_decided_again_beside_a_test_that_failed(failed, monkeypatch, options):
    monkeypatch.setenv("PLAIN", "passes now")
    ran = failed.audit("--lf", *options)
    assert (ran.code, ran.states()) == (1, {CLONE: "MISS", UTILITY: "MISS", RATE: "MISS"})
    assert set(remembered(failed)) == {
        f"evals/test_e.py::test_copies_tie::{CLONE}",
        f"evals/test_e.py::test_better_wins::{UTILITY}",
        f"evals/test_e.py::TestRates::test_rate::{RATE}",
    }


def test_only_tests_whose_gates_failed_are_run_again(failed, monkeypatch):
    monkeypatch.setenv("PLAIN", "passes now")
    failed.judges(first={"model": "longest"})
    assert failed.audit("-k", "not Rates").code == 0
    ran = failed.audit("--lf")
    assert (ran.code, ran.states()) == (1, {RATE: "MISS"})
    assert ran.last.startswith("1 failed, 26 passed, 182 deselected, 4 adverse in ")


def test_a_gate_that_passes_is_no_failure_any_more(failed, monkeypatch):
    monkeypatch.setenv("PLAIN", "passes now")
    failed.judges(first={"model": "longest"})
    failed.write("evals/test_e.py", EVALS.replace("assert n > 3\n", "assert True\n"))
    assert failed.audit("--lf").code == 0
    assert remembered(failed) == {}
