"""The context audit: published cells, fixtures, edges."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.stats import context_audit


def of_eight_families(
    *differences: tuple[float, ...], absent: float = 1.0
) -> list[tuple[str, float, float]]:
    """32 tasks in families of four; the families listed have these differences, the others none."""
    changed = [*differences, *[()] * (8 - len(differences))]
    return [
        (f"f{f}", absent, absent + (row[i] if i < len(row) else 0.0))
        for f, row in enumerate(changed)
        for i in range(4)
    ]


@pytest.mark.parametrize(
    ("tasks", "difference", "interval"),
    [
        (of_eight_families((-1, -0.5, -0.5, -0.5), (-1, -0.5, -0.5, 0)), -0.140625, (-0.1875, -0.09375)),
        (of_eight_families((-1,)), -0.03125, (-0.09375, 0)),
        (of_eight_families((0.5, 0.5, 0.5), (0.5,), absent=0.5), 0.0625, (0.03125, 0.09375)),
    ],
)
def test_published_cells_have_their_difference_and_interval(tasks, difference, interval):
    found = context_audit(tasks)
    assert found["difference"] == difference
    assert found["interval"] == interval
    assert (found["tasks"], found["families"]) == (32, 8)


def test_success_falls_from_1_to_the_published_share():
    found = context_audit(of_eight_families((-1, -0.5, -0.5, -0.5), (-1, -0.5, -0.5, 0)))
    assert (found["absent"], found["present"]) == (1, 0.859375)


def test_constant_outcomes_have_an_interval_of_no_width():
    assert context_audit(of_eight_families())["interval"] == (0, 0)


def test_families_of_one_task_are_resampled_together():
    tasks = [("a", 1.0, 0.0), ("b", 1.0, 1.0), ("c", 1.0, 0.0), ("d", 1.0, 1.0)]
    low, high = context_audit(tasks)["interval"]
    assert (low, high) == (-1, 0)


@given(
    st.lists(st.tuples(st.integers(0, 4), *[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=1, max_size=30)
)
@settings(max_examples=40, deadline=None)
def test_exchanging_the_contexts_exchanges_the_sign(tasks):
    found = context_audit(tasks)
    other = context_audit([(family, present, absent) for family, absent, present in tasks])
    assert (other["absent"], other["present"]) == (found["present"], found["absent"])
    assert other["difference"] == -found["difference"]
    assert found["interval"][0] <= found["difference"] + 1 / len(tasks)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([], "at least one task"),
        ([("a", 1.5, 1.0)], "success without the third candidate in family 'a' must lie between 0 and 1"),
        ([("a", 1.0, -0.5)], "success with the third candidate in family 'a' must lie between 0 and 1"),
    ],
)
def test_impossible_tasks_are_refused(tasks, message):
    with pytest.raises(ValueError, match=message):
        context_audit(tasks)
