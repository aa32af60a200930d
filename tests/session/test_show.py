"""``--judge-show TASK``: one task as stored, in both orders, with nothing asked and nothing run."""

from __future__ import annotations

import pytest

SIGNAL = """
import pytest

@pytest.mark.signal_pairs("corpora/rows.jsonl")
@pytest.mark.utility_gate(lower=0.75)
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
MINE = 'def ask(messages):\n    return \'{{"winner": "{}"}}{}\'\n'


@pytest.fixture
def shown(project):
    """A project whose judge always names slot A."""
    project.evals(SIGNAL)
    project.pairs(3)
    project.judges(mine={"api": "python", "callable": "mine:ask"}, longest={})
    project.write("mine.py", MINE.format("A", "\\x1b[2J"))
    return project


def sections(out):
    """The lines of our section by the last heading of a judge."""
    found, name = {}, ""
    for line in out.splitlines():
        if line.endswith(", criterion neutral"):
            name = line.split(",")[0]
        found.setdefault(name, []).append(line)
    return found


def test_a_stored_task_is_shown_with_prompt_orders_answers_attempts_and_grades(shown):
    shown.audit("--judge-live", "-q")
    before = shown.files()
    ran = shown.run("--judge-audit", "--judge-show=c002", "-n2")
    assert (ran.code, shown.files()) == (0, before - {"report.json"})
    found = sections(ran.out)
    assert "task c002 in evals/test_e.py::test_better_wins" in found[""]
    assert "  | good 2 and more" in found[""]
    mine = found["mine"]
    assert [line for line in mine if line.startswith("order ")] == [
        "order AB: A is the first, B the second",
        "order BA: A is the second, B the first",
    ]
    assert mine.count('    | {"winner": "A"}\\x1b[2J') == 2
    assert "  attempt 1: answered, 0.0 s" in mine
    verdicts = [line for line in mine if "verdict:" in line]
    assert len(verdicts) == 2
    assert all(line.startswith("  verdict: invalid (") for line in verdicts)
    assert all(line.endswith("; the arm wants first") for line in verdicts)
    assert sum(line.endswith(" invalid adverse") for line in mine) == 2
    assert "\x1b" not in ran.out


def test_a_judge_that_answers_in_the_process_is_asked_again_there(shown):
    found = sections(shown.run("--judge-audit", "--judge-show=c001").out)["longest"]
    assert "answers in the process: nothing is asked or stored" in found
    assert [line for line in found if "verdict:" in line] == [
        "  verdict: first, slot A; as the arm wants",
        "  verdict: first, slot B; as the arm wants",
    ]


def test_without_stored_answers_nothing_is_asked(shown):
    shown.write("mine.py", "def ask(messages):\n    raise OSError('asked')\n")
    ran = shown.run("--judge-audit", "--judge-live", "--judge-show=c001")
    lines = [line for line in ran.out.splitlines() if "no verdict:" in line]
    assert (ran.code, len(lines)) == (0, 2)
    assert lines[0].startswith(
        "  no verdict: no stored answer for test_better_wins-mine-neutral-c001-signal-AB-1"
    )


def test_a_stale_answer_is_shown_and_said_to_be_one(shown):
    shown.audit("--judge-live", "-q")
    text = (shown.root / "corpora/rows.jsonl").read_text().replace("Ask 2", "Ask two")
    shown.write("corpora/rows.jsonl", text)
    out = shown.run("--judge-audit", "--judge-show=c002").out
    assert out.count("stale, an answer to another request: prompt moved") == 2


def test_an_unknown_task_is_refused_with_the_nearest(shown):
    ran = shown.run("--judge-audit", "--judge-show=c0002")
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    (line,) = ran.errors
    assert line == (
        '--judge-show c0002: no collected eval holds this task. Did you mean "c002"? Give its id as the '
        "report names it."
    )


def test_alone_it_does_nothing_and_says_what_to_add(shown):
    ran = shown.run("--judge-show=c001")
    assert ran.errors == ["--judge-show does nothing by itself. Add --judge-audit."]


ASKED = """
import pytest

@pytest.mark.questions("questions.toml", corpus="code")
@pytest.mark.rate_gate(lower=0.1)
def test_reads(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.score(question, answer)
        judge.check(question, answer)
    assert answer.grade(question).score >= 0.5
"""
QUESTION = """
[[question]]
id = "rate"
class = "lookup"
prompt = "Which function computes the rate?"

[[question.fact]]
id = "function"
match = { type = "literal", value = "daily_rate" }

[[question.fact]]
id = "file"
match = { type = "path", value = "rates.py" }
"""
CODE = """
import json

def reads(prompt, sandbox):
    return "daily_rate computes it."

def judges(messages):
    if "per_fact" in str(messages):
        return "I would say so."
    parts = {"accuracy": 20, "completeness": 10, "traceability": 5, "usefulness": 1}
    return json.dumps({**parts, "label": "fair"})
"""


@pytest.fixture
def library(project):
    """A project with one question, an agent, and a judge whose verdict on the checklist cannot be read."""
    project.judges(opus={"api": "python", "callable": "mine:judges"})
    settings = (project.root / "judgeaudit.toml").read_text("utf-8")
    agent = '[[agent]]\nname = "reader"\nkind = "python"\ncallable = "mine:reads"\n'
    corpus = '[[corpus]]\nname = "code"\npath = "src"\n'
    project.write("judgeaudit.toml", settings + agent + corpus)
    project.write("src/rates.py", "def daily_rate(): ...\n")
    project.write("questions.toml", QUESTION)
    project.write("mine.py", CODE)
    project.evals(ASKED)
    project.audit("--judge-live", "-q")
    project.write("mine.py", CODE.replace("return", "raise OSError('asked') #"))
    return project


def test_a_question_is_shown_with_its_grade_per_fact_and_what_judges_said(library):
    out = library.run("--judge-audit", "--judge-live", "--judge-show=rate").out
    lines = out.splitlines()
    start = lines.index("  grade: 0.5 of 1 (graded)")
    assert lines[start + 1 : start + 3] == ["    fact function: met", "    fact file: not met"]
    assert lines[start + 3].startswith("  accepted grade: ")
    assert lines[start + 3].endswith(" 0.5 graded: function")
    assert (
        "  score: 36 of 100 (accuracy 20 of 30, completeness 10 of 25, traceability 5 of 25, "
        "usefulness 1 of 20), label fair" in lines
    )
    assert any(line.startswith("  verdict: none; no verdict in the reply: ") for line in lines)


def test_a_moved_key_grades_anew_and_makes_what_judges_said_stale(library):
    library.write("questions.toml", QUESTION.replace("rates.py", "fees.py").replace('"file"', '"place"'))
    out = library.run("--judge-audit", "--judge-show=rate").out
    assert "    fact place: not met" in out
    assert out.count("; stale: key moved") == 4
    library.write("questions.toml", QUESTION.replace("the rate?", "the daily rate?"))
    out = library.run("--judge-audit", "--judge-show=rate").out
    assert "the stored answer for test_reads-reader-rate-sighted-1 is stale: prompt moved" in out
