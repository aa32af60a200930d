"""Without ``--judge-audit``: every eval is one skipped item, whatever it asks for."""

from __future__ import annotations

EVALS = """
import unittest

import pytest

ROWS = "corpora/rows.jsonl"

@pytest.mark.clone_pairs(ROWS)
def test_ungated(judge, pair):
    raise OSError("it ran")

@pytest.mark.clone_pairs(ROWS)
def test_takes_nothing():
    raise OSError("it ran")

@pytest.mark.questions("q.toml", corpus="c")
@pytest.mark.blind_floor
def test_of_an_agent(agent, judges, question, arm, replicate, sandbox):
    raise OSError("it ran")

@pytest.mark.labelled_answers("a.jsonl")
def test_of_answers(judge, item):
    raise OSError("it ran")

@pytest.mark.signal_pairs(ROWS)
@pytest.mark.parametrize("tone", ["calm", "loud"])
def test_with_parameters(judge, pair, tone):
    raise OSError("it ran")

@pytest.mark.signal_pairs(ROWS)
@pytest.mark.parametrize("pair, judge", [(1, 2)])
def test_with_taken_parameters(judge, pair):
    raise OSError("it ran")

@pytest.mark.rate_gate
class TestMethods(unittest.TestCase):
    def test_method(self):
        raise OSError("it ran")

@pytest.mark.parametrize("judge", ["mine"])
def test_innocent(judge):
    assert judge == "mine"
"""


def test_every_eval_is_skipped_and_everything_else_runs(project):
    project.write("evals/test_e.py", EVALS)
    ran = project.run("-v", "--strict-markers")
    assert ran.code == 0
    shown = [line.split()[:2] for line in ran.out.splitlines() if line.startswith("evals/test_e.py::")]
    assert [(name.partition("::")[2], outcome) for name, outcome in shown] == [
        ("test_ungated[skipped]", "SKIPPED"),
        ("test_takes_nothing", "SKIPPED"),
        ("test_of_an_agent[skipped]", "SKIPPED"),
        ("test_of_answers[skipped]", "SKIPPED"),
        ("test_with_parameters[calm-skipped]", "SKIPPED"),
        ("test_with_parameters[loud-skipped]", "SKIPPED"),
        ("test_with_taken_parameters[1-2]", "SKIPPED"),
        ("TestMethods::test_method", "SKIPPED"),
        ("test_innocent[mine]", "PASSED"),
    ]


def test_options_that_need_the_audit_stop_the_run(project):
    project.evals()
    ran = project.run("--judge-live", "--judge=qwen")
    assert ran.code == 4
    assert ran.errors == ["--judge-live does nothing by itself. Add --judge-audit."]


WALKS = """
from _pytest.nodes import Node

walk, walked = Node.iter_markers_with_node, []

def counting(node, name=None):
    walked.append(node)
    return walk(node, name)

def pytest_configure():
    Node.iter_markers_with_node = counting

def pytest_unconfigure():
    Node.iter_markers_with_node = walk
    with open("walks.txt", "w") as file:
        file.write(str(len(walked)))
"""


def test_the_marks_of_tests_that_are_no_evals_are_walked_twice(project):
    """Once for each function and once for each item, however many markers of ours there are."""
    project.write("walks.py", WALKS)
    project.write("test_plain.py", "".join(f"def test_{n}(): pass\n" for n in range(20)))
    walks = []
    for plugins in (("walks",), ("walks", "judgeaudit")):
        assert project.run("test_plain.py", "--collect-only", plugins=plugins).code == 0
        walks.append(int((project.root / "walks.txt").read_text()))
    assert walks[1] - walks[0] == 2 * 20
