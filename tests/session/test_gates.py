"""Gates as items: the reports that pytest and every other reader see."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.session.gates import GateItem, emit, pytest_report_teststatus

ID = "evals/test_e.py::TestA::test_x::clone_gate[qwen-neutral]"


class Session:
    """A session that notes which hooks were called."""

    def __init__(self, collected=10):
        self.testscollected = collected
        self.calls = []
        names = ("pytest_runtest_logstart", "pytest_runtest_logreport", "pytest_runtest_logfinish")
        hooks = {name: lambda name=name, **given: self.calls.append((name, given)) for name in names}
        self.config = SimpleNamespace(hook=SimpleNamespace(**hooks))

    @property
    def reports(self):
        return [given["report"] for name, given in self.calls if name.endswith("logreport")]


def item(outcome, text="why"):
    return GateItem(id=ID, outcome=outcome, text=text, location=("evals/test_e.py", 6))


@pytest.mark.parametrize(
    ("outcome", "phases"),
    [
        ("passed", [("setup", "passed"), ("call", "passed"), ("teardown", "passed")]),
        ("failed", [("setup", "passed"), ("call", "failed"), ("teardown", "passed")]),
        ("error", [("setup", "failed"), ("teardown", "passed")]),
        ("skipped", [("setup", "passed"), ("call", "skipped"), ("teardown", "passed")]),
    ],
)
def test_a_gate_has_the_phases_of_a_test_with_its_outcome(outcome, phases):
    session = Session()
    emit(session, [item(outcome)])
    assert [(report.when, report.outcome) for report in session.reports] == phases
    assert {report.nodeid for report in session.reports} == {ID}


def test_what_a_person_reads_is_in_the_report_that_failed():
    session = Session()
    emit(session, [item("failed", "MISS: too many"), item("error", "HOLD: a hole")])
    shown = [report.longreprtext for report in session.reports if report.failed]
    assert shown == ["MISS: too many", "HOLD: a hole"]


def test_a_skipped_gate_names_the_line_of_its_test_from_one():
    session = Session()
    emit(session, [item("skipped", "PARTIAL: a part")])
    (report,) = (report for report in session.reports if report.skipped)
    assert report.longrepr == ("evals/test_e.py", 7, "PARTIAL: a part")
    assert report.location == ("evals/test_e.py", 6, "TestA::test_x::clone_gate[qwen-neutral]")


def test_held_gates_are_counted_and_all_gates_are_announced_once():
    session = Session(collected=10)
    items = [item("error"), item("passed"), item("error")]
    assert emit(session, items, announced=2) == 2
    assert session.testscollected == 11
    names = [name.removeprefix("pytest_runtest_") for name, _ in session.calls]
    assert names[:5] == ["logstart", "logreport", "logreport", "logfinish", "logstart"]


def test_only_a_held_gate_has_a_word_of_its_own():
    session = Session()
    emit(session, [item("error"), item("failed")])
    statuses = [pytest_report_teststatus(report) for report in session.reports]
    assert statuses[0] == ("error", "H", ("HOLD", {"yellow": True}))
    assert statuses[1:] == [None] * 4


# Judges that are known to be bad

MINE = """
def prose(messages):
    return "I would rather not say."

def broken(messages):
    raise OSError("no model")
"""
STUDY = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate(upper=0.3)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs("corpora/rows.jsonl")
@pytest.mark.utility_gate
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""


@pytest.fixture(scope="module")
def controls(new_project):
    project = new_project()
    bad = {"expect": "uncertified"}
    project.judges(
        **{"first-slot": bad, "longest": bad, "always-tie": bad},
        prose={"api": "python", "callable": "mine:prose", **bad},
        broken={"api": "python", "callable": "mine:broken", **bad},
    )
    project.pairs(20)
    project.write("mine.py", MINE)
    project.write("evals/test_e.py", STUDY)
    return project.audit("--judge-live", "-q")


@pytest.mark.parametrize(
    ("judge", "clone", "utility"),
    [
        ("first-slot", ("MISS", "passed"), ("MISS", "passed")),
        ("prose", ("HOLD", "passed"), ("HOLD", "passed")),
        ("always-tie", ("PASS", "passed"), ("MISS", "passed")),
        ("longest", ("PASS", "passed"), ("PASS", "failed")),
        ("broken", ("HOLD", "error"), ("HOLD", "error")),
    ],
)
def test_a_judge_known_to_be_bad_passes_by_failing_and_fails_by_passing_both(
    controls, judge, clone, utility
):
    gates = {gate["kind"]: gate for gate in controls.report["gates"] if gate["judge"] == judge}
    found = [(gates[kind]["state"], gates[kind]["outcome"]) for kind in ("clone_gate", "utility_gate")]
    assert found == [clone, utility]


def test_what_a_control_did_is_told_in_words(controls):
    assert controls.code == 1
    assert controls.report["state"] == "miss"
    assert "(5 as expected)" in controls.out
    findings = [one["code"] for one in controls.report["findings"]]
    assert "uncertified-passed" in findings


def test_invalid_output_has_a_letter_and_a_word_of_its_own(controls):
    assert ", 60 invalid" in controls.last
    prose = [one for one in controls.report["configurations"] if one["judge"] == "prose"]
    assert [(one["calls"], one["invalid"]) for one in prose] == [(60, 60)]
