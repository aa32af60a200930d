"""What a person reads at the end of a run: all of it, word for word."""

from __future__ import annotations

import re

import pytest

EVALS = """
import pytest

ROWS = "corpora/rows.jsonl"

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate(upper=0.05)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs(ROWS)
@pytest.mark.utility_gate(lower=0.75)
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target

@pytest.mark.rate_gate(lower=0.5)
@pytest.mark.parametrize("value", range(3))
def test_rate(value):
    assert value != 1
"""
SECTION = """
MISS · 5 gates: 2 PASS, 3 MISS (2 as expected) · protocol unfrozen
configurations
  judge       state  served                       calls  invalid  tokens
  longest     OK     longest (in the process)       180        0       –
  first-slot  OK     first-slot (in the process)    180        0       –
cells
                      adverse   upper  adj. p  clone  utility   lower  signal  joint label
  longest neutral        0/60  4.87 %  0.0461  PASS     100 %  95.1 %  PASS    both gates pass
  first-slot neutral    60/60   100 %       1  MISS      50 %  38.7 %  MISS    neither (expected)
other cells and gates
  test_rate  2/3 succeed  bound 13.5 %, limit 50 %  MISS
"""


@pytest.fixture(scope="module")
def ran(new_project):
    project = new_project()
    project.judges(**{"longest": {}, "first-slot": {"expect": "uncertified"}})
    project.write("evals/test_e.py", EVALS)
    return project.audit("-p", "no:cacheprovider", columns=120)


def section(ran):
    lines = ran.out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip("= ") == "judge audit")
    end = next(i for i, line in enumerate(lines) if i > start and line.startswith("===="))
    return lines[start + 1 : end]


def test_gates_configurations_and_cells_are_tables(ran):
    lines = section(ran)
    wanted = SECTION.strip("\n").splitlines()
    # 2 of 3: the lower bound is the root of 3x² - 2x³ = 0.05.
    assert lines[: len(wanted)] == wanted


def test_findings_and_answers_close_the_section(ran):
    rest = section(ran)[len(SECTION.strip().splitlines()) :]
    rest = rest[rest.index("findings") :]
    codes = [line.split(":")[0].strip() for line in rest[1:] if re.match(r"  [a-z-]+: ", line)]
    assert codes == ["underpowered", "grades-not-accepted"]
    assert rest[-1] == "answers: 0 hit, 0 stale, 0 missing, 0 asked"


def test_the_section_is_short_and_as_wide_as_the_terminal(ran):
    lines = section(ran)
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 120


def test_a_missed_gate_says_what_it_claims_where_pytest_shows_failures(ran):
    shown = ran.out.partition("_ test_rate::rate_gate[all] _")[2]
    assert (
        "MISS: a success rate of at least 50 % is not supported by this evidence (2 of 3 (66.7 %), "
        "lower bound 13.5 % at 95 %, unadjusted); that is not evidence of the contrary\n"
        "  3 tasks cannot pass whatever the outcomes: at least 5 tasks are needed"
    ) in shown
    assert "FAILED evals/test_e.py::test_rate::rate_gate[all] - MISS: a success rate of at least" in shown


def test_without_an_eval_nothing_is_claimed(project):
    project.write("evals/test_plain.py", "def test_plain():\n    ...\n")
    ran = project.audit()
    assert ran.code == 0
    assert section(ran) == [
        "NO GATE · no gate was run · protocol unfrozen",
        "answers: 0 hit, 0 stale, 0 missing, 0 asked",
    ]
