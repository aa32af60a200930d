"""Which stored answers a run uses: what ``--judge-prune`` may take away, and what it must leave."""

from __future__ import annotations

import pytest

QUESTIONS = """
[[question]]
id = "q1"
prompt = "Which function writes loan 1?"
class = "lookup"
retired = { on = "2026-01-05", why = "false premise" }
fact = [{ id = "f", must = true, match = { type = "literal", value = "write_loan" } }]

[[question]]
id = "q2"
prompt = "Which function writes loan 2?"
class = "lookup"
fact = [{ id = "f", must = true, match = { type = "literal", value = "write_loan" } }]
"""

CONFIGURATION = """
[[agent]]
name = "reader"
kind = "python"
callable = "people:reads"

[[judge]]
name = "one"
family = "a"
api = "python"
callable = "people:scores"
"""

PEOPLE = """
import json

DIMENSIONS = {"accuracy": 20, "completeness": 20, "traceability": 10, "usefulness": 10}

def reads(prompt, sandbox):
    return "It is write_loan."

def scores(messages):
    return json.dumps({**DIMENSIONS, "label": "fair"})
"""

ONE = """
import pytest

@pytest.mark.questions("q.toml", arms=("blind",))
@pytest.mark.rate_gate(lower=0.01)
def test_reads(agent, judge, question, sandbox):
    assert judge.score(question, agent.answer(question, sandbox)).total > 20
"""

ALL = ONE.replace("agent, judge,", "agent, judges,").replace("judge.score", "judges[0].score")


@pytest.mark.parametrize("text", [ONE, ALL], ids=["judge", "judges"])
def test_pruning_keeps_what_judges_said_though_the_first_question_is_retired(project, text):
    project.write("q.toml", QUESTIONS.replace("retired = ", "# "))
    project.write("judgeaudit.toml", CONFIGURATION)
    project.write("people.py", PEOPLE)
    project.evals(text)
    assert project.run("--judge-audit", "--judge-live").code == 0
    project.write("q.toml", QUESTIONS)
    assert project.run("--judge-audit", "--judge-prune").code == 0
    project.write("q.toml", QUESTIONS.replace("retired = ", "# "))
    answers = project.audit().report["answers"]
    assert (answers["hit"], answers["missing"]) == (4, 0)
