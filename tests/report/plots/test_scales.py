"""Ladders by gap, and the grid of losses."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.report.plots import scales


@pytest.fixture(scope="module")
def report(page):
    return page.report


def test_without_data_there_is_no_picture(bare):
    assert scales.ladders(bare) is None
    assert list(scales.risks(bare)) == []


def test_a_ladder_is_a_line_by_gap(report, named):
    picture = scales.ladders(report)
    assert picture.header[1:3] == ("gap 1", "gap 2")
    assert picture.rows[0] == (
        "qwen2.5-32b · neutral",
        "62 %",
        "74 %",
        "81 %",
        "90 %",
        "100 %",
        "3",
        "25.8 %",
    )
    assert "gpt-oss-20b · neutral: smallest gap <=1" in named(picture.svg)


def test_a_ladder_that_lacks_a_gap_shows_none(report):
    short = {**report["ladders"][0], "success": {"1": 0.5, "10": 1.0}}
    picture = scales.ladders({**report, "ladders": [short, report["ladders"][1]]})
    assert picture.header[1:7] == ("gap 1", "gap 2", "gap 3", "gap 4", "gap 5", "gap 10")
    assert picture.rows[0][1:7] == ("50 %", "–", "–", "–", "–", "100 %")


def test_every_scenario_has_a_mark_for_each_of_its_cheapest(report, named):
    (picture,) = scales.risks(report)
    (study,) = report["risk"]["studies"]
    cheapest = sum(len(one["cheapest"]) for one in study["scenarios"])
    assert len(named(picture.svg)) == cheapest
    assert sum(int(row[1]) for row in picture.rows) == cheapest
    assert picture.header == ("judge/criterion", "lowest in, of 96")
    assert "best judge" not in (picture.says + picture.svg).lower()


def test_a_scenario_of_ones_own_is_a_column(report):
    (study,) = report["risk"]["studies"]
    own = {**study["scenarios"][0], "name": "release"}
    changed = {**study, "scenarios": [*study["scenarios"], own]}
    (picture,) = scales.risks({**report, "risk": {"studies": [changed]}})
    assert picture.header[2:] == ("release",)
    assert picture.rows[0][2] == f"{own['risk']['qwen2.5-32b/neutral']:.4f}"


def test_one_judge_alone_is_compared_with_nobody(report):
    (study,) = report["risk"]["studies"]
    alone = {**study, "cells": {"qwen2.5-32b/neutral": {}}}
    assert list(scales.risks({**report, "risk": {"studies": [alone]}})) == []
