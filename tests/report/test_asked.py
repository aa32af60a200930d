"""One question as lines for a terminal: its key, answers, tools, judges; nothing a terminal could obey."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.grades import ChecklistVerdict, Contamination, Grade, GradedRow
from pytest_judgeaudit.records.questions import Fact, Match, Question
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.records.traces import Enforcement, PolicyEvent, ToolCall, Trace
from pytest_judgeaudit.report.asked import Answered, Judged, render

HOSTILE = "a\x1b[2Jb\u202e\ud800"
QUESTION = Question(
    id="q1",
    prompt=f"Where is it?\n{HOSTILE}",
    facts=(
        Fact(id="file", match=Match(type="path", values=("CALC.cbl",)), desc="names the file"),
        Fact(id="extra", match=Match(type="any-of", values=("x", HOSTILE)), must=False),
    ),
    forbidden=(Fact(id="monthly", match=Match(type="regex", values=("monthly",))),),
    place="q.toml:2",
)


def stored(text="in CALC.cbl", trace=None):
    attempts = (Attempt(started=0.0, ended=1.25, outcome="answered", status=200),)
    reply = Reply(text=text, served=HOSTILE, finish="stop", attempts=attempts, trace=trace)
    return StoredAnswer(name="n", fingerprint="f", parts={}, instrument="i", reply=reply)


def shown(**changes):
    values = {"eval": "e.py::t", "question": QUESTION, "agent": "reader", "arm": "blind", "replicate": 1}
    return [
        line.text for line in render([Answered(**{**values, "name": "t-reader-q1-blind-1", **changes})])
    ]


def test_the_question_is_shown_with_its_key():
    assert shown()[:9] == [
        "question q1 in e.py::t",
        "class lookup, grader checklist, from q.toml:2",
        "prompt:",
        "  | Where is it?",
        "  | a\\x1b[2Jb\\u202e\\ud800",
        "fact file: names the file: path CALC.cbl",
        "fact extra: any-of x | a\\x1b[2Jb\\u202e\\ud800 (optional)",
        "forbidden monthly: regex monthly",
        "",
    ]


def test_an_answer_is_shown_with_its_tools_and_its_judges():
    trace = Trace(
        outcome="ok",
        arm="blind",
        corpus="c",
        enforcement=Enforcement(mechanism="audit hook", state="in process"),
        tool_calls=(ToolCall(tool="read", arguments=HOSTILE, outcome="denied"),),
        policy_events=(PolicyEvent(code="denied-tool", detail=HOSTILE),),
    )
    unread = RubricScore(state="invalid", reason=HOSTILE)
    judged = [Judged(judge="opus", said=unread, stored=stored('{"accuracy": 12}'))]
    lines = shown(stored=stored(trace=trace), judged=judged, replicate=2)
    escaped = "a\\x1b[2Jb\\u202e\\ud800"
    assert lines[lines.index("reader, blind, replicate 2") + 1 :] == [
        f"  served {escaped}, finish reason stop",
        "  attempt 1: answered, status 200, 1.2 s",
        "  outcome ok",
        f"  tool read {escaped}: denied",
        f"  not allowed: denied-tool {escaped}",
        "  answer:",
        "    | in CALC.cbl",
        "  accepted grade: none",
        "opus, rubric:",
        f"  served {escaped}, finish reason stop",
        "  attempt 1: answered, status 200, 1.2 s",
        "  answer:",
        '    | {"accuracy": 12}',
        f"  score: none; invalid: {escaped}",
    ]
    assert all(line.isprintable() for line in lines)


def test_what_is_not_stored_is_named():
    assert shown()[-1] == "no stored answer for t-reader-q1-blind-1"


def graded(grade):
    return GradedRow(question=QUESTION, grade=grade, answer="a", exposed=(HOSTILE,))


def test_the_grade_is_shown_fact_by_fact_with_what_is_found():
    grade = Grade(
        score=0.5,
        per_fact={"file": False, "extra": True},
        forbidden_hit={"monthly": f"paid monthly {HOSTILE}"},
        hallucinated=True,
        contamination=Contamination(soft=("guesses-probe",)),
    )
    lines = shown(stored=stored(), graded=graded(grade), accepted=f"d1 0.5 graded: extra{HOSTILE}")
    escaped = "a\\x1b[2Jb\\u202e\\ud800"
    assert lines[lines.index("    | in CALC.cbl") + 1 :] == [
        "  grade: 0.5 of 1 (graded)",
        "    fact file: not met",
        "    optional fact extra: met",
        f"    forbidden monthly: asserted: paid monthly {escaped}",
        f"  findings: hallucinated, guesses-probe, {escaped}",
        f"  accepted grade: d1 0.5 graded: extra{escaped}",
    ]


def test_a_grade_without_a_score_says_why():
    lines = shown(stored=stored(), graded=graded(Grade(score=None, state="refusal", reason="it refused")))
    assert "  grade: none (refusal): it refused" in lines


def test_an_answer_to_another_request_says_so():
    assert "  the stored answer is stale" in shown(stored=stored(), problem="the stored answer is stale")


SCORED = {"accuracy": 20.0, "completeness": 10.5, "traceability": 5.0, "usefulness": 0.0}


PARTS = "accuracy 20 of 30, completeness 10.5 of 25, traceability 5 of 25, usefulness 0 of 20"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            RubricScore(state="ok", label="fine", **SCORED),
            f"  score: 35.5 of 100 ({PARTS}), label fine",
        ),
        (RubricScore(state="stale", reason="key moved"), "  score: none; stale: key moved"),
        (
            ChecklistVerdict(state="ok", score=0.5, per_fact={"file": True, "extra": False}),
            "  verdict: 0.5 of 1 (file met, extra not met)",
        ),
        (
            ChecklistVerdict(state="pending", reason="prose", replied=True),
            "  verdict: none; no verdict in the reply: prose",
        ),
        (ChecklistVerdict(state="pending", reason="down"), "  verdict: none; pending: down"),
        (None, "  nothing is stored"),
    ],
)
def test_what_a_judge_said_is_read_for_a_person(said, told):
    assert shown(stored=stored(), judged=[Judged(judge="opus", said=said)])[-1] == told
