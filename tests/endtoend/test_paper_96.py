"""The finite-code study of the dark-current paper (section 6, table 4), on the battery that ships."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pytest_judgeaudit.corpora.finite_code import pairs as battery

TESTS = """
import pytest

BATTERY = "battery:finite-code"

@pytest.mark.clone_pairs(BATTERY)
@pytest.mark.clone_gate(upper=0.05)
def test_exact_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.equivalent_pairs(BATTERY)
def test_equivalent_programs_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs(BATTERY)
@pytest.mark.utility_gate(lower=0.75)
def test_correct_program_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""

# A judge of the user's own: it finds the two candidates in the prompt, runs both and answers in JSON.
PYTHON_JUDGE = """
import json
import re

from pytest_judgeaudit.corpora.finite_code import correct_inputs

BLOCK = r"<([^<>]*candidate_{}[^<>]*)>\\n?(.*?)\\n?</\\1>"


def decide(messages):
    prompt = messages[-1]["content"]
    a, b = (correct_inputs(re.search(BLOCK.format(slot), prompt, re.S)[2])[0] for slot in "AB")
    return {
        "text": json.dumps({"winner": "tie" if a == b else "A" if a > b else "B"}),
        "served": "openai/gpt-oss-120b",
        "usage": {"prompt": 270, "completion": 55},
    }
"""


class Row(NamedTuple):
    """
    A cell of table 4. ``ab`` and ``ba`` are the tasks missed in each order.

    The misses of single tasks are not published; these have the printed differences between criteria.
    ``invalid`` outputs are among them.
    """

    ab: tuple[int, ...] = ()
    ba: tuple[int, ...] = ()
    invalid: int = 0


TABLE = {
    ("Qwen3.8", "neutral"): Row(ab=(7,), ba=(7,)),
    ("Qwen3.8", "strict"): Row(ab=(7, 31), ba=(7, 88)),
    ("gpt-oss", "neutral"): Row(),
    ("gpt-oss", "strict"): Row(),
    ("Nemotron", "neutral"): Row(ab=(40,), invalid=1),
    ("Nemotron", "strict"): Row(ab=(41,), ba=(66,)),
}
JUDGES = tuple(dict.fromkeys(judge for judge, _ in TABLE))
FAMILIES = tuple(dict.fromkeys(pair.family for pair in battery("signal")))
WRONG, EMPTY = "second", ""

each_cell = pytest.mark.parametrize(("judge", "criterion"), TABLE)
each_judge = pytest.mark.parametrize("judge", JUDGES)

pytestmark = pytest.mark.slow


def verdicts(logs, judge, criterion):
    """One cell's log: copies and equivalents tie, the correct program wins but for the misses."""
    who = {"judge": judge, "criterion": criterion, "served": judge}
    missed = {"AB": TABLE[judge, criterion].ab, "BA": TABLE[judge, criterion].ba}
    for i, pair in enumerate(battery("signal")):
        yield logs.row(pair.id, "copy", "AB", "tie", **who)
        for order in ("AB", "BA"):
            yield logs.row(pair.id, "equivalent", order, "tie", **who)
            said = logs.row(pair.id, "pair", order, WRONG if i in missed[order] else "first", **who)
            # The invalid output of Nemotron is an empty one, cut at the limit of its length.
            lost = i in missed[order] and TABLE[judge, criterion].invalid
            yield {**said, "text": EMPTY} if lost else said


def own_judge():
    return {
        "name": "gpt-oss",
        "family": "gpt-oss",
        "api": "python",
        "callable": "own_judge:decide",
        "model": "openai/gpt-oss-120b",
        "criteria": ["neutral", "strict"],
        "decoder": {"temperature": 0},
    }


@pytest.fixture(scope="module")
def live(once, logs):
    """Two recorded judges, one by slot and one as text, and the user's, which is asked 960 times."""

    def build(project):
        recorded = [cell for cell in TABLE if cell[0] != "gpt-oss"]
        project.jsonl("verdicts.jsonl", [row for cell in recorded for row in verdicts(logs, *cell)])
        project.write("evals/test_finite_code.py", TESTS)
        project.write("own_judge.py", PYTHON_JUDGE)
        qwen = logs.judge("Qwen3.8", reading=logs.BY_SLOT)
        project.judges(qwen, own_judge(), logs.judge("Nemotron", reading=logs.AS_TEXT))
        return project.audit("--judge-live")

    return once("finite_code", build)


@pytest.fixture(scope="module")
def run(once, live):
    """The replay of that campaign, in the same project."""
    return once("finite_code_replay", lambda project: project.audit(), after="finite_code")


def test_the_users_judge_is_asked_once_and_then_replayed(live, run):
    states = ("hit", "stale", "missing", "asked")
    assert [live.report["answers"][state] for state in states] == [0, 0, 0, 960]
    assert [run.report["answers"][state] for state in states] == [960, 0, 0, 0]
    assert (run.report["cells"], run.report["gates"]) == (live.report["cells"], live.report["gates"])


@each_judge
def test_every_configuration_made_960_calls_and_passes_the_operational_gate(run, judge):
    found = run.configuration(judge)
    invalid = TABLE[judge, "neutral"].invalid
    assert (found["calls"], found["terminal"], found["invalid"]) == (960, 960, invalid)
    assert (found["state"], found["served_as_requested"], found["reasons"]) == ("OK", True, [])


def test_one_invalid_call_of_960_is_kept_as_a_failure_and_is_no_hold(run, oracles):
    assert oracles.printed(run.configuration("Nemotron")["invalid_rate"], ".00104")
    cell = run.cell(judge="Nemotron", criterion="neutral", arm="signal")
    assert (cell["counts"]["invalid"], cell["counts"]["wrong"], cell["state"]) == (1, 0, "OK")
    assert cell["estimate"] == pytest.approx(191 / 192)


@each_cell
def test_every_cell_made_480_calls(run, judge, criterion):
    calls = {
        cell["arm"]: (cell["tasks"], cell["calls"])
        for cell in run.report["cells"]
        if (cell["judge"], cell["criterion"]) == (judge, criterion)
    }
    assert calls == {"clone": (96, 96), "equivalent": (96, 192), "signal": (96, 192)}


@each_cell
def test_the_clone_gate_is_the_published_one(run, judge, criterion, oracles):
    cell = run.cell(judge=judge, criterion=criterion, arm="clone")
    gate = run.gate("clone_gate", judge=judge, criterion=criterion)
    assert (cell["counts"]["adverse"], cell["dc"]) == (0, 0.0)
    assert oracles.printed(cell["upper"], ".0307")
    assert oracles.printed(cell["p_holm"], ".0436")
    assert (gate["state"], gate["family"]["m"]) == ("PASS", 6)


def test_clone_bounds_and_p_values_agree_with_scipy_and_statsmodels(run, oracles):
    cells = [run.cell(judge=judge, criterion=criterion, arm="clone") for judge, criterion in TABLE]
    raw = [oracles.tail(0, 96)] * 6
    assert [cell["upper"] for cell in cells] == pytest.approx([oracles.upper(0, 96)] * 6)
    assert [cell["p_raw"] for cell in cells] == pytest.approx(raw, rel=1e-9)
    assert [cell["p_holm"] for cell in cells] == pytest.approx(oracles.holm(raw), rel=1e-9)


@each_cell
def test_all_equivalent_programs_tie_in_both_orders(run, judge, criterion):
    cell = run.cell(judge=judge, criterion=criterion, arm="equivalent")
    assert (cell["counts"]["adverse"], cell["estimate"]) == (0, 0.0)
    assert cell["patterns"] == {"tie": 96, "stable": 0, "position": 0, "one_sided": 0, "invalid": 0}


@each_cell
def test_success_by_order_is_that_of_the_log(run, judge, criterion):
    cell, row = run.cell(judge=judge, criterion=criterion, arm="signal"), TABLE[judge, criterion]
    assert cell["by_order"] == {
        "AB": pytest.approx(1 - len(row.ab) / 96),
        "BA": pytest.approx(1 - len(row.ba) / 96),
    }


@each_cell
def test_utility_bounds_exceed_the_threshold_and_agree_with_the_oracles(run, judge, criterion, oracles):
    cell, row = run.cell(judge=judge, criterion=criterion, arm="signal"), TABLE[judge, criterion]
    strata = {family: [] for family in FAMILIES}
    for i, pair in enumerate(battery("signal")):
        strata[pair.family].append(1 - (row.ab.count(i) + row.ba.count(i)) / 2)
    assert {len(scores) for scores in strata.values()} == {12}
    assert cell["lower"] == pytest.approx(oracles.bootstrap_lower(strata), abs=1e-12)
    assert cell["lower_checked"] == pytest.approx(oracles.checked_lower(strata), abs=1e-9)
    assert cell["lower_checked"] > 0.75


@pytest.mark.parametrize("criterion", ["neutral", "strict"])
def test_a_perfect_cell_has_a_degenerate_bootstrap_and_the_checked_bound(run, criterion, oracles):
    cell = run.cell(judge="gpt-oss", criterion=criterion, arm="signal")
    assert (cell["estimate"], cell["lower"]) == (1.0, 1.0)
    assert oracles.printed(cell["lower_checked"], ".96923")
    assert "degenerate" in cell["warnings"]


@each_cell
def test_eight_templates_are_too_few_clusters_and_said_to_be(run, judge, criterion):
    cells = [run.cell(judge=judge, criterion=criterion, arm=arm) for arm in ("clone", "signal")]
    assert ["few-clusters" in cell["warnings"] for cell in cells] == [True, True]


@pytest.mark.parametrize(
    ("judge", "effect"), [("Qwen3.8", "-.0104"), ("gpt-oss", "0.0000"), ("Nemotron", "-.0052")]
)
def test_strict_less_neutral_is_the_published_difference(run, judge, effect, oracles):
    neutral, strict = (
        run.cell(judge=judge, criterion=criterion, arm="signal")["estimate"]
        for criterion in ("neutral", "strict")
    )
    assert oracles.printed(strict - neutral, effect)


@each_cell
def test_both_gates_pass_on_matched_programs(run, judge, criterion):
    assert run.label(judge=judge, criterion=criterion) == "both gates pass"


def test_the_run_passes(run):
    assert (run.code, run.report["state"]) == (0, "pass")
