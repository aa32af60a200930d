"""What becomes of an item: an assertion is an observation, anything else voids its trial."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

# One item of each test (c007) does what its name says; the other 59 are a plain success.
EVALS = """
import pytest

def an_eval(test):
    test = pytest.mark.clone_gate(study=test.__name__)(test)
    return pytest.mark.clone_pairs("corpora/rows.jsonl")(test)

@pytest.fixture
def setup_fails(pair):
    assert pair.id != "c007", "no disk"

@pytest.fixture
def teardown_fails(pair):
    yield
    assert pair.id != "c007", "no disk"

@an_eval
def test_assertion(judge, pair):
    assert judge.compare(pair).tie and pair.id != "c007"

@an_eval
def test_group_of_assertions(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        inner = ExceptionGroup("inner", [AssertionError("b")])
        raise ExceptionGroup("outer", [AssertionError("a"), inner])

@an_eval
def test_mixed_group(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        raise ExceptionGroup("outer", [AssertionError("a"), OSError("b")])

@an_eval
def test_soft_assertion(judge, pair):
    judge.compare(pair)

@an_eval
def test_checks(judge, pair):
    judge.compare(pair)

@an_eval
def test_checks_and_error(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        raise OSError("gone")

@an_eval
def test_skip(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        pytest.skip("not today")

@an_eval
def test_xfail(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        pytest.xfail("known")

@an_eval
def test_fail(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        pytest.fail("no")

@an_eval
def test_did_not_raise(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        with pytest.raises(ValueError):
            pass

@an_eval
def test_error(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        raise OSError("gone")

@an_eval
def test_error_before(judge, pair):
    if pair.id == "c007":
        raise OSError("gone")
    judge.compare(pair)

@an_eval
def test_assertion_before(judge, pair):
    assert pair.id != "c007", "of something else"
    judge.compare(pair)

@an_eval
def test_never_asked(judge, pair):
    if pair.id != "c007":
        judge.compare(pair)

@an_eval
def test_setup(judge, pair, setup_fails):
    judge.compare(pair)

@an_eval
def test_teardown(judge, pair, teardown_fails):
    judge.compare(pair)

@an_eval
def test_another_pair(judge, pair):
    from pytest_judgeaudit.records.items import Pair
    judge.compare(Pair(id="x", prompt="", first="", second="", target="tie", kind="clone")
                  if pair.id == "c007" else pair)

@an_eval
def test_no_question(judge, pair):
    judge.compare(pair)
    if pair.id == "c007":
        judge.score(None, None)
"""
# Core since pytest 9; before, the fixture is that of a plug-in, beside which tests/neighbours runs.
HAS_SUBTESTS = pytest.version_tuple >= (9,)
SUBTESTS = """
@an_eval
def test_subtests(judge, pair, subtests):
    for number in range(3):
        with subtests.test(number=number):
            assert judge.compare(pair).tie and (pair.id != "c007" or number == 2)
"""
# Plug-ins for soft assertions fail the report of the call; pytest-check 3 also makes up an exception.
SOFT = """
import pytest

@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" and "c007" in item.nodeid and "test_soft" in item.nodeid:
        report.outcome = "failed"
    if call.when == "call" and "c007" in item.nodeid and "test_checks" in item.nodeid:
        report.outcome, report.longrepr = "failed", "FAILURE: of a check"
        try:
            raise AssertionError(report.longrepr)
        except AssertionError:
            call.excinfo = pytest.ExceptionInfo.from_current()
    return report
"""

OBSERVED = (
    "test_assertion",
    "test_group_of_assertions",
    "test_soft_assertion",
    "test_checks",
)
IF_SUBTESTS = pytest.param(
    "test_subtests",
    marks=pytest.mark.skipif(not HAS_SUBTESTS, reason="pytest before 9 has no subtests of its own"),
)
ADVERSE = len(OBSERVED) + HAS_SUBTESTS
VOID = {
    "test_mixed_group": "failed in call: ExceptionGroup: outer (2 sub-exceptions)",
    "test_checks_and_error": "failed in call: AssertionError: FAILURE: of a check",
    "test_skip": "skipped: not today",
    "test_xfail": "xfailed: known",
    "test_fail": "failed in call: Failed: no",
    "test_did_not_raise": "failed in call: Failed: DID NOT RAISE",
    "test_error": "failed in call: OSError: gone",
    "test_error_before": "failed before judge.compare(pair) was called: OSError: gone",
    "test_assertion_before": (
        "failed before judge.compare(pair) was called: AssertionError: of something else"
    ),
    "test_never_asked": "the test ended without a verdict: it never called judge.compare(pair)",
    "test_setup": "failed in setup: AssertionError: no disk",
    "test_teardown": "failed in teardown: AssertionError: no disk",
    "test_another_pair": "judge.compare was given another pair than the item's. Pass `pair` itself.",
    "test_no_question": "judge.score needs a question of a source. Mark the test with questions.",
}
GREEN = ("test_skip", "test_xfail", "test_never_asked")
"""Tests whose void item fails nothing: only their gate shows it."""


@pytest.fixture(scope="module")
def ran(new_project):
    project = new_project()
    project.write("evals/test_e.py", EVALS + (SUBTESTS if HAS_SUBTESTS else ""))
    project.write("conftest.py", SOFT)
    ran = project.audit("--junitxml=junit.xml")
    cases = ET.parse(project.root / "junit.xml").iter("testcase")  # noqa: S314 - our own file
    ran.report["junit"] = {_name(case): [child.tag for child in case] for case in cases}
    return ran


def _name(case):
    name = case.get("name")
    return name if name.startswith("test") else f"{case.get('classname').rpartition('.')[2]}::{name}"


@pytest.mark.parametrize("test", [*OBSERVED, IF_SUBTESTS])
def test_a_failed_assertion_is_one_adverse_trial_and_no_failure(ran, test):
    gate = ran.gate_of(test)
    (cell,) = (cell for cell in ran.report["cells"] if cell["eval"] == gate["eval"])
    # 1 of 60: the upper bound of Clopper and Pearson is 7.66 % (R: binom.test(1, 60)).
    assert (gate["state"], cell["counts"]["adverse"]) == ("MISS", 1)
    assert gate["bound"] == pytest.approx(0.0766, abs=5e-5)
    assert ran.report["junit"][f"{test}[longest-neutral-c007-AB]"] == []
    assert ran.report["junit"][f"{test}::clone_gate[longest-neutral]"] == ["failure"]


@pytest.mark.parametrize(("test", "reason"), VOID.items())
def test_anything_else_voids_the_trial_and_holds_the_gate(ran, test, reason):
    gate = ran.gate_of(test)
    assert (gate["state"], gate["bound"]) == ("HOLD", None)
    # A reason is cut: the item's own line says the rest.
    (said,) = gate["reasons"]
    assert said.startswith(f"1 trial measured nothing: c007 AB ({reason[:70]}")
    assert ran.report["junit"][f"{test}::clone_gate[longest-neutral]"] == ["error"]


@pytest.mark.parametrize("test", [test for test in VOID if test not in GREEN])
def test_a_real_failure_stays_one(ran, test):
    tags = ran.report["junit"][f"{test}[longest-neutral-c007-AB]"]
    assert tags == ["error" if test in {"test_setup", "test_teardown"} else "failure"]


def test_adverse_trials_have_a_letter_and_a_word_of_their_own(ran):
    progress = [line for line in ran.out.splitlines() if line.startswith("evals/test_e.py ")]
    assert "a" in "".join(progress)
    assert ran.last.rpartition(", ")[2].startswith(f"{ADVERSE} adverse in ")


def test_a_void_trial_is_told_without_a_traceback(ran):
    # The message is that of an error of ours, made for a person: nothing else is shown of it.
    title = "_ test_another_pair[longest-neutral-c007-AB] _"
    lines = ran.out.splitlines()
    at = next(number for number, line in enumerate(lines) if title in line)
    assert lines[at + 1] == VOID["test_another_pair"]
    assert lines[at + 2].startswith("____")


def test_the_closing_line_counts_items_and_gates_alike(ran):
    failed_items = len(VOID) - len(GREEN) - 2  # all but those of setup and teardown, which are errors
    failed, _, skipped, xfailed, errors, _ = ran.last.rpartition(" in ")[0].split(", ")
    assert failed == f"{failed_items + ADVERSE} failed"
    assert (skipped, xfailed) == ("1 skipped", "1 xfailed")
    assert errors == f"{len(VOID) + 2} errors"
    assert ran.code == 1


RENDERED = """
import pytest

def pytest_exception_interact(call):
    print("to debuggers:", "getrepr" in vars(call.excinfo), len(call.excinfo.traceback) > 1)

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call):
    rendered = []
    whole = pytest.ExceptionInfo.getrepr
    pytest.ExceptionInfo.getrepr = lambda self, **how: rendered.append(self) or whole(self, **how)
    report = yield
    pytest.ExceptionInfo.getrepr = whole
    if call.excinfo:
        print("tracebacks:", len(rendered), report.longrepr)
    return report
"""


def test_no_traceback_is_rendered_where_an_error_speaks_for_itself(project):
    project.write("evals/test_e.py", EVALS)
    project.write("rendered.py", RENDERED)
    ran = project.audit("-s", "-k", "c007 and (pair or error)", plugins=("judgeaudit", "xdist", "rendered"))
    assert f"tracebacks: 0 {VOID['test_another_pair']}" in ran.out
    assert "tracebacks: 1 " in ran.out
    assert "to debuggers: False True" in ran.out
