"""Wrong combinations: every one is told, in one usage error, alone and from the workers of xdist."""

from __future__ import annotations

import pytest

# Each test is wrong in one way; `said` below holds what a person reads of it.
WRONG = """
import unittest

import pytest

ROWS = "corpora/rows.jsonl"

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate(uper=0.05)
def test_argument(judge, pair): ...

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate
def test_no_pair(judge): ...

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate
def test_no_judge(pair): ...

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.utility_gate
def test_other_source(judge, pair): ...

@pytest.mark.clone_gate
def test_no_source(judge): ...

@pytest.mark.clone_pairs("corpora/rosw.jsonl")
@pytest.mark.clone_gate
def test_no_file(judge, pair): ...

@pytest.mark.clone_pairs("corpora/bad.jsonl")
@pytest.mark.clone_gate
def test_bad_rows(judge, pair): ...

@pytest.mark.clone_pairs(ROWS, strata=("empty",))
@pytest.mark.clone_gate
def test_edge(judge, pair): ...

@pytest.mark.rate_gate(lower=0.5, where={"arm": "blind"})
def test_nowhere(): ...

@pytest.mark.xfail
@pytest.mark.rate_gate(lower=0.5)
def test_xfail(): ...

@pytest.mark.rate_gate(lower=0.5)
@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.xfail), pytest.param(3, marks="XF")])
def test_xfail_of_one(x): ...

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate
@pytest.mark.parametrize("x, pair", [(1, 2)])
def test_twice(judge, pair, x): ...

class TestMethods:
    @pytest.mark.clone_pairs(ROWS)
    @pytest.mark.signal_pairs(ROWS)
    def test_two_sources(self, judge, pair): ...

class TestCase(unittest.TestCase):
    @pytest.mark.rate_gate(lower=0.5)
    def test_a(self): ...

    @pytest.mark.rate_gate(lower=0.5)
    def test_b(self): ...

def test_innocent(): ...
""".replace('marks="XF"', "marks=pytest.mark.xfail")

XFAIL = (
    "xfail would take trials out of the sample in silence. Of a judge that is known to be bad, "
    'write expect = "uncertified" in the configuration.'
)
SAID = {
    "test_argument": (
        "clone_gate: unknown argument 'uper', expected upper, confidence, adjust, family, study. "
        'Did you mean "upper"?'
    ),
    "test_no_pair": "clone_pairs: the test takes no argument `pair`. Add it to its arguments.",
    "test_no_judge": "clone_gate: the test takes no fixture `judge`. Add it to its arguments.",
    "test_other_source": "utility_gate: found the source clone_pairs, expected signal_pairs",
    "test_no_source": "clone_gate: found the source none, expected clone_pairs",
    "test_no_file": 'corpora/rosw.jsonl: there is no such file. Did you mean "rows.jsonl"?',
    "test_edge": (
        "clone_gate: found the strata empty, which are counted apart and never gated. "
        "Add core to strata, or leave the gate out."
    ),
    "test_nowhere": "rate_gate: where: found the arm 'blind', this test has 'all'",
    "test_xfail": XFAIL,
    "test_xfail_of_one": XFAIL,
    "test_twice": "parametrize: 'pair' is filled by clone_pairs. Rename yours.",
    "TestMethods::test_two_sources": (
        "found the markers clone_pairs and signal_pairs, expected one source. Write two tests."
    ),
    "TestCase::test_a": "this kind of test cannot be parametrised. Write a plain function.",
    "TestCase::test_b": "this kind of test cannot be parametrised. Write a plain function.",
}


@pytest.fixture
def wrong(project):
    project.write("evals/test_wrong.py", WRONG)
    project.write("corpora/bad.jsonl", '{"id": "a"\n{"prompt": "p"}\n')
    return project


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "n2"])
def test_all_faults_are_told_at_once_and_nothing_is_run(wrong, workers):
    ran = wrong.audit(*workers)
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    rows = [line for line in ran.errors if line.startswith("evals/test_wrong.py::test_bad_rows: ")]
    assert [line.split(": ")[1] for line in rows] == ["corpora/bad.jsonl:1", "corpora/bad.jsonl:2"]
    others = [line for line in ran.errors if line not in rows]
    assert others == [f"evals/test_wrong.py::{name}: {words}" for name, words in SAID.items()]
    assert "no tests ran" in ran.last
    assert not ran.report


def test_faults_are_told_when_items_are_only_listed(wrong):
    ran = wrong.audit("--collect-only", "-q")
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    assert len(ran.errors) == len(SAID) + 2


def test_without_the_audit_nothing_is_wrong(wrong):
    ran = wrong.run("-rs")
    assert ran.code == 0
    assert "an eval: run it with --judge-audit" in ran.out
    assert ran.last.startswith("1 passed, 17 skipped in ")


def test_a_marker_that_is_nearly_one_of_ours_is_refused_and_one_that_is_known_is_not(project):
    project.evals(marks="@pytest.mark.clone_gates(upper=0.3)")
    ran = project.audit(warn=True)
    said = 'clone_gates: unknown marker. Did you mean "clone_gate"?'
    assert (ran.code, ran.errors) == (4, [f"evals/test_e.py::test_copies_tie: {said}"])
    project.write("pytest.ini", "[pytest]\nmarkers =\n    clone_gates(upper): one of our own\n")
    assert project.audit().code == 0


def test_a_fixture_that_hides_the_plugins_is_refused_with_its_place(project):
    project.evals()
    project.write("evals/conftest.py", "import pytest\n\n@pytest.fixture\ndef judge():\n    ...\n")
    ran = project.audit()
    place = f"{project.root}/evals/conftest.py:3"
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    said = f"the fixture 'judge' at {place} hides the plug-in's. Rename yours."
    assert ran.errors == [f"evals/test_e.py::test_copies_tie: {said}"]


def test_a_fixture_of_that_name_is_fine_where_no_eval_asks_for_it(project):
    project.evals()
    project.write(
        "evals/unit/conftest.py", "import pytest\n\n@pytest.fixture\ndef judge():\n    return 7\n"
    )
    project.write("evals/unit/test_unit.py", "def test_it(judge):\n    assert judge == 7\n")
    ran = project.audit()
    assert (ran.code, ran.states()) == (0, {"clone_gate[longest-neutral]": "PASS"})
    assert ran.last.startswith("62 passed in ")
