"""A wall of items that failed alike: shown once in the terminal, and whole for everybody else."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

MINE = {"api": "python", "callable": "mine:ask"}
ASK = 'def ask(messages):\n    return \'{"winner": "tie"}\'\n'
FIRST = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate(upper=0.05)
def test_copies_tie(judge, pair):
    if pair.id == "c001":
        raise KeyError("a fault of the body")
    assert judge.compare(pair).tie
"""


@pytest.fixture(scope="module")
def project(new_project):
    """A judge of which nothing is stored: 60 items fail alike, and one by its own fault."""
    project = new_project()
    project.judges(mine=MINE, other=MINE)
    project.write("mine.py", ASK)
    project.write("evals/test_e.py", FIRST)
    return project


@pytest.fixture(scope="module", params=["-n0", "-n2"])
def ran(project, request):
    ran = project.audit(request.param, "--junitxml=junit.xml")
    cases = ET.parse(project.root / "junit.xml").iter("testcase")  # noqa: S314 - our own file
    ran.report["junit"] = [[child.tag for child in case] for case in cases]
    return ran


def part(ran, title):
    """The lines of one of pytest's sections."""
    lines = ran.out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip("= ") == title)
    end = next(i for i, line in enumerate(lines) if i > start and line.startswith("===="))
    return lines[start + 1 : end]


def test_the_first_of_many_is_shown_and_the_others_are_counted(ran):
    shown = [line for line in part(ran, "FAILURES") if "no stored answer" in line]
    assert len(shown) == 1
    assert shown[0].endswith("-clone-AB-1. Ask for it with --judge-live.")
    # 60 pairs, two judges; c001 fails by another fault, which is shown for each judge.
    assert "… and 117 more items of this module, for the same reason (-v shows each)" in ran.out
    assert ran.out.count("KeyError: 'a fault of the body'") >= 2


def test_the_short_summary_lists_one_of_each_and_says_how_many_it_leaves_out(ran):
    listed = part(ran, "short test summary info")
    failed = [line for line in listed if line.startswith("FAILED ")]
    assert len(failed) == 3
    assert sum("-c001-AB]" in line for line in failed) == 2
    assert listed[-1] == "… and 117 more, for the reasons above (-v lists each)"


def test_every_item_keeps_its_outcome(ran):
    assert ran.last.startswith("120 failed, 2 errors in ")
    assert ran.report["junit"].count(["failure"]) == 120
    assert (ran.code, ran.report["answers"]["missing"]) == (1, 118)


@pytest.fixture(scope="module")
def replay(new_project):
    """A replay of which nothing is stored, of one judge under two criteria."""
    project = new_project()
    project.judges(mine={**MINE, "criteria": ["neutral", "strict"]})
    project.evals()
    return project.audit()


def test_a_gate_says_a_reason_that_another_has_said_in_one_line(replay):
    assert [line for line in part(replay, "ERRORS") if line.startswith("HOLD: for")] == [
        "HOLD: for the same reasons as test_copies_tie::clone_gate[mine-neutral]"
    ]
    listed = part(replay, "short test summary info")
    assert sum(line.startswith("HOLD ") for line in listed) == 2


def test_the_finding_names_the_cause_once_with_the_count_and_what_to_run(replay):
    told = " ".join(line.strip() for line in part(replay, "judge audit"))
    assert (
        "120 trials measured nothing: c001 AB, c002 AB and 118 more (no stored answer. Ask for it" in told
    )
    assert told.count("no stored answer") == 1
    assert "(--judge-plan), then ask for it: pytest --judge-audit --judge-live" in told


def test_verbose_shows_every_item(project):
    ran = project.audit("-v")
    assert sum("Ask for it with --judge-live" in line for line in part(ran, "FAILURES")) == 118
    assert sum(line.startswith("FAILED ") for line in part(ran, "short test summary info")) == 120


def test_a_few_are_shown_one_by_one(new_project):
    project = new_project()
    project.judges(mine=MINE)
    project.pairs(3)
    project.evals()
    ran = project.audit()
    assert sum(line.startswith("FAILED ") for line in part(ran, "short test summary info")) == 3
    assert "more items" not in ran.out


@pytest.mark.parametrize("options", [("-rN",), ("--no-summary",), ("--tb=no",), ("--tb=line",)])
def test_what_a_user_switches_off_stays_off(project, options):
    ran = project.audit(*options, "-k", "not c001")
    assert ("more, for the reasons above" in ran.out) is options[0].startswith("--tb")
    # At --tb=line pytest before 9 shows the beginning of a text, one line; its list says how many follow.
    counted = {"-rN"} if pytest.version_tuple < (9,) else {"--tb=line", "-rN"}
    assert ("more items of this module" in ran.out) is (options[0] in counted)
    assert "118 failed" in ran.last


def test_others_that_count_in_the_summary_see_every_item(project):
    project.write(
        "conftest.py",
        "def pytest_terminal_summary(terminalreporter):\n"
        "    print('seen', len(terminalreporter.stats['failed']))\n",
    )
    try:
        assert "seen 120" in project.audit("-s").out
    finally:
        (project.root / "conftest.py").unlink()
