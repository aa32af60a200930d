"""How far two runs of the same questions are apart, by deterministic scores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.audit.repeats import FEWEST_CELLS, score_noise
from pytest_judgeaudit.records.grades import Grade, GradedRow
from pytest_judgeaudit.records.questions import Question


def row(agent, score, *, replicate=1, question="q"):
    return GradedRow(
        question=Question(id=question, prompt="?"),
        grade=Grade(score=score),
        answer="",
        agent=agent,
        replicate=replicate,
    )


def runs(*changes, base=0.5):
    """Two replicates of a cell for each change."""
    return [
        row(f"a{n}", base + (change if replicate == 2 else 0.0), replicate=replicate)
        for n, change in enumerate(changes)
        for replicate in (1, 2)
    ]


def test_the_noise_is_the_range_of_signed_differences():
    assert score_noise(runs(0.0, 0.03, -0.01, 0.02)) == pytest.approx(0.04)


@pytest.mark.parametrize("cells", range(FEWEST_CELLS))
def test_fewer_than_four_replicated_cells_measure_nothing(cells):
    assert score_noise([*runs(*[0.1] * cells), row("single", 1.0), row("other", 0.0)]) is None


def test_void_answers_and_questions_of_one_run_are_left_out():
    rows = [
        *runs(0.0, 0.0, 0.0, 0.02),
        row("a0", 1.0, question="once"),
        row("a1", None, question="void"),
        row("a1", 1.0, replicate=2, question="void"),
    ]
    assert score_noise(rows) == pytest.approx(0.02)


def test_of_three_replicates_the_widest_two_count():
    third = [row(f"a{n}", 0.5 + 0.1 * n, replicate=3) for n in range(4)]
    assert score_noise([*runs(0.0, 0.0, 0.0, 0.01), *third]) == pytest.approx(0.3)


@given(st.lists(st.floats(-0.5, 0.5), min_size=4, max_size=8), st.floats(-0.3, 0.3))
def test_a_shift_of_every_cell_alike_is_no_noise(changes, shift):
    moved = [change + shift for change in changes]
    assert score_noise(runs(*moved)) == pytest.approx(score_noise(runs(*changes)), abs=1e-9)
    assert score_noise(runs(*moved)) == pytest.approx(max(changes) - min(changes), abs=1e-9)
