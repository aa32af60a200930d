"""Success by the gap in quality, and the false preference of one level (METHODS 2)."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.plans import Task


def known(gaps, prefix="gap"):
    """Tasks of these gaps: so many of each."""
    return {
        f"{prefix}{gap}-{n}": Task(id=f"{prefix}{gap}-{n}", subset=f"{prefix} {gap}", target="first")
        for gap, count in gaps.items()
        for n in range(count)
    }


def ladder(studies, right, **options):
    """The ladder of a judge that is right in so many orders of each task, by gap."""
    tasks = known({gap: len(halves) for gap, halves in right.items()})
    planned = studies.cell("signal", tasks)
    observed = studies.scored(planned, [half for halves in right.values() for half in halves], **options)
    return studies.run(studies.plan([planned], tasks), observed).ladders


def test_success_is_the_share_of_right_calls_at_each_gap(studies):
    (found,) = ladder(studies, {1: [0, 1], 2: [1, 2], 3: [2]})
    assert found.success == {"1": 0.25, "2": 0.75, "3": 1.0}
    assert found.pairs == {"1": 2, "2": 2, "3": 1}
    assert found.smallest_gap == "2"


@pytest.mark.parametrize(
    ("right", "smallest"),
    [({1: [2, 1], 2: [2]}, "<=1"), ({1: [1], 2: [1]}, "none"), ({1: [0], 5: [2]}, "5")],
)
def test_the_smallest_gap_is_the_first_of_three_quarters(studies, right, smallest):
    assert ladder(studies, right)[0].smallest_gap == smallest


def test_ties_are_misses(studies):
    (found,) = ladder(studies, {1: [0, 0]}, miss="tie")
    assert (found.success, found.smallest_gap) == ({"1": 0.0}, "none")


def test_a_judge_on_hold_has_no_ladder(studies):
    assert ladder(studies, {1: [0, 0]}, miss="invalid") == ()


def test_other_subsets_make_no_ladder(studies):
    tasks = {**known({1: 2}), **studies.tasks(1)}
    planned = studies.cell("signal", tasks)
    observed = studies.trials(planned, ["first"] * 6)
    assert studies.run(studies.plan([planned], tasks), observed).ladders == ()


# The published patterns of 60 pairs of one level (METHODS 2).
@pytest.mark.parametrize(
    ("stable", "position", "one_sided", "published"),
    [(2, 58, 0, 1.0), (27, 32, 1, 0.9917), (0, 5, 21, 0.2583)],
)
def test_pairs_of_one_level_give_the_published_false_preference(
    studies, stable, position, one_sided, published
):
    tasks, flat = known({1: 2}), known({0: 60}, prefix="level")
    cells = [studies.cell("signal", tasks), studies.cell("equivalent", flat)]
    rows = [("first", "first")] * stable + [("first", "second")] * position + [("tie", "first")] * one_sided
    rows += [("tie", "tie")] * (60 - len(rows))
    observed = studies.trials(cells[0], ["first"] * 4)
    observed += studies.trials(cells[1], [winner for row in rows for winner in row])
    planned = studies.plan(cells, {}, tasks={cells[0].eval: tasks, cells[1].eval: flat})
    (found,) = studies.run(planned, observed).ladders
    assert found.false_preference == pytest.approx(published, abs=5e-5)
    assert (found.patterns["stable"], found.patterns["position"]) == (stable, position)
