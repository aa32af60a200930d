"""Tables of a page in the shape of the report; none without data."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.report.grids import ROWS, grids


@pytest.fixture(scope="module")
def report(page):
    return page.report


def table(report, key):
    (found,) = (grid for grid in grids(report) if grid.id == key)
    return found


def test_a_report_without_questions_has_none():
    assert grids({"designs": []}) == []


CONTEXT = {
    "judge": "j",
    "criterion": "neutral",
    "arm": "signal",
    "tasks": 32,
    "adverse": 7,
    "absent": 1.0,
    "present": 0.859375,
    "difference": -0.140625,
    "interval": [-0.1875, -0.09375],
    "reason": "",
}


def test_a_context_is_told_with_its_interval():
    row = table({"designs": [], "contexts": [CONTEXT]}, "contexts").rows[0]
    assert row[1:6] == ("1", "0.8594", "-0.1406", "-0.1875 to -0.09375", "7")


def test_a_difference_without_a_p_says_why():
    contrast = {
        **CONTEXT,
        "kind": "criterion",
        "of": "tie",
        "minuend": "strict",
        "subtrahend": "neutral",
        "p": None,
        "p_holm": None,
        "reason": "schedule not randomized",
    }
    row = table({"designs": [], "contrasts": [contrast]}, "contrasts").rows[0]
    assert row[6] == "–"
    assert row[8] == "schedule not randomized"


def test_every_row_is_as_wide_as_its_head(report):
    found = grids({**report, "contexts": [CONTEXT]})
    assert [grid.id for grid in found if grid.id != "contrasts"] == [
        "contexts",
        "agents",
        "designs",
        "predictions",
        "claims",
        "volumes",
        "grades",
    ]
    assert all(len(row) == len(grid.header) for grid in found for row in grid.rows)


def test_an_agent_shows_its_tools_beside_its_tokens(report):
    (row,) = table(report, "agents").rows
    assert row[4:8] == ("79 of 80", "ok 78, timeout 1", "read 410, grep 88", "120,000 + 9,000")


def test_a_design_shows_shares_multiples_and_reasons(report):
    rows = [row[1:] for row in table(report, "designs").rows]
    assert rows == [
        ("effect on the higher corpus", "-7.67", "1.98", "above"),
        ("sighted effect", "-0.93", "0.24", "within noise"),
        ("premium removed", "84 %", "–", ""),
        ("not known", "–", "–", "no sighted cell"),
    ]


def test_predictions_and_claims_stand_beside_what_came(report):
    assert table(report, "predictions").rows == [
        ("premium-is-recall", "falls by at least 3", "hit", "-7.67", "–")
    ]
    assert table(report, "claims").rows == [
        ("mean of reader on lookup is .93", "failed", "0.93", "0.91", "0.91 is not 0.93")
    ]


def test_the_number_of_claims_stands_beside_their_states(report):
    assert table(report, "volumes").rows == [("reader", "blind", "40", "2.50", "31", "SUPPORTED 12")]


def test_an_answer_shows_checklist_judges_and_findings(report):
    assert table(report, "grades").rows == [
        ("L1", "blind", "reader", "1", "ok", "0.5", "1 of 2", "ok 0.75", "opus 41", "hallucinated")
    ]


def test_more_rows_than_a_page_holds_are_counted(report):
    found = table({**report, "grades": report["grades"] * (ROWS + 7)}, "grades")
    assert (len(found.rows), found.missing) == (ROWS, 7)
