"""Plans and trials as they travel: one ASCII string each, and nothing lost."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.plans import (
    AgentPlan,
    CellPlan,
    FamilyMember,
    Finding,
    GateSpec,
    JudgePlan,
    Plan,
    Presentation,
    Task,
)
from pytest_judgeaudit.records.questions import Evidence, Fact, Match, Question, Retirement
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.session.wire import plan_from_json, plan_to_json

# Models and data files write anything: execnet aborts the run on lone surrogates. Two halves of one
# character become that character in JSON.
ANYTHING = st.text(st.characters(exclude_categories=()), max_size=8)
WORDS = ANYTHING.filter(lambda word: word == json.loads(json.dumps(word)))
RATES = st.floats(0.01, 0.99)
NAMED = st.dictionaries(WORDS, RATES, max_size=3)
PRESENTATIONS = st.lists(
    st.builds(Presentation, WORDS, st.sampled_from(["AB", "BA"]), st.integers(1, 3)), max_size=3
).map(tuple)
GATES = st.builds(
    GateSpec,
    kind=st.sampled_from(["clone_gate", "utility_gate", "rate_gate", "operational_gate"]),
    upper=st.none() | RATES,
    lower=st.none() | RATES,
    confidence=RATES,
    family=st.none() | WORDS,
    weights=st.none() | NAMED,
    where=st.none() | st.just({"arm": "blind"}),
)
CELLS = st.builds(
    CellPlan,
    id=WORDS,
    eval=WORDS,
    variant=WORDS,
    study=WORDS,
    judge=st.none() | WORDS,
    criterion=st.none() | WORDS,
    arm=WORDS,
    stratum=st.none() | WORDS,
    gates=st.lists(GATES, max_size=2).map(tuple),
    declared=PRESENTATIONS,
    selected=PRESENTATIONS,
    location=st.tuples(WORDS, st.integers(0, 99)),
    agent=st.none() | WORDS,
    corpus=st.none() | WORDS,
    scored=st.lists(WORDS, max_size=2).map(tuple),
)
FACTS = st.builds(
    Fact,
    id=WORDS,
    must=st.booleans(),
    match=st.builds(
        Match,
        type=st.sampled_from(["literal", "near"]),
        values=st.lists(WORDS, min_size=1, max_size=2).map(tuple),
        flags=st.none() | WORDS,
    ),
)
QUESTIONS = st.builds(
    Question,
    id=WORDS,
    prompt=WORDS,
    facts=st.lists(FACTS, max_size=2).map(tuple),
    forbidden=st.lists(FACTS, max_size=1).map(tuple),
    evidence=st.lists(st.builds(Evidence, file=WORDS, line=st.none() | st.integers(1, 9)), max_size=1).map(
        tuple
    ),
    retired=st.none() | st.builds(Retirement, why=WORDS),
)
AGENTS = st.builds(
    AgentPlan,
    name=WORDS,
    kind=WORDS,
    family=WORDS,
    requested=WORDS,
    served=st.booleans(),
    price=st.none() | st.tuples(RATES, RATES),
)
JUDGES = st.builds(
    JudgePlan,
    name=WORDS,
    family=WORDS,
    api=WORDS,
    requested=WORDS,
    expect=st.sampled_from(["certified", "uncertified"]),
    identity=st.sampled_from(["served", "log", "undeclared log", "construction"]),
)
TASKS = st.builds(Task, id=WORDS, subset=WORDS, target=st.none() | WORDS, family=st.none() | WORDS)
PLANS = st.builds(
    Plan,
    cells=st.lists(CELLS, max_size=2).map(tuple),
    judges=st.lists(JUDGES, max_size=2).map(tuple),
    agents=st.lists(AGENTS, max_size=2).map(tuple),
    questions=st.dictionaries(WORDS, st.dictionaries(WORDS, QUESTIONS, max_size=2), max_size=2),
    tasks=st.dictionaries(WORDS, st.dictionaries(WORDS, TASKS, max_size=2), max_size=2),
    members=st.lists(st.builds(FamilyMember, WORDS, WORDS, WORDS), max_size=2).map(tuple),
    findings=st.lists(
        st.builds(Finding, code=WORDS, where=WORDS, symptom=WORDS, check=WORDS), max_size=2
    ).map(tuple),
    seed=st.integers(0, 2**70),
)


@given(PLANS)
def test_a_plan_arrives_as_it_left(plan):
    text = plan_to_json(plan)
    assert text.isascii()
    assert plan_from_json(text) == plan


@given(
    task=WORDS,
    reason=st.none() | WORDS,
    winner=st.sampled_from([None, "first", "second", "tie", "invalid"]),
    tokens=st.none() | st.integers(0, 10**12),
    duplicated=st.booleans(),
)
def test_a_trial_arrives_as_it_left(task, reason, winner, tokens, duplicated):
    trial = Trial(
        cell="c",
        task=task,
        order="AB",
        outcome="void",
        reason=reason,
        winner=winner,
        prompt_tokens=tokens,
        duplicated=duplicated,
    )
    text = trial.to_json()
    assert text.isascii()
    assert Trial.from_json(text) == trial


def test_what_is_not_known_of_a_trial_does_not_travel():
    trial = Trial(cell="c", task="t", order="AB", outcome="success")
    assert "winner" not in json.loads(trial.to_json())
