"""Agent runs against the actions expected of them; a run of which nothing was expected passes nothing."""

from __future__ import annotations

import gzip
import json

import pytest

from pytest_judgeaudit.grade import Action, action_of, actions_done

BOOK = Action(name="book", arguments={"seats": 2, "who": ["a", "b"]})


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ([BOOK], 1.0),
        ([Action(name="book", arguments={"who": ["a", "b"], "seats": 2.0})], 1.0),
        ([Action(name="book", arguments={"seats": 2, "who": ["b", "a"]})], 0.0),
        ([Action(name="book", arguments={"seats": True, "who": ["a", "b"]})], 0.0),
        ([Action(name="cancel", arguments=BOOK.arguments)], 0.0),
        ([], 0.0),
    ],
)
def test_an_action_is_done_by_a_call_with_equal_arguments(calls, score):
    assert actions_done(calls, [BOOK]).score == score


@pytest.mark.parametrize("calls", [[], [BOOK]])
def test_a_run_of_which_nothing_was_expected_is_not_graded(calls):
    grade = actions_done(calls, [])
    assert (grade.score, grade.state) == (None, "nothing expected")


@pytest.mark.parametrize("arguments", ["{", "[1]", "3", None, "[" * 100_000])
def test_arguments_that_are_no_object_are_no_action(arguments):
    assert action_of("book", arguments) is None


@pytest.fixture
def runs(shared):
    with gzip.open(shared / "data" / "taubench" / "gpt-4o-airline_tasks0-24.jsonl.gz", "rt") as stream:
        return [json.loads(line) for line in stream]


def test_the_stored_runs_do_the_actions_that_the_reference_counts(runs, shared):
    reference = json.loads((shared / "data" / "reference_dev.json").read_text(encoding="utf-8"))
    published = next(v for v in _nested(reference) if "checklist_items" in v and v.get("runs") == 100)
    grades = [_graded(run) for run in runs]
    items = [hit for grade in grades for hit in grade.per_fact.values()]
    assert [sum(items), len(items)] == published["checklist_items"]
    assert [sum(run["reward"] for run in runs), len(runs)] == published["success"]


def test_runs_with_an_empty_expected_list_do_not_pass_vacuously(runs):
    empty = [run for run in runs if not run["expected_actions"]]
    assert len(empty) == 24
    assert {_graded(run).score for run in empty} == {None}
    # Of the 24, the environment's own check passes some and fails others: doing nothing is no success.
    assert 0 < sum(run["reward"] for run in empty) < 24


def _graded(run):
    expected = [action_of(one["name"], one["kwargs"]) for one in run["expected_actions"]]
    calls = [action_of(one["name"], one["arguments"]) for one in run["agent_tool_calls"]]
    return actions_done([call for call in calls if call], expected)


def _nested(value):
    if isinstance(value, dict):
        yield value
        for one in value.values():
            yield from _nested(one)
