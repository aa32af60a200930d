"""Pictures of cells show what the report holds, and nothing that it does not."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.report.json import document
from pytest_judgeaudit.report.plots import cells


@pytest.fixture(scope="module")
def report(page):
    return page.report


def test_a_report_without_cells_has_no_pictures(bare):
    assert cells.certificate_map(bare) is cells.decomposition(bare) is cells.patterns(bare) is None
    assert list(cells.forests(bare)) == []


def test_the_map_places_each_judge_by_the_bounds_of_its_gates(report, named):
    picture = cells.certificate_map(report)
    assert picture.rows[0] == ("1  qwen2.5-32b · neutral", "2.89 %", "83.6 %", "both gates pass")
    assert picture.rows[2] == ("3  gpt-oss-20b · neutral", "6.04 %", "83.6 %", "utility gate only")
    marks = named(picture.svg)
    assert "limit: at most 5 %" in marks
    assert "limit: at least 75 %" in marks
    known = "copies at most 6.04 %, better answer at least 83.6 % (utility gate only)"
    assert f"3 gpt-oss-20b · neutral: {known}" in marks


def test_the_map_sets_hold_apart_without_a_number(report, named):
    picture = cells.certificate_map(report)
    assert picture.rows[4] == ("5  house-gpt · neutral", "–", "–", "HOLD")
    assert "house-gpt · neutral: HOLD, not placed" in named(picture.svg)


def test_the_map_needs_both_arms(studies):
    known = studies.tasks(60)
    cell = studies.cell("clone", known)
    alone = studies.run(studies.plan([cell], known), studies.copies(cell))
    assert cells.certificate_map(document(alone)) is None


def test_marks_on_each_other_share_their_numbers(report, written):
    assert "2, 4" in written(cells.certificate_map(report).svg)


def test_verdicts_add_up_and_a_tie_between_copies_is_counted_once(report, named):
    picture = cells.decomposition(report)
    assert picture.header == ("cell", "correct", "tie", "wrong", "invalid")
    assert picture.rows[4] == ("gpt-oss-20b · neutral: clone", "100", "–", "2", "0")
    assert picture.rows[3] == ("qwen2.5-32b · strict: signal", "172", "32", "0", "0")
    assert "gpt-oss-20b · neutral: clone: wrong 2 of 102 (1.96 %) calls" in named(picture.svg)


def test_a_cell_on_hold_has_its_row_and_no_bar(report, written, named):
    picture = cells.decomposition(report)
    assert ("house-gpt · strict: signal", "–", "–", "–", "–") in picture.rows
    assert written(picture.svg).count("HOLD") == 4
    assert "house-gpt · strict: signal: correct 0 of 0 calls" in named(picture.svg)


def test_patterns_are_of_tasks(report):
    picture = cells.patterns(report)
    assert picture.rows[0] == ("qwen2.5-32b · neutral: signal", "0", "87", "15", "0", "0")
    assert len(picture.rows) == 4


def test_subsets_are_ranked_beside_the_whole(report, named):
    picture = next(iter(cells.forests(report)))
    means = [float(row[2].removesuffix(" %")) for row in picture.rows]
    assert means == sorted(means)
    assert [row[1] for row in picture.rows] == ["17"] * 6
    marks = named(picture.svg)
    assert "all 102 tasks: 88.7 %" in marks
    assert any(mark.startswith("interval ") for mark in marks)


def test_a_single_subset_is_no_picture(studies):
    known = studies.tasks(60)
    cell = studies.cell("signal", known)
    found = studies.run(studies.plan([cell], known), studies.scored(cell, [2] * 60))
    assert list(cells.forests(document(found))) == []


def test_more_rows_than_a_picture_holds_are_in_its_table(report, written):
    many = [
        {**cell, "id": f"{cell['id']} {i}", "criterion": f"c{i}"}
        for i in range(9)
        for cell in report["cells"]
    ]
    picture = cells.decomposition({**report, "cells": many})
    assert len(picture.rows) == 108
    assert len([text for text in written(picture.svg) if "…" in (text or "")]) == 16
