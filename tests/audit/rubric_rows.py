"""Makers of graded rows with rubric scores, for the tests of floors and what is made of them."""

from __future__ import annotations

from pytest_judgeaudit.records.grades import Grade, GradedRow
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore

EVAL = "evals/test_a.py::test_a"
LOST = RubricScore(state="invalid", reason="prose")
PENDING = RubricScore(state="pending", reason="the call failed")
UNASKED = RubricScore(state="not applicable", reason="the question abstains")
REFUSAL = RubricScore(state="ok", **dict.fromkeys(DIMENSIONS, 0.0), label="Refusal", refusal=True)


def score_of(total, accuracy=None):
    """A score of this total: in proportion, or with this accuracy and the rest in proportion."""
    if isinstance(total, RubricScore):
        return total
    own = 0.3 * total if accuracy is None else accuracy
    rest = (total - own) / 70
    parts = {name: rest * top for name, top in DIMENSIONS.items()}
    return RubricScore(state="ok", **{**parts, "accuracy": own}, label="Adequate")


def row(scores, *, question="q", genre="", category="", arm="sighted", **rest):
    """A row; ``scores`` maps judges to a total, to (total, accuracy) or to a score."""
    return GradedRow(
        question=Question(id=question, prompt=question, genre=genre, category=category),
        grade=Grade(score=1.0),
        answer="an answer",
        arm=arm,
        scores={
            judge: score_of(*said) if isinstance(said, tuple) else score_of(said)
            for judge, said in scores.items()
        },
        **{"agent": "reader", "eval": EVAL, "corpus": "lending", "tool_calls": 0, **rest},
    )


def cell(mean, *, judges=("opus", "gpt"), accuracy=None, questions=6, **rest):
    """
    A row for each question, with scores that differ by question and have this mean.

    ``accuracy`` maps judges to their mean of it; the total is then the judges' mean, and the other
    dimensions are equal.
    """
    steps = [-1.5, 1.5, -0.5, 0.5, -1.0, 1.0]
    rows = []
    for index in range(questions):
        step = steps[index % len(steps)]
        if accuracy is None:
            scores = dict.fromkeys(judges, mean + step)
        else:
            middle = sum(accuracy.values()) / len(accuracy)
            scores = {judge: (mean + step + own - middle, own) for judge, own in accuracy.items()}
        rows.append(row(scores, question=f"q{index}", **rest))
    return rows
