"""Findings over graded rows: each a symptom with what to check, and none where nothing is to be seen."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.scores import summary
from pytest_judgeaudit.audit.suspicions import suspicions
from pytest_judgeaudit.grade import Guard, grade, match_of
from pytest_judgeaudit.records.grades import ChecklistVerdict, GradedRow
from pytest_judgeaudit.records.questions import Fact, Question


def path(name, value, **rest):
    return Fact(id=name, match=match_of({"type": "path", "value": value}), **rest)


QUESTION = Question(id="q", prompt="Which file ranks holds?", facts=(path("file", "src/holds.py"),))
TWO = Question(id="q2", prompt="Which two?", facts=(path("a", "src/a.py"), path("b", "src/b.py")))


def row(answer, question=QUESTION, **rest):
    judged = rest.pop("judged", None)
    verdict = (
        ChecklistVerdict(state="ok", score=judged, per_fact=rest.pop("said", {}))
        if judged is not None
        else None
    )
    verdict = rest.pop("verdict", verdict)
    guard = rest.pop("guard", Guard())
    return GradedRow(
        question=question,
        answer=answer,
        grade=rest.pop("graded", None) or grade(question, answer, guard=guard),
        checks={} if verdict is None else {"gpt": verdict},
        **{"agent": "reader", "tool_calls": 3, **rest},
    )


def codes(rows, **rest):
    return [finding.code for finding in suspicions(rows, **rest)]


@pytest.mark.parametrize(
    ("judged", "found"), [(1.0, []), (0.75, []), (0.74, ["disagreement"]), (0.0, ["disagreement"])]
)
def test_a_judge_further_off_than_a_quarter_is_flagged(judged, found):
    assert codes([row("It is src/holds.py.", judged=judged)]) == found


def test_a_disagreement_names_the_facts_and_no_cause():
    (finding,) = suspicions([row("src/a.py", TWO, judged=1.0, said={"a": True, "b": True})])
    assert finding.symptom == "gpt says 1.00, the checklist 0.50 (judge higher); they differ on b"
    assert "an alarm names no cause" in finding.check


@pytest.mark.parametrize("state", ["stale", "pending", "not applicable"])
def test_only_verdicts_that_stand_are_compared(state):
    verdict = ChecklistVerdict(state=state, score=0.0 if state == "stale" else None)
    assert codes([row("src/holds.py", verdict=verdict)]) == []
    assert codes([row("src/holds.py", judged=0.0, truncated=True)]) == []


def test_a_number_that_does_not_follow_from_its_booleans_is_a_rubric_mismatch():
    asked = Question(id="q", prompt="p", facts=(*TWO.facts, path("c", "src/c.py", must=False)))
    said = {"a": True, "b": True, "c": False}
    assert codes([row("src/a.py and src/b.py", asked, judged=0.67, said=said)]) == [
        "disagreement",
        "rubric-mismatch",
    ]


ARMS = ("sighted", "renamed-sighted")


def converging(answer, arms=ARMS, agents=("one", "two"), **rest):
    return [row(answer, arm=arm, agent=agent, **rest) for arm in arms for agent in agents]


def test_a_wrong_key_is_silent_but_all_arms_name_the_same_other_path():
    rows = converging("The ranking is in src/queue.py.", judged=0.0)
    (finding,) = suspicions(rows)
    assert finding.code == "suspect-key"
    assert finding.symptom == "all 4 arms miss file, and all name src/queue.py"


@pytest.mark.parametrize(
    "rows",
    [
        converging("It is src/holds.py, beside src/queue.py."),  # the key is met
        [row("src/x.py", arm="sighted"), row("src/y.py", arm="renamed-sighted")],  # different paths
        [row("src/queue.py"), row("src/queue.py", replicate=2)],  # one arm
        [row("src/queue.py"), row("src/queue.py", arm="blind")],  # a blind arm is no witness
        converging("Which file ranks holds I cannot say."),  # nothing named
        [*converging("src/queue.py"), row("src/holds.py", agent="three")],  # one arm found it
    ],
)
def test_a_key_is_not_suspect_unless_all_arms_converge(rows):
    assert "suspect-key" not in codes(rows)


def test_an_identifier_can_make_a_key_suspect_too():
    asked = Question(id="q", prompt="Which setting?", facts=(path("file", "src/holds.py"),))
    rows = [row("GALE_MAX decides", asked, agent="one"), row("it reads `GALE_MAX`", asked, agent="two")]
    assert codes(rows) == ["suspect-key"]


def regraded(rows, question):
    return [
        GradedRow(
            question=question,
            answer=one.answer,
            grade=grade(question, one.answer),
            arm=one.arm,
            agent=one.agent,
            replicate=one.replicate,
            tool_calls=one.tool_calls,
        )
        for one in rows
    ]


def test_a_change_that_moves_every_arm_alike_is_the_graders():
    before = converging("src/a.py and src/b.py", question=TWO)
    moved = Question(id="q2", prompt=TWO.prompt, facts=(TWO.facts[0], path("b", "src/c.py")))
    after = regraded(before, moved)
    finding = next(one for one in suspicions(after, before=before) if one.code == "uniform-shift")
    assert finding.symptom == "all 4 arms move by -0.50, on b"
    assert "the grader's change, not the arms" in finding.check


def test_a_change_that_moves_one_arm_only_is_no_uniform_shift():
    before = [row("src/a.py and src/b.py", TWO, agent="one"), row("src/a.py", TWO, agent="two")]
    moved = Question(id="q2", prompt=TWO.prompt, facts=(TWO.facts[0], path("b", "src/c.py")))
    assert "uniform-shift" not in codes(regraded(before, moved), before=before)
    assert "uniform-shift" not in codes(before, before=before)


def test_an_answer_without_a_tool_call_shows_recall_in_a_sighted_arm_only():
    assert codes([row("src/holds.py", tool_calls=0)]) == ["no-evidence-used"]
    assert codes([row("src/holds.py", tool_calls=0, arm="blind")]) == []
    assert codes([row("src/holds.py", tool_calls=None)]) == []


def test_hedges_are_counted_as_a_lower_bound():
    (finding,) = suspicions([row("Probably src/holds.py."), row("It is src/holds.py.", replicate=2)])
    assert finding.code == "hedged"
    assert finding.symptom == "at least 1 of 2 (50 %) answers hedge: probably"


def test_one_answer_for_two_prompts_is_found():
    other = Question(id="q9", prompt="Another?", facts=QUESTION.facts)
    rows = [row("It is **src/holds.py**."), row("it is src/holds.py.", other)]
    (finding,) = suspicions(rows)
    assert finding.code == "same-answer-different-questions"
    assert finding.where == "q [reader sighted], q9 [reader sighted]"


def test_the_same_answer_to_one_prompt_or_the_same_abstention_is_ordinary():
    assert codes([row("src/holds.py"), row("src/holds.py", replicate=2)]) == []
    asked = [Question(id=f"a{n}", prompt=f"{n}?", grader="abstain") for n in range(2)]
    assert codes([row("There is no such module.", one) for one in asked]) == []


def test_two_scores_over_three_answers_are_bimodal():
    rows = [
        row(text, TWO, replicate=n) for n, text in enumerate(["src/a.py", "src/a.py src/b.py", "src/b.py"])
    ]
    (finding,) = suspicions(rows)
    assert finding.code == "bimodal"
    assert finding.symptom == "3 answers have two scores: 2 × 0.50, 1 × 1.00; no median is shown"
    assert codes(rows[:2]) == []


@pytest.mark.parametrize(
    ("scores", "middle", "bimodal"),
    [
        ([0.82, 1.0, 1.0], None, True),
        ([0.5, 0.75, 1.0], 0.75, False),
        ([1.0, 1.0, 1.0], 1.0, False),
        ([0.0, 1.0], 0.5, False),
        ([None, None], None, False),
        ([None, 0.0], 0.0, False),
    ],
)
def test_no_median_is_shown_of_two_values(scores, middle, bimodal):
    found = summary(scores)
    assert (found.median, found.bimodal) == (middle, bimodal)
    assert found.n + found.void == len(scores)


def test_answers_listed_apart_are_counted():
    guard = Guard(files=("questions.toml",))
    rows = [
        row("My tools failed."),
        row("src/holds.py, see questions.toml", guard=guard, replicate=2),
        row("src/holds.py. This looks like a trap question.", replicate=3),
    ]
    assert codes(rows) == ["unavailable", "contaminated", "suspected-probe"]
    symptom = next(one.symptom for one in suspicions(rows) if one.code == "contaminated")
    assert "q [reader sighted] #2 (names-question-set)" in symptom
