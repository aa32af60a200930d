"""The noise floor over replicated cells, and contrasts beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.audit.noise import figure, noise_floor
from pytest_judgeaudit.records.floors import NOT_MEASURED, Noise

# Four cells whose means move by these: a range of 3.88. Each of two questions moves by this ± 4.96, so that
# the mean absolute change at the level of question and judge is 4.96.
MOVES = {"a": 2.0, "b": -1.88, "c": 0.5, "d": 0.0}
PAIR_LEVEL = 4.96


@pytest.fixture(scope="module")
def replicated(rubric):
    rows = []
    for corpus, move in MOVES.items():
        for question, step in (("q1", move + PAIR_LEVEL), ("q2", move - PAIR_LEVEL)):
            for replicate, total in ((1, 50.0), (2, 50.0 + step)):
                rows.append(
                    rubric.row({"opus": total}, question=question, corpus=corpus, replicate=replicate)
                )
    return rows


def test_the_published_noise_floor_is_reproduced(replicated):
    found = noise_floor(replicated)
    assert (found.state, found.cells, found.reason) == ("measured", 4, "")
    assert found.total == pytest.approx(3.88)
    assert found.pair_level == pytest.approx(4.96)
    assert found.by_dimension["accuracy"] == pytest.approx(0.3 * 3.88)
    assert found.pair_level_by_dimension["usefulness"] == pytest.approx(0.2 * 4.96)
    moves = {name.split()[1]: one["total"] for name, one in found.differences.items()}
    assert moves == pytest.approx(MOVES)
    assert (found.chance, found.chance_interaction) == pytest.approx((0.11, 0.21), abs=0.005)


def test_three_replicated_cells_measure_nothing(replicated):
    found = noise_floor([row for row in replicated if row.corpus != "d"])
    assert (found.state, found.total, found.by_dimension) == ("not measured", None, {})
    assert (found.chance, found.floor(), found.floor("accuracy")) == (None, None, None)
    assert found.reason.startswith("3 replicated cells, and 4 are needed")
    assert found.pair_level == pytest.approx(4.96)


def test_without_replicates_nothing_is_measured(rubric):
    assert noise_floor(rubric.cell(50.0)) is NOT_MEASURED
    assert noise_floor([]) is NOT_MEASURED


def test_only_judgements_that_both_replicates_have_are_compared(rubric, replicated):
    lost = [
        rubric.row({"opus": 50}, question="q3", corpus="a", replicate=1),
        rubric.row({"opus": rubric.LOST}, question="q3", corpus="a", replicate=2),
    ]
    assert noise_floor([*replicated, *lost]).total == pytest.approx(3.88)


def test_of_three_replicates_the_largest_range_counts(rubric, replicated):
    third = [
        rubric.row(
            {"opus": 50.0 + (10 if corpus == "a" else 0)}, question=question, corpus=corpus, replicate=3
        )
        for corpus in MOVES
        for question in ("q1", "q2")
    ]
    found = noise_floor([*replicated, *third])
    # 3 − 1: 10 and three times 0; 3 − 2: 8, 1.88, −.5, 0
    assert found.total == pytest.approx(10)
    assert len(found.differences) == 12
    assert any(name.endswith("#3 − #1") for name in found.differences)


def test_the_floors_own_variance_is_that_of_a_replicated_blind_arm(rubric, replicated):
    blind = [
        rubric.row({"opus": total}, arm="blind", replicate=number)
        for number, total in ((1, 30.0), (2, 33.0), (3, 36.0))
    ]
    (runs,) = noise_floor([*replicated, *blind]).floors
    assert runs.floors == pytest.approx({"1": 30, "2": 33, "3": 36})
    assert (runs.variance, runs.range) == pytest.approx((9, 6))
    assert noise_floor(replicated).floors == ()


@given(moves=st.lists(st.floats(-20, 20), min_size=4, max_size=6))
def test_the_noise_floor_is_the_range_of_what_the_cells_moved_by(rubric, moves):
    rows = [
        rubric.row({"opus": 50.0 + replicate * move}, corpus=f"c{index}", replicate=replicate)
        for index, move in enumerate(moves)
        for replicate in (0, 1)
    ]
    assert noise_floor(rows).total == pytest.approx(max(moves) - min(moves), abs=1e-9)


MEASURED = Noise(state="measured", cells=4, total=4.0, by_dimension={"accuracy": 2.0})


@pytest.mark.parametrize(
    ("value", "of", "multiple", "within"),
    [
        (10.0, "total", 2.5, False),
        (-10.0, "total", 2.5, False),
        (4.0, "total", 1.0, True),
        (0.0, "total", 0.0, True),
        (3.0, "accuracy", 1.5, False),
        (3.0, "usefulness", None, None),
        (None, "total", None, None),
    ],
)
def test_a_contrast_is_told_as_a_multiple_of_the_noise(value, of, multiple, within):
    found = figure("x", value, noise=MEASURED, of=of)
    assert (found.value, found.multiple, found.within_noise) == (value, multiple, within)


def test_without_a_noise_floor_a_contrast_is_neither_within_nor_outside():
    found = figure("x", 10.0, noise=NOT_MEASURED)
    assert (found.multiple, found.within_noise) == (None, None)


@pytest.mark.parametrize("floor", [0.0, 1e-300, 1e-14])
def test_beside_no_noise_at_all_only_zero_is_within(floor):
    still = Noise(state="measured", cells=4, total=floor)
    assert figure("x", 0.0, noise=still).within_noise
    assert not figure("x", 0.1, noise=still).within_noise
    assert figure("x", 0.1, noise=still).multiple is None
