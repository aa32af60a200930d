"""From trials of questions to graded rows, and what of them travels."""

from __future__ import annotations

import json

from pytest_judgeaudit.audit.graded import graded_rows, written
from pytest_judgeaudit.audit.observations import observe
from pytest_judgeaudit.records.grades import ChecklistVerdict, Grade, GradedRow
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.scores import UNASKED
from pytest_judgeaudit.records.trials import Trial


def rows(plan, trials):
    """The rows of trials that have travelled as reports do."""
    observed, _ = observe(plan, [Trial.from_json(one.to_json()) for one in trials], interrupted=False)
    return graded_rows(plan, observed)


def test_a_row_is_put_together_from_plan_and_trial(answers):
    cell = answers.cell("blind", replicates=(1, 2))
    verdict = ChecklistVerdict(state="ok", score=0.5, per_fact={"f": True})
    made = answers.trials(
        cell, scores={"opus": answers.score(40)}, checks={"gpt": verdict}, tools={"read": 2}
    )
    found = rows(answers.plan(cell), made)
    assert [(one.question.prompt, one.replicate) for one in found] == [
        ("q1?", 1),
        ("q1?", 2),
        ("q2?", 1),
        ("q2?", 2),
    ]
    one = found[0]
    assert (one.arm, one.agent, one.corpus, one.eval) == ("blind", "reader", "code", answers.EVAL)
    assert (one.scores["opus"].total, one.checks["gpt"], one.tools) == (40, verdict, {"read": 2})


def test_rows_are_in_the_order_of_the_plan_whatever_came_first(answers):
    cell = answers.cell()
    backwards = list(answers.trials(cell))[::-1]
    assert [one.question.id for one in rows(answers.plan(cell), backwards)] == ["q1", "q2"]


def test_void_trials_keep_their_row_and_trials_without_an_answer_have_none(answers):
    cell = answers.cell(names=("q1", "q2", "q3"))
    leaked = answers.trial(
        cell, cell.declared[0], outcome="void", grade=Grade(score=None, state="contaminated")
    )
    missing = Trial(cell=cell.id, task="q2", order="AB", outcome="void", answer="missing")
    found = rows(answers.plan(cell), [leaked, missing])
    assert [(one.question.id, one.grade.state) for one in found] == [("q1", "contaminated")]


def test_a_renamed_arm_has_questions_of_its_own(answers):
    plain, renamed = answers.cell("sighted"), answers.cell("renamed-sighted")
    plan = answers.plan(plain, renamed)
    asked = {"q1": Question(id="q1", prompt="as it is"), "q1 renamed": Question(id="q1", prompt="renamed")}
    plan.questions[answers.EVAL].update(asked)
    found = rows(plan, [*answers.trials(plain), *answers.trials(renamed)])
    prompts = {one.arm: one.question.prompt for one in found if one.question.id == "q1"}
    assert prompts == {"sighted": "as it is", "renamed-sighted": "renamed"}


def test_what_is_written_is_ascii_json_whatever_was_answered():
    row = GradedRow(question=Question(id="q", prompt="?"), grade=Grade(score=1.0), answer="\ud83d \x1b[2J")
    text = json.dumps(written(row))
    assert text.isascii()
    assert json.loads(text)["answer"] == row.answer


def test_an_answer_that_its_test_did_not_put_to_a_judge_has_a_score_to_come(answers):
    cell = answers.cell("blind", names=("q1", "q2", "q3", "q4", "q5"))
    first, second, third, fourth, fifth = cell.declared
    found = rows(
        answers.plan(cell),
        [
            answers.trial(cell, first, scores={"opus": answers.score(40), "gpt": answers.score(60)}),
            answers.trial(cell, second, outcome="adverse", scores={"gpt": answers.score(50)}),
            answers.trial(cell, third, outcome="adverse"),
            answers.trial(cell, fourth, outcome="adverse", ended="refusal"),
            answers.trial(cell, fifth, outcome="adverse", answer=" "),
        ],
    )
    states = [{judge: one.state for judge, one in sorted(row.scores.items())} for row in found]
    both = dict.fromkeys(("gpt", "opus"), "pending")
    assert states == [dict.fromkeys(both, "ok"), {**both, "gpt": "ok"}, both, {}, dict.fromkeys(both, "ok")]
    assert found[1].scores["opus"].reason == UNASKED
    assert [one.total for one in found[4].scores.values()] == [0, 0]


def test_a_judge_of_one_arm_owes_the_others_nothing(answers):
    blind, sighted = answers.cell("blind"), answers.cell("sighted")
    made = [*answers.trials(blind, scores={"opus": answers.score(40)}), *answers.trials(sighted)]
    found = rows(answers.plan(blind, sighted), made)
    assert [sorted(row.scores) for row in found] == [["opus"], ["opus"], [], []]
