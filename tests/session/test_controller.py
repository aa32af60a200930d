"""The run as a whole: exit codes, holes, selections, and the same report whatever runs it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from pytest_judgeaudit.records.plans import Finding, Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.controller import Gathered, collected
from pytest_judgeaudit.session.wire import PLAN, TRIAL, plan_to_json

CLONE, SIGNAL = "test_copies_tie", "test_better_wins"
BREAKS = "    if pair.id == 'c007':\n        raise OSError('gone')\n"


# What arrives


def report(when="call", nodeid="t", **attributes):
    made = pytest.TestReport(
        nodeid=nodeid, location=("f", 0, "t"), keywords={}, outcome="passed", longrepr=None, when=when
    )
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def trial(outcome, task="c1"):
    return Trial(cell="c", task=task, order="AB", outcome=outcome)


def received(*reports):
    gathered = Gathered()
    for one in reports:
        gathered.receive(one)
    return gathered


def test_a_failed_teardown_replaces_the_trial_of_its_item():
    call = report(**{TRIAL: trial("success").to_json()})
    teardown = report("teardown", **{TRIAL: trial("void").to_json()})
    assert received(call, teardown).trials == [trial("void")]


def test_a_crash_voids_the_trial_of_an_item_that_had_not_ended():
    """As xdist reports it: a worker may die after a call was reported, and before its teardown was."""
    call, crash = report(**{TRIAL: trial("success").to_json()}), report("???", outcome="failed")
    (voided,) = received(call, crash).trials
    assert voided == replace(trial("void"), reason="its worker crashed before the item had ended")
    broken = replace(trial("void"), reason="failed in setup")
    assert received(report("setup", **{TRIAL: broken.to_json()}), crash).trials == [broken]
    ended = received(call)
    ended.forget("t")
    ended.receive(crash)
    assert ended.trials == [trial("success")]


def test_an_item_that_ran_twice_has_two_trials():
    call = report(**{TRIAL: trial("success").to_json()})
    teardown = report("teardown", **{TRIAL: trial("void").to_json()})
    assert received(call, call, teardown).trials == [trial("success"), trial("void")]


def test_the_first_plan_counts_and_other_reports_carry_nothing():
    first, second = plan_to_json(Plan(seed=1)), plan_to_json(Plan(seed=2))
    found = received(report(), report(**{PLAN: first}), report(**{PLAN: second}))
    assert (found.plan, found.trials) == (Plan(seed=1), [])


def test_only_what_was_not_collected_becomes_a_held_item():
    findings = [
        Finding(code="unused-answers", where="a", symptom="s", check="c"),
        Finding(code="not-collected", where="evals/test_b.py", symptom="it was skipped", check="why"),
    ]
    (item,) = collected(findings)
    assert (item.id, item.outcome) == ("evals/test_b.py::collected", "error")
    assert item.text == "HOLD: it was skipped. Check why."


# Exit status


@pytest.mark.parametrize(
    ("body", "code", "state", "item"),
    [
        ("", 0, "PASS", None),
        ("    judge.compare(pair)\n    assert pair.id != 'c007'\n", 1, "MISS", "failure"),
        ("    if pair.id == 'c007':\n        pytest.skip('no')\n", 10, "HOLD", "error"),
        (BREAKS, 1, "HOLD", "error"),
    ],
    ids=["pass", "miss", "hold", "hold and a failure"],
)
def test_the_exit_status_says_what_became_of_the_gates(project, body, code, state, item):
    project.evals(body=body)
    ran = project.audit("--junitxml=junit.xml", "-q")
    assert (ran.code, ran.gate()["state"]) == (code, state)
    assert ran.report["state"] == state.lower()
    cases = ET.parse(project.root / "junit.xml").iter("testcase")  # noqa: S314 - our own file
    (gate,) = (case for case in cases if case.get("name") == "clone_gate[longest-neutral]")
    assert [child.tag for child in gate] == ([item] if item else [])
    assert gate.get("classname") == "evals.test_e.test_copies_tie"


def test_a_hold_beside_an_unused_snapshot_of_the_users_own_is_no_mere_hold(project):
    project.evals(body="    if pair.id == 'c007':\n        pytest.skip('no')\n")
    project.write("tests/test_s.py", "def test_s(snapshot):\n    assert snapshot == 1\n")
    project.write(
        "tests/__snapshots__/test_s.ambr",
        "# serializer version: 1\n# name: test_s\n  1\n# ---\n# name: test_gone\n  2\n# ---\n",
    )
    ran = project.audit("evals", "tests")
    assert "1 snapshot unused" in ran.out
    assert (ran.code, ran.gate()["state"]) == (1, "HOLD")


# Holes


def test_a_worker_that_crashes_leaves_a_hole(project):
    project.evals(body="    import os\n    if pair.id == 'c007':\n        os._exit(3)\n")
    ran = project.audit("-n2")
    assert (ran.code, ran.gate()["state"]) == (1, "HOLD")
    assert ran.gate()["reasons"] == ["1 presentation without a trial: c007 AB"]


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "n2"])
def test_an_eval_module_that_skips_itself_is_held(project, workers):
    project.evals()
    project.write("evals/test_b.py", "import pytest\n\npytest.importorskip('no_such_module')\n")
    ran = project.audit(*workers)
    reason = "Skipped: could not import 'no_such_module': No module named 'no_such_module'"
    assert (ran.code, ran.report["state"]) == (10, "hold")
    assert ran.finding("not-collected")["symptom"] == (
        f"the eval module was skipped while it was collected: {reason}"
    )
    assert "HOLD evals/test_b.py::collected - HOLD: the eval module was skipped" in ran.out
    assert ran.states() == {"clone_gate[longest-neutral]": "PASS"}


def test_an_eval_module_that_cannot_be_imported_is_no_pass_of_the_others(project):
    project.evals()
    project.write("evals/test_b.py", "import no_such_module\n")
    ran = project.audit("--continue-on-collection-errors")
    assert (ran.code, ran.report["state"]) == (1, "hold")
    assert ran.finding("not-collected")["symptom"] == (
        "the eval module could not be collected: ModuleNotFoundError: No module named 'no_such_module'"
    )
    ran = project.audit()
    assert (ran.code, ran.states()) == (2, {"clone_gate[longest-neutral]": "PARTIAL"})


def test_a_module_outside_the_evals_may_skip_itself(project):
    project.evals()
    project.write("tests/test_b.py", "import pytest\n\npytest.importorskip('no_such_module')\n")
    assert project.audit("tests", "evals").code == 0


# Selections


@pytest.fixture(scope="module")
def two(new_project):
    """A project of two evals, and what a full run with one failing item found."""
    project = new_project()
    project.evals(body=BREAKS)
    text = (project.root / "evals/test_e.py").read_text() + SIGNAL_EVAL
    project.write("evals/test_e.py", text)
    return project, project.audit()


SIGNAL_EVAL = """
@pytest.mark.signal_pairs("corpora/rows.jsonl")
@pytest.mark.utility_gate(lower=0.75, study="signal")
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""


@pytest.mark.parametrize(
    ("options", "clone", "signal"),
    [
        (["-k", "c00"], "PARTIAL", "PARTIAL"),
        (["-k", "better"], None, "PASS"),
        (["evals/test_e.py::test_better_wins[longest-neutral-c001-AB]"], None, "PARTIAL"),
        (["evals/test_e.py::test_better_wins::utility_gate[longest-neutral]"], None, "PASS"),
        (["evals/test_e.py::test_copies_tie::grades[longest-neutral]"], "HOLD", None),
        (["--deselect", "evals/test_e.py::test_copies_tie[longest-neutral-c007-AB]"], "PARTIAL", "PASS"),
        (["--lf"], "PARTIAL", None),
        (["--ff"], "HOLD", "PASS"),
        (["-x"], "PARTIAL", "PARTIAL"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_a_gate_of_which_a_part_was_run_is_partial(two, options, clone, signal):
    project, full = two
    assert (full.gate_of(CLONE)["state"], full.gate_of(SIGNAL)["state"]) == ("HOLD", "PASS")
    (project.root / ".pytest_cache/v/cache/lastfailed").write_text(
        json.dumps({"evals/test_e.py::test_copies_tie[longest-neutral-c007-AB]": True})
    )
    ran = project.audit(*options)
    states = {gate["eval"].rpartition("::")[2]: gate["state"] for gate in ran.report["gates"]}
    wanted = {CLONE: clone, SIGNAL: signal}
    assert states == {test: state for test, state in wanted.items() if state}
    assert ran.code == (1 if "c007" in ran.out else 0)


def test_workers_that_are_stopped_leave_partial_gates_too(two):
    project, _ = two
    ran = project.audit("-x", "-n2")
    assert (ran.code, ran.gate_of(CLONE)["state"]) == (pytest.ExitCode.INTERRUPTED, "PARTIAL")
    assert "Interrupted: stopping after 1 failures" in ran.out


def test_a_partial_gate_is_skipped_and_leaves_the_exit_status_alone(two):
    project, _ = two
    ran = project.audit("-k", "better and c00", "-rs")
    assert (ran.code, ran.report["state"]) == (0, "partial")
    assert "PARTIAL" in next(line for line in ran.out.splitlines() if line.startswith("SKIPPED"))
    assert ran.last.startswith("18 passed, 1 skipped, 162 deselected in ")
    assert "PARTIAL · 1 gate: 1 PARTIAL" in ran.out


def test_an_ordinary_failure_is_no_pass_in_the_report_or_the_headline(project):
    project.evals()
    text = (project.root / "evals/test_e.py").read_text("utf-8")
    project.write("evals/test_e.py", text + "\n\ndef test_of_mine():\n    raise ValueError\n")
    ran = project.audit()
    assert (ran.code, ran.gate()["state"], ran.report["state"]) == (1, "PASS", "miss")
    assert "FAILED · 1 gate: 1 PASS" in ran.out
    ran = project.audit("-k", "c001 or mine")
    assert (ran.code, ran.gate()["state"], ran.report["state"]) == (1, "PARTIAL", "miss")
    assert "FAILED · 1 gate: 1 PARTIAL" in ran.out


def test_nothing_is_evaluated_where_items_are_only_listed(two):
    project, _ = two
    ran = project.audit("--collect-only", "-q")
    assert (ran.code, ran.report) == (0, {})
    assert ran.last.startswith("180 tests collected in ")


def test_an_observation_neither_stops_nor_debugs(project):
    project.evals(body="    judge.compare(pair)\n    assert pair.id not in ('c003', 'c007')\n")
    ran = project.audit("-x", "--pdb")
    assert (ran.code, ran.gate()["state"]) == (1, "MISS")
    assert "Pdb" not in ran.out
    assert ran.last.startswith("1 failed, 58 passed, 2 adverse in ")


# The same report, whatever runs it

MANY = """
import pytest

ROWS = "corpora/rows.jsonl"

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.clone_gate(upper=0.3)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.equivalent_pairs("corpora/same.jsonl")
def test_equivalents_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs(ROWS)
@pytest.mark.utility_gate(lower=0.75)
@pytest.mark.parametrize("tone", ["calm", "loud"])
def test_better_wins(judge, pair, tone):
    assert judge.compare(pair).winner == pair.target

@pytest.mark.rate_gate(lower=0.5)
@pytest.mark.parametrize("n", range(20))
def test_rate(n):
    assert n != 7
"""


@pytest.fixture(scope="module")
def many(new_project):
    """Two judges, one known to be bad, and evals of every kind; and what a plain run found."""
    project = new_project()
    project.judges(
        longest={"criteria": ["neutral", "strict"]},
        first={"model": "first-slot", "expect": "uncertified"},
    )
    project.pairs(20)
    same = (
        '{"id": "e1", "prompt": "p", "first": "a b", "second": "b a", "target": "tie", "equivalent": true}'
    )
    project.write("corpora/same.jsonl", same)
    project.write("evals/test_e.py", MANY)
    plain = project.audit()
    assert (plain.code, len(plain.report["gates"])) == (0, 10)
    return project, plain


@pytest.mark.parametrize(
    "options",
    [
        ("-n2",),
        ("-q", "-p", "no:syrupy"),
        ("-vv", "-rA", "--tb=no", "-p", "no:cacheprovider"),
        ("-p", "no:terminal"),
    ],
    ids=" ".join,
)
def test_the_report_is_the_same_whatever_runs_it(many, options):
    project, plain = many
    ran = project.audit(*options)
    assert ran.report == plain.report
    assert ran.code == plain.code


def test_nothing_is_left_behind_but_the_report(many):
    project, _ = many
    assert project.files() == {
        "corpora/rows.jsonl",
        "corpora/same.jsonl",
        "evals/test_e.py",
        "judgeaudit.toml",
        "pytest.ini",
        "report.json",
    }


def test_progress_ends_at_one_hundred_percent(many):
    _, plain = many
    shown = [int(line[-5:-2]) for line in plain.out.splitlines() if line.endswith("%]")]
    assert shown == sorted(shown)
    assert shown[-1] == 100
    assert shown[0] < 100


# Reports

# The folder was there when the run began to look, or could have been made.
BLOCKS = "from pathlib import Path\n\ndef pytest_collection_finish():\n    Path('block').write_text('')\n"


def test_a_report_that_cannot_be_written_is_one_line_and_no_success(project):
    project.evals()
    project.write("conftest.py", BLOCKS)
    ran = project.run("--judge-audit", "--judge-report=block/a.json", "--judge-report=report.json", "-q")
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    (line,) = ran.err.splitlines()
    assert line.startswith(f"Exit: {project.root}/block/a.json: the report could not be written: ")
    assert line.endswith(". Name a file in a folder of your own.")
    assert "PASS · 1 gate: 1 PASS" in ran.out
    assert ran.report["state"] == "pass"


def test_a_failed_run_whose_report_cannot_be_written_stays_failed(project):
    project.evals(body=BREAKS)
    project.write("conftest.py", BLOCKS)
    ran = project.run("--judge-audit", "--judge-report=block/a.json", "-q")
    assert ran.code == pytest.ExitCode.TESTS_FAILED
    assert "the report could not be written" in ran.err
