"""Strata: read in one order, merged where a task stands alone."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_judgeaudit.stats.strata import merged_strata, read_strata


def test_strata_and_scores_are_sorted():
    read = read_strata({"b": [1.0, 0.0], "a": (0.5,)})
    assert [(name, scores.tolist()) for name, scores in read.items()] == [("a", [0.5]), ("b", [0.0, 1.0])]


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        ({}, "at least one stratum of scores, got none"),
        ({"a": []}, "stratum 'a' must hold at least one score"),
        ({"a": [1.0, float("nan")]}, "stratum 'a' must hold a flat sequence of finite numbers"),
        ({"a": [1.0, float("inf")]}, "stratum 'a' must hold a flat sequence of finite numbers"),
        ({"a": [1.0, None]}, "stratum 'a' must hold a flat sequence of finite numbers"),
        ({"a": ["high"]}, "stratum 'a' must hold a flat sequence of finite numbers"),
        ({"a": [[1.0], [0.0]]}, "stratum 'a' must hold a flat sequence of finite numbers"),
        ({"a": 0.5}, "stratum 'a' must hold a flat sequence of finite numbers"),
    ],
)
def test_what_holds_no_scores_is_refused_by_name(strata, message):
    with pytest.raises(ValueError, match=message):
        read_strata(strata)


def test_arrays_are_scores_and_stay_as_they_are():
    given = np.array([1.0, 0.0])
    read_strata({"a": given})
    assert given.tolist() == [1.0, 0.0]


def test_several_lone_tasks_make_a_stratum_of_their_own():
    merged = merged_strata({"a": [1.0, 0.5], "b": [0.0], "c": [0.5]})
    assert merged.strata == {"a": [1.0, 0.5], "(singletons)": [0.0, 0.5]}
    assert merged.merged == {"b": "(singletons)", "c": "(singletons)"}


def test_a_single_lone_task_joins_the_smallest_other_stratum():
    merged = merged_strata({"a": [1.0, 0.5, 0.5], "c": [1.0, 1.0], "b": [0.0, 0.0], "lone": [0.5]})
    assert merged.strata["b"] == [0.0, 0.0, 0.5]
    assert merged.merged == {"lone": "b"}


def test_a_lone_task_joins_singletons_that_are_already_there():
    merged = merged_strata({"(singletons)": [1.0, 0.5, 0.5], "a": [1.0, 1.0], "lone": [0.5]})
    assert merged.strata["(singletons)"] == [1.0, 0.5, 0.5, 0.5]


@pytest.mark.parametrize("strata", [{"a": [1.0]}, {"a": [1.0, 0.0], "b": [0.5, 0.5]}])
def test_one_task_in_all_and_strata_of_two_stay_as_they_are(strata):
    assert merged_strata(strata) == (strata, {})


def test_merging_twice_changes_nothing_more():
    once = merged_strata({"a": [1.0, 0.5], "b": [0.0], "c": [0.5]}).strata
    assert merged_strata(once) == (once, {})
