"""From a question and an answer to a grade: checklists, older graders, and what is void."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.grade import (
    Guard,
    by_ground_truth,
    checklist,
    grade,
    match_of,
    mentioned_paths,
    reconcile,
)
from pytest_judgeaudit.records.questions import Fact, Question, Retirement


def fact(name, *, must=True):
    return Fact(id=name, must=must, match=match_of({"type": "symbol", "value": name}))


BAD = Fact(id="bad", match=match_of({"type": "literal", "value": "mainframe"}))
QUESTION = Question(id="q", prompt="p", facts=(fact("alpha"), fact("beta")), forbidden=(BAD,))


@settings(deadline=None)
@given(st.lists(st.booleans(), max_size=4), st.lists(st.booleans(), max_size=4))
def test_the_score_is_the_share_of_required_facts_and_a_capped_bonus(required, optional):
    facts = [fact(f"r{i}") for i in range(len(required))] + [
        fact(f"o{i}", must=False) for i in range(len(optional))
    ]
    said = [f"r{i}" for i, hit in enumerate(required) if hit] + [
        f"o{i}" for i, hit in enumerate(optional) if hit
    ]
    base = Fraction(sum(required), len(required)) if required else Fraction(0)
    bonus = Fraction(15, 100) * Fraction(sum(optional), len(optional)) if optional else Fraction(0)
    found = checklist(", ".join(said), facts)
    assert found.score == pytest.approx(float(min(Fraction(1), base + bonus)), abs=1e-12)
    assert set(found.missing) == {f"r{i}" for i, hit in enumerate(required) if not hit}
    assert set(found.per_fact) == {one.id for one in facts}


def test_one_asserted_forbidden_fact_makes_the_score_zero():
    found = grade(QUESTION, "alpha and beta; the mainframe keeps it")
    assert (found.score, found.hallucinated) == (0.0, True)
    assert found.forbidden_hit == {"bad": "the mainframe keeps it"}
    assert grade(QUESTION, "alpha and beta; it does not use the mainframe").score == 1.0


def test_a_contaminated_answer_has_no_score_and_keeps_what_it_would_have_had():
    found = grade(QUESTION, "alpha, as questions.toml says", guard=Guard(files=("questions.toml",)))
    assert (found.score, found.state, found.score_if_clean) == (None, "contaminated", 0.5)
    assert found.void


def test_a_retired_question_is_not_graded():
    found = grade(Question(id="q", prompt="p", retired=Retirement(why="false premise")), "alpha")
    assert (found.score, found.state, found.reason) == (None, "retired", "false premise")


ABSTAIN = Question(id="q", prompt="p", cls="abstain", grader="abstain", forbidden=(BAD,))


@pytest.mark.parametrize(
    ("question", "text", "tools", "state"),
    [
        (ABSTAIN, "The search tool was out of reach, so I will not guess.", True, "unavailable"),
        (ABSTAIN, "The search tool was out of reach.", False, "graded"),
        (ABSTAIN, "The search tool was unavailable at first. There is no such queue.", True, "graded"),
        (ABSTAIN, "The search tool was unavailable; the mainframe does it.", True, "graded"),
        (QUESTION, "My tools failed.", True, "unavailable"),
        (QUESTION, "My tools failed at first; it is alpha.", True, "graded"),
    ],
)
def test_broken_tools_are_unavailable_unless_the_answer_answers(question, text, tools, state):
    found = grade(question, text, tools=tools)
    assert found.state == state
    assert (found.score is None) == (state == "unavailable")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("src/a.py, ./src/a.py:3 and `src/a.py`.", ("src/a.py",)),
        ("On 3.11, i.e. e.g. v2.1 of node, queue.drain() in src/a.py", ("src/a.py",)),
        ("See https://x.example/a/b.html and conf/x.toml", ("conf/x.toml",)),
        ("a.py is src/a.py", ("src/a.py",)),
        ("src/a.py, not src/b.py", ("src/a.py",)),
        ("src\\win\\a.cs", ("src/win/a.cs",)),
        ("nothing", ()),
    ],
)
def test_paths_are_listed_once_and_only_if_they_are_paths(text, paths):
    assert mentioned_paths(text) == paths


@settings(deadline=None)
@given(st.sets(st.sampled_from("abcdef"), min_size=1), st.sets(st.sampled_from("abcdef")))
def test_a_set_is_graded_by_f1(wanted, listed):
    text = ", ".join(f"src/{name}.py" for name in sorted(listed))
    found = by_ground_truth(text, "set", gt=[f"src/{name}.py" for name in sorted(wanted)])
    right = len(wanted & listed)
    assert found.score == pytest.approx(2 * right / (len(wanted) + len(listed)))


@pytest.mark.parametrize("kind", ["llm", "nonsense", "set"])
def test_who_cannot_grade_gives_no_score_and_never_zero(kind):
    found = by_ground_truth("x", kind, gt=[])
    assert (found.score, found.state) == (None, "judge only")


FACTS = (fact("r1"), fact("r2"), fact("o1", must=False))


@pytest.mark.parametrize(
    ("checklist_", "judge", "agree", "kind"),
    [
        (0.55, 0.3, True, None),
        (0.56, 0.3, False, "checklist_higher"),
        (0, 0.3, False, "judge_higher"),
        (None, 1, None, None),
    ],
)
def test_judge_and_checklist_agree_up_to_the_threshold_in_decimals(checklist_, judge, agree, kind):
    found = reconcile(checklist_, judge)
    assert (found.agree, found.kind) == (agree, kind)


@pytest.mark.parametrize(
    ("judge", "said", "mirrored", "mismatch"),
    [
        (0.67, {"r1": True, "r2": True, "o1": False}, 1.0, True),
        (0.5, {"r1": True, "r2": False, "o1": False}, 0.5, False),
        (0.65, {"r1": True, "r2": False, "o1": True}, 0.65, False),
        (0.6, {"r1": True, "r2": False, "o1": True}, 0.65, False),
        (0.59, {"r1": True, "r2": False, "o1": True}, 0.65, True),
        (0.5, {"r1": True, "r2": False}, None, None),
        (0.0, {"r1": True, "r2": True, "o1": True, "bad": True}, 0.0, False),
        (0.0, {"r1": True, "r2": True, "o1": True}, 1.0, None),
    ],
)
def test_a_number_must_follow_from_the_judges_own_booleans(judge, said, mirrored, mismatch):
    found = reconcile(1.0, judge, facts=FACTS, per_fact=said, forbidden=[BAD])
    assert found.mirrored == (None if mirrored is None else pytest.approx(mirrored))
    assert found.rubric_mismatch is mismatch
