"""Grades beside those that were accepted: what moved, row by row, and what it says of the grader."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_judgeaudit.audit.graded import written
from pytest_judgeaudit.records.grades import Grade, GradedRow
from pytest_judgeaudit.records.plans import CellPlan, Plan, Presentation
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.reviewing import Review, grade_of, row_of
from pytest_judgeaudit.store.grades import Grades

EVAL = "evals/test_a.py::test_reads"


def cell(arm="sighted", names=("q1", "q2"), retired=()):
    declared = tuple(Presentation(name, "AB") for name in names)
    return CellPlan(
        id=f"{EVAL}::reader::{arm}",
        eval=EVAL,
        variant="",
        study="evals/test_a.py",
        judge=None,
        criterion=None,
        arm=arm,
        stratum=None,
        gates=(),
        declared=declared,
        selected=declared,
        location=("evals/test_a.py", 1),
        agent="reader",
        retired=tuple(Presentation(name, "AB") for name in retired),
    )


def row(name, score, *, arm="sighted", **facts):
    return GradedRow(
        question=Question(id=name, prompt="?"),
        grade=Grade(score=score, per_fact=facts),
        answer="an answer",
        arm=arm,
        agent="reader",
        eval=EVAL,
    )


def trial(planned, graded, *, outcome="success", **changes):
    known = {"task": graded.question.id, "order": "AB", "digest": "d1", "answer": "hit"}
    return Trial(cell=planned.id, outcome=outcome, graded=written(graded), **{**known, **changes})


class Accepted:
    """Accepted grades, by cell; notes what they were asked."""

    def __init__(self, **cells):
        self.cells = {name.replace("_", "-"): table for name, table in cells.items()}
        self.asked = {}

    def check(self, *, cell, rows, complete, **facts):
        self.asked[cell] = (rows, complete, facts)
        known = self.cells.get(cell)
        if known is None:
            return Grades(state="none", new=tuple(rows))
        moved = tuple((key, known[key], now) for key, now in rows.items() if known.get(key, now) != now)
        return Grades(
            state="moved" if moved else "same",
            moved=moved,
            vanished=tuple(known.keys() - rows.keys()),
            message="a diff",
        )

    def unseen(self, _):
        return ()


def review(accepted, *rows, planned=None, outcome="success"):
    cells = planned or [cell(arm) for arm in dict.fromkeys(one.arm for one in rows)]
    by_arm = {one.arm: one for one in cells}
    one = Review(grades=accepted, root=Path(), live=False, sharded=False)
    trials = [trial(by_arm[graded.arm], graded, outcome=outcome) for graded in rows]
    return one.compare(Plan(cells=tuple(cells)), trials, rows)


def codes(findings):
    return [finding.code for finding in findings]


@pytest.mark.parametrize(
    ("grade", "line"),
    [
        (Grade(score=1.0, per_fact={"f1": True, "f2": False}), "d1 1 graded: f1"),
        (Grade(score=2 / 3), "d1 0.6667 graded"),
        (Grade(score=None, state="contaminated"), "d1 none contaminated"),
        (Grade(score=0.0, state="refusal"), "d1 0 refusal"),
    ],
)
def test_a_line_of_accepted_grades_holds_score_state_and_facts(grade, line):
    graded = GradedRow(question=Question(id="q1", prompt="?"), grade=grade, answer="")
    assert grade_of(trial(cell(), graded)) == line


def test_a_row_of_a_question_has_no_order_and_names_its_replicate():
    assert row_of(cell(), Presentation("q 1", "AB")).startswith("q_1")
    assert row_of(cell(), Presentation("q1", "AB", 2)) == "q1-2"


def test_what_moved_is_an_item_of_its_cell():
    accepted = Accepted(reader_sighted={"q1": "d1 1 graded", "q2": "d1 1 graded"})
    items, findings = review(accepted, row("q1", 0.5), row("q2", 1.0))
    assert [(item.id, item.outcome) for item in items] == [(f"{EVAL}::grades[reader-sighted]", "failed")]
    assert findings == []


def test_nothing_accepted_yet_is_one_finding_for_all_cells():
    items, findings = review(Accepted(), row("q1", 1.0), row("q1", 1.0, arm="blind"))
    assert (items, codes(findings)) == ([], ["grades-not-accepted"])
    assert "2 cells" in findings[0].symptom


def test_accepted_rows_without_a_trial_have_vanished_unless_their_question_is_retired():
    known = dict.fromkeys(("q1", "old", "gone"), "d1 1 graded")
    _, findings = review(
        Accepted(reader_sighted=known), row("q1", 1.0), planned=[cell(names=("q1",), retired=("old",))]
    )
    assert codes(findings) == ["grades-vanished"]
    assert "such as gone" in findings[0].symptom


def test_all_arms_moving_alike_is_the_graders_doing():
    before = {"q1": "d1 1 graded: f1 f2"}
    accepted = Accepted(reader_sighted=before, reader_blind=before)
    rows = [row("q1", 0.5, arm=arm, f1=True, f2=False) for arm in ("sighted", "blind")]
    _, findings = review(accepted, *rows)
    assert codes(findings) == ["uniform-shift"]
    assert findings[0].symptom == "all 2 arms move by -0.50, on f2"


def test_one_arm_moving_alone_is_no_shift():
    before = {"q1": "d1 1 graded"}
    accepted = Accepted(reader_sighted=before, reader_blind=before)
    _, findings = review(accepted, row("q1", 0.5), row("q1", 1.0, arm="blind"))
    assert codes(findings) == []


@pytest.mark.parametrize(("outcome", "complete"), [("success", True), ("void", True)])
def test_an_answer_that_was_graded_is_compared_whatever_its_item_became(outcome, complete):
    accepted = Accepted()
    review(accepted, row("q1", 1.0), row("q2", 1.0), outcome=outcome)
    rows, whole, _ = accepted.asked["reader-sighted"]
    assert (set(rows), whole) == ({"q1", "q2"}, complete)


def test_a_part_of_a_cell_is_no_complete_one():
    accepted = Accepted()
    review(accepted, row("q1", 1.0))
    assert accepted.asked["reader-sighted"][1] is False
