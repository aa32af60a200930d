"""One question as lines for a terminal: its key, answers, tools, judges; nothing a terminal could obey."""

from __future__ import annotations

from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.questions import Fact, Match, Question
from pytest_judgeaudit.records.traces import Enforcement, PolicyEvent, ToolCall, Trace
from pytest_judgeaudit.report.asked import Answered, render

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
    lines = shown(
        stored=stored(trace=trace), judged={"opus, rubric": stored('{"accuracy": 12}')}, replicate=2
    )
    escaped = "a\\x1b[2Jb\\u202e\\ud800"
    assert lines[lines.index("reader, blind, replicate 2") + 1 :] == [
        f"  served {escaped}, finish reason stop",
        "  attempt 1: answered, status 200, 1.2 s",
        "  outcome ok",
        f"  tool read {escaped}: denied",
        f"  not allowed: denied-tool {escaped}",
        "  answer:",
        "    | in CALC.cbl",
        "opus, rubric:",
        f"  served {escaped}, finish reason stop",
        "  attempt 1: answered, status 200, 1.2 s",
        "  answer:",
        '    | {"accuracy": 12}',
    ]
    assert all(line.isprintable() for line in lines)


def test_what_is_not_stored_is_named():
    assert shown()[-1] == "no stored answer for t-reader-q1-blind-1"
