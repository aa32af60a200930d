"""
What a script that searches a code base finds of it, and what it scores without seeing any of it.

Two planted judges score the same answers: one pays for plausible prose, the other for what the code bears
out. Only the floor beside the score tells them apart.
"""

import pytest

ARMS = ("sighted", "blind", "renamed-sighted", "renamed-blind")


@pytest.mark.questions(
    "corpora/depot/questions.toml",
    corpus="depot",
    arms=ARMS,
    judges=("prose", "evidence"),
    agents=("searcher",),
)
@pytest.mark.rate_gate(lower=0.25, where={"arm": "sighted"})
@pytest.mark.blind_floor
def test_depot(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.score(question, answer)
    assert answer.grade(question).score >= 0.5


@pytest.mark.questions(
    "corpora/depot/questions.toml", corpus="depot", judges=("prose", "evidence"), agents=("smollm2",)
)
@pytest.mark.blind_floor
def test_depot_read_by_a_small_model(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.score(question, answer)
    assert answer.grade(question).score >= 0.5
