"""Pictures of rubric scores, in the shape of the report."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.report.plots import floors


@pytest.fixture(scope="module")
def report(page):
    return page.report


def test_without_data_there_is_no_picture(bare):
    drawn = (floors.floors, floors.sights, floors.spreads, floors.noise)
    assert [draw(bare) for draw in drawn] == [None] * 4


def test_a_floor_is_stacked_by_dimension_with_each_judge_below_it(report, named):
    picture = floors.floors(report)
    assert picture.rows[0] == ("lending · reader", "11.75", "9.05", "3.95", "10.94", "35.69")
    assert picture.rows[1] == ("  opus", "8.40", "9.20", "4.10", "11.18", "32.88")
    assert "gpt: accuracy 15.10" in named(picture.svg)


def test_a_floor_that_is_not_verified_says_so_and_a_missing_one_is_left_out(report):
    names = [row[0] for row in floors.floors(report).rows]
    assert "lending · renamed · reader (not verified)" in names
    assert not [name for name in names if "billing" in name]


def test_a_floor_without_judges_or_dimensions_is_drawn_all_the_same(bare):
    found = floors.floors(
        {**bare, "floors": [{"corpus": "c", "agent": "a", "floor": 20.0, "judges": {"x": 21}}]}
    )
    assert found.rows == [("c · a (not verified)", *["–"] * 4, "20.00"), ("  x", *["–"] * 4, "21.00")]


def test_blind_and_sighted_stand_side_by_side_with_the_adjusted_share(report, named):
    picture = floors.sights(report)
    assert picture.rows[0] == ("lending · reader", "sighted", "35.69", "73.47", "0.59")
    assert {"lending · reader: blind 35.69", "lending · reader: sighted 73.47"} <= set(named(picture.svg))


def test_a_spread_keeps_its_sign(report, named):
    picture = floors.spreads(report)
    assert picture.rows[1] == ("gpt − claude, lending · reader", "accuracy", "+6.70", "−1.60", "yes")
    assert picture.rows[2][2:] == ("−0.30", "+0.20", "–")
    assert "gpt − claude, accuracy, sighted: −1.60 points" in named(picture.svg)


def test_contrasts_stand_beside_the_noise_floor(report, named):
    picture = floors.noise(report)
    assert picture.rows == [
        ("corpus × rename: effect on the higher corpus", "−7.67", "1.98", "above"),
        ("corpus × rename: sighted effect", "−0.93", "0.24", "within noise"),
    ]
    assert "noise floor: 3.88 points" in named(picture.svg)
    assert "is not a test" in picture.says


def test_noise_that_was_not_measured_is_no_ruler(report):
    assert floors.noise({**report, "noise": {"state": "not measured", "total": None}}) is None
