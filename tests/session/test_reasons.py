"""Pytest's short summary says why, whichever pytest it is: of gates and of trials that measured nothing."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.session.conftest import CLONES

MINE = {"api": "python", "callable": "mine:ask"}
ASK = 'def ask(messages):\n    return \'{"winner": "tie"}\'\n'
OTHER = """
import pytest

@pytest.mark.xfail(strict=True, reason="it is mended")
def test_mended():
    pass
"""


def listed(ran):
    """The lines of the short summary."""
    _, _, text = ran.out.partition(" short test summary info ")
    return [line for line in text.splitlines() if line.startswith(("FAILED ", "HOLD "))]


@pytest.mark.parametrize("options", [(), ("-n2",), ("-v",)], ids=["alone", "n2", "verbose"])
def test_a_trial_without_an_answer_and_its_gate_say_why(new_project, options):
    project = new_project()
    project.judges(mine=MINE)
    project.write("mine.py", ASK)
    project.evals()
    lines = listed(project.audit(*options, columns=200))
    (gate,) = (line for line in lines if line.startswith("HOLD "))
    assert "::clone_gate[mine-neutral] - HOLD: " in gate
    items = [line for line in lines if line.startswith("FAILED ")]
    assert len(items) == (60 if "-v" in options else 1)
    assert all("-AB] - no stored answer for test_copies_tie-mine-" in line for line in items)


def test_a_missed_gate_says_why(new_project):
    project = new_project()
    project.evals(CLONES.replace(".tie", ".tie and pair.id > 'c009'"))
    ran = project.audit("--junitxml=junit.xml", columns=200)
    (gate,) = listed(ran)
    assert "::clone_gate[longest-neutral] - MISS: " in gate
    (failure,) = ET.parse(project.root / "junit.xml").iter("failure")  # noqa: S314 - our own file
    assert failure.get("message") == failure.text


def test_the_lines_of_other_tests_are_pytests_own(new_project):
    project = new_project()
    project.evals()
    project.write("tests/test_o.py", OTHER)
    with_us = listed(project.audit("evals", "tests", columns=200))
    without = listed(project.run("tests", plugins=("xdist", "syrupy"), columns=200))
    assert with_us == without
    assert len(with_us) == 1
