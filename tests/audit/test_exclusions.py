"""Rows that are left out for a reason, with the figure with and without them."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.exclusions import left_out, marked, of_left_out
from pytest_judgeaudit.records.exclusions import Exclusion
from pytest_judgeaudit.records.grades import Grade, GradedRow
from pytest_judgeaudit.records.questions import Question, Retirement

OPEN = Exclusion(cell={"arm": "blind"}, why="its sandbox was open")


def row(score, *, question="q", arm="sighted", agent="reader", retired=None):
    asked = Question(id=question, prompt="?", retired=retired)
    return GradedRow(
        question=asked, grade=Grade(score=score), answer="", arm=arm, agent=agent, eval="evals/t.py::t"
    )


ROWS = [row(1.0), row(0.5), row(0.0, arm="blind"), row(None, arm="blind"), row(0.25, agent="second")]


def test_rows_are_marked_with_the_reason():
    assert [one.excluded for one in marked(ROWS, [OPEN])] == ["", "", OPEN.why, OPEN.why, ""]
    assert marked(ROWS, []) == tuple(ROWS)


def test_an_exclusion_stands_with_the_mean_with_and_without_it():
    (found,) = left_out(marked(ROWS, [OPEN]), [OPEN], [])
    assert (found.agent, found.what, found.rows) == ("reader", "arm blind", 1)
    assert (found.mean_with, found.mean_without) == (pytest.approx(0.5), 0.75)
    (told,) = of_left_out([found])
    assert told.symptom == (
        "arm blind: its sandbox was open (1 graded answer; mean score 0.500 with, 0.750 without)"
    )


def test_two_exclusions_are_each_shown_against_what_is_left():
    wrong = Exclusion(cell={"question": "q2"}, why="wrong key")
    rows = marked([*ROWS, row(0.0, question="q2")], [OPEN, wrong])
    assert [(one.what, one.mean_with, one.mean_without) for one in left_out(rows, [OPEN, wrong], [])] == [
        ("arm blind", 0.5, 0.75),
        ("question q2", 0.5, 0.75),
    ]


def test_an_exclusion_of_nothing_says_nothing():
    assert left_out(marked(ROWS, []), [Exclusion(cell={"arm": "nowhere"}, why="x")], []) == ()


def test_a_retired_question_is_weighed_by_its_stored_answers():
    gone = [row(0.0, question="old", retired=Retirement(why="false premise", on="2026-01-05"))]
    (found,) = left_out(marked(ROWS, [OPEN]), [], gone)
    assert (found.what, found.why) == ("question old, retired on 2026-01-05", "false premise")
    assert (found.rows, found.mean_with, found.mean_without) == (1, 0.5, 0.75)


def test_where_nothing_is_left_there_is_no_mean():
    everything = Exclusion(cell={"agent": "second"}, why="not ours")
    (found,) = left_out(marked([ROWS[-1]], [everything]), [everything], [])
    assert (found.mean_with, found.mean_without) == (0.25, None)
    assert "0.250 with, none without" in next(of_left_out([found])).symptom
