"""A drawn schedule: frozen, kept, and then the ground of a p; else differences alone."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise

import pytest

TASKS = 24
EVALS = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs("corpora/rows.jsonl")
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
JUDGE = """
import json, re, time

def judge(messages):
    text = messages[-1]["content"]
    whole = messages[0]["content"]
    first, second = re.findall(r"<candidate_[AB]_\\w+>\\n(.*)\\n", text)
    strict = "material" in whole or "clearly" in whole.lower() and "substantially" not in whole
    number = int(re.search(r"Ask (\\d+)", text)[1])
    kind = "copy" if first == second else "AB" if first.startswith("good") else "BA"
    with open("calls.jsonl", "a") as file:
        file.write(json.dumps([number, kind, strict]) + "\\n")
    time.sleep(0.002)
    if kind == "copy" or (strict and number % 4):
        return '{"winner": "tie"}'
    return json.dumps({"winner": "A" if kind == "AB" else "B"})
"""
"""Right under neutral; under strict it calls three pairs of four a tie."""


def prepared(project, schedule="randomized", **more):
    project.pairs(TASKS)
    project.judges(
        mine={
            "api": "python",
            "callable": "mine:judge",
            "model": "mine",
            "criteria": ["neutral", "strict"],
            **more,
        }
    )
    settings = project.root / "judgeaudit.toml"
    settings.write_text(f'[audit]\nseed = 5\nschedule = "{schedule}"\n{settings.read_text()}')
    project.write("mine.py", JUDGE)
    project.write("evals/test_e.py", EVALS)
    return project


@pytest.fixture(scope="module", params=["randomized", "independent"])
def kept(request, new_project):
    """A project that was frozen, asked in one go, and replayed."""
    project = prepared(new_project(), request.param)
    project.run("--judge-audit", "--judge-freeze")
    live = project.audit("--judge-live")
    assert live.report["answers"]["asked"] == 6 * TASKS, live.out
    return project, live, project.audit(), request.param


def contrast(ran, kind, of="utility", criterion=None):
    (found,) = (
        one
        for one in ran.report["contrasts"]
        if (one["kind"], one["of"], one["criterion"]) == (kind, of, criterion)
    )
    return found


def calls(project):
    text = (project.root / "calls.jsonl").read_text("utf-8")
    return [tuple(json.loads(line)) for line in text.splitlines()]


def test_a_schedule_that_was_frozen_and_kept_gives_a_p_live_and_replayed(kept):
    _, live, replayed, kind = kept
    how = {"randomized": "99,999 redraws of the balanced blocks", "independent": "exact sign-flip"}[kind]
    for ran in (live, replayed):
        found = contrast(ran, "criterion")
        assert found["difference"] == pytest.approx(-0.75)
        assert 0 < found["p"] <= found["p_holm"] < 0.001
        assert how in found["statement"]
        assert "schedule-wide sharp null rejected" in found["statement"]
        assert "carry-over" in found["statement"]
    assert live.report["contrasts"] == replayed.report["contrasts"]
    assert "schedule-deviated" not in {one["code"] for one in live.report["findings"]}


def test_no_order_and_no_copy_makes_a_difference_so_that_nothing_is_rejected(kept):
    _, live, _, _ = kept
    for kind, of in (("order", "utility"), ("interaction", "utility"), ("clone-criterion", "adverse")):
        found = contrast(live, kind, of)
        assert (found["difference"], found["p"], found["p_holm"]) == (0, 1, 1)
        assert "not rejected" in found["statement"]


def test_an_order_of_one_of_several_criteria_is_a_part_without_a_p(kept):
    _, live, _, _ = kept
    found = contrast(live, "order", criterion="strict")
    assert (found["p"], found["family"]) == (None, "")
    assert "a part of the order contrast" in found["reason"]


def test_exposures_of_a_task_lie_apart(kept):
    project, _, _, _ = kept
    turns = defaultdict(list)
    for turn, (task, *_) in enumerate(calls(project)):
        turns[task].append(turn)
    assert {len(found) for found in turns.values()} == {6}
    gaps = [b - a for found in turns.values() for a, b in pairwise(found)]
    assert set(gaps) == {TASKS}


def test_balanced_blocks_show_each_condition_equally_often_in_each_period(kept):
    project, _, _, kind = kept
    if kind == "independent":
        pytest.skip("each task draws its sequence on its own")
    periods = defaultdict(lambda: defaultdict(int))
    seen = defaultdict(int)
    for task, shown, strict in calls(project):
        if shown != "copy":
            periods[seen[task]][shown, strict] += 1
            seen[task] += 1
    assert [set(found.values()) for found in periods.values()] == [{TASKS // 4}] * 4


def test_the_lock_holds_the_schedule_that_was_drawn(kept):
    project, _, _, _ = kept
    lock = json.loads((project.root / "snapshots" / "protocol.lock.json").read_text("utf-8"))
    drawn = lock["notes"]["schedule"]["evals/test_e.py::test_better_wins"]["mine"][""]
    assert "order evals/test_e.py::test_better_wins" in lock["parts"]
    made = defaultdict(list)
    for task, shown, strict in calls(project):
        if shown != "copy":
            made[f"c{task:03}"].append(f"{'strict' if strict else 'neutral'} {shown}")
    assert made == drawn


def test_without_a_freeze_before_the_first_call_there_is_no_p(project):
    ran = prepared(project).audit("--judge-live")
    found = contrast(ran, "criterion")
    assert found["p"] is None
    assert found["reason"] == "the randomised schedule was not frozen before the first call"
    project.run("--judge-audit", "--judge-freeze")
    assert contrast(project.audit(), "criterion")["p"] is None


def test_calls_that_overtake_each_other_are_counted_and_tasks_out_of_sequence_give_no_p(project):
    prepared(project, limits={"in_flight": 24, "attempts": 1})
    project.run("--judge-audit", "--judge-freeze")
    half = project.audit("--judge-live", "-k", "AB")
    assert half.report["answers"]["asked"] < 6 * TASKS
    ran = project.audit("--judge-live")
    found = contrast(ran, "criterion")
    assert found["p"] is None
    assert found["reason"].startswith("the schedule was not kept: ")
    assert "calls came after one" in ran.finding("schedule-deviated")["symptom"]


def test_two_workers_keep_each_task_in_sequence(project):
    pytest.importorskip("xdist")
    prepared(project)
    project.run("--judge-audit", "--judge-freeze")
    ran = project.audit("--judge-live", "-n", "2")
    found = contrast(ran, "criterion")
    assert found["p"] is not None, found["reason"]


def test_a_criterion_that_is_left_out_keeps_its_place_in_the_family(project):
    prepared(project)
    project.run("--judge-audit", "--judge-freeze")
    project.audit("--judge-live")
    ran = project.audit("--criterion", "strict")
    reasons = {one["reason"] for one in ran.report["contrasts"]}
    assert reasons == {"not all conditions of the design were run"}
