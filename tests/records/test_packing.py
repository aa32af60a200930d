"""Nouns as plain JSON values and back: nothing of a question, a grade or a verdict is lost on its way."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.grades import ChecklistVerdict, Contamination, Grade
from pytest_judgeaudit.records.packing import packed, unpacked
from pytest_judgeaudit.records.questions import Evidence, Fact, FactMatcher, Match, Question, Retirement
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.records.verdicts import Usage

# Models and files send lone surrogates, and escapes.
texts = st.text(st.characters(codec=None), max_size=12)
shares = st.none() | st.floats(0, 1)
names = st.lists(texts, max_size=3).map(tuple)
flags = st.dictionaries(texts, st.booleans(), max_size=3)
usages = st.none() | st.builds(
    Usage, prompt=st.integers(0), completion=st.integers(0), unknown_calls=st.integers(0, 9)
)
matches = st.builds(
    Match,
    type=st.sampled_from(["literal", "near", "regex"]),
    values=st.lists(texts, min_size=1, max_size=3).map(tuple),
    flags=st.none() | texts,
    within=st.integers(1, 500),
    asserted=st.none() | st.booleans(),
)
facts = st.lists(st.builds(Fact, id=texts, match=matches, must=st.booleans(), desc=texts), max_size=3).map(
    tuple
)
evidence = st.builds(Evidence, file=texts, line=st.none() | st.integers(1), last=st.none() | st.integers(1))
questions = st.builds(
    Question,
    id=texts,
    prompt=texts,
    genre=texts,
    facts=facts,
    forbidden=facts,
    grader=st.sampled_from(["checklist", "abstain", "llm"]),
    gt=names,
    markers=names,
    evidence=st.lists(evidence, max_size=2).map(tuple),
    retired=st.none() | st.builds(Retirement, why=texts, on=texts),
    place=texts,
)
grades = st.builds(
    Grade,
    score=shares,
    state=st.sampled_from(["graded", "contaminated", "refusal"]),
    per_fact=flags,
    missing=names,
    forbidden_hit=st.dictionaries(texts, texts, max_size=2),
    abstained=st.none() | st.booleans(),
    contamination=st.builds(
        Contamination, hard=names, soft=names, quotes=st.dictionaries(texts, texts, max_size=2)
    ),
    score_if_clean=shares,
)
verdicts = st.builds(
    ChecklistVerdict,
    state=st.sampled_from(["ok", "stale", "pending"]),
    score=shares,
    per_fact=flags,
    served=st.none() | texts,
)
scores = st.builds(
    RubricScore,
    state=st.sampled_from(["ok", "stale", "invalid"]),
    accuracy=st.none() | st.floats(0, 30),
    label=texts,
    usage=usages,
)


def travelled(noun):
    """Write a noun as a report does, in ASCII, and read it again."""
    return unpacked(type(noun), json.loads(json.dumps(packed(noun)).encode("ascii")))


@given(st.one_of(questions, grades, verdicts, scores))
def test_what_is_packed_comes_back_as_it_was(noun):
    assert travelled(noun) == noun


@given(questions)
def test_a_question_keeps_the_digests_that_make_answers_stale(question):
    found = travelled(question)
    assert (found.prompt_digest(), found.key_digest()) == (question.prompt_digest(), question.key_digest())


@pytest.mark.parametrize(
    ("noun", "raw"),
    [
        (Question(id="q", prompt="p"), {"id": "q", "prompt": "p"}),
        (Grade(score=None, state="refusal"), {"score": None, "state": "refusal"}),
        (ChecklistVerdict(state="pending"), {"state": "pending"}),
    ],
)
def test_defaults_are_left_out(noun, raw):
    assert packed(noun) == raw


def test_nouns_are_packed_inside_of_tables_and_lists():
    assert packed({"a": [Grade(score=1.0)], 2: ("x",)}) == {"a": [{"score": 1.0}], "2": ["x"]}


def test_what_matches_stays_where_it_is_and_its_version_travels():
    own = FactMatcher(compile=lambda _: lambda _: None, version="3")
    match = Match(type="says", values=("so",), version="3", contributed=own)
    question = Question(id="q", prompt="p", facts=(Fact(id="f", match=match),))
    found = travelled(question)
    assert found == question
    assert found.facts[0].match.contributed is None
    assert found.key_digest() == question.key_digest()
