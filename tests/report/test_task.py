"""One task as lines for a terminal: parts, both orders, answers; nothing a terminal could obey."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.verdicts import Verdict
from pytest_judgeaudit.report.task import Presented, render

HOSTILE = "a\x1b[2Jb\u202e\ud800\nsecond line"


def pair(**changes):
    values = {
        "prompt": HOSTILE,
        "first": "x" * 30_000,
        "second": HOSTILE,
        "target": "first",
        "kind": "signal",
    }
    return Pair(**{"id": "t1", "source": "rows.jsonl:7", **values, **changes})


def request(prompt="p"):
    return Request(
        messages=(Message(role="user", content=prompt),),
        model="m",
        endpoint="openai host",
        decoder={"temperature": 0, "seed": 42},
        ingredients={"criterion": "Choose.", "prompt": prompt},
    )


def stored(asked, **changes):
    attempts = (
        Attempt(started=1.0, ended=2.0, outcome="refused", status=429),
        Attempt(started=3.0, ended=4.5, outcome="answered", status=200),
    )
    reply = Reply(text=HOSTILE, served="m-2\x07", finish="stop", attempts=attempts)
    values = {"name": "n", "fingerprint": asked.fingerprint(), "parts": asked.parts(), "instrument": "i"}
    return StoredAnswer(**{**values, "reply": reply, **changes})


def shown(**changes):
    values = {"eval": "e.py::t", "judge": "qwen", "criterion": "neutral", "arm": "signal", "replicate": 1}
    return [line.text for line in render([Presented(**{**values, "shown": pair(), **changes})])]


def test_a_stored_answer_is_shown_with_its_attempts_and_verdict():
    asked = request()
    lines = shown(
        request=asked,
        stored=stored(asked),
        fresh=True,
        verdict=Verdict(slot="B", winner="second"),
        accepted="0f second adverse",
    )
    assert "signal pair, target first, subset (none), from rows.jsonl:7" in lines
    assert "asks for m at openai host; temperature = 0, seed = 42" in lines
    assert lines[lines.index("criterion:") + 1] == "  | Choose."
    tail = lines[lines.index("order AB: A is the first, B the second") :]
    assert tail[1] == f"  fingerprint {asked.fingerprint()}"
    assert tail[2:] == [
        "  served m-2\\x07, finish reason stop",
        "  attempt 1: refused, status 429, 1.0 s",
        "  attempt 2: answered, status 200, 1.5 s",
        "  answer:",
        "    | a\\x1b[2Jb\\u202e\\ud800",
        "    | second line",
        "  verdict: second, slot B; the arm wants first",
        "  accepted grade: 0f second adverse",
    ]


def test_no_line_holds_what_a_terminal_obeys_and_long_texts_are_cut():
    lines = shown(verdict=Verdict(slot=None, winner="invalid", reason=HOSTILE, raw=HOSTILE))
    assert all(line.isprintable() for line in lines)
    assert any(line.endswith("and 10,000 more characters") for line in lines)
    assert "answers in the process: nothing is asked or stored" in lines


def test_a_stale_answer_names_the_part_that_moved():
    lines = shown(
        request=request("new"), stored=stored(request("old")), verdict=Verdict(slot="A", winner="first")
    )
    assert "  stale, an answer to another request: prompt moved" in lines


@pytest.mark.parametrize(
    ("kind", "winner", "words"),
    [
        ("clone", "tie", "as the arm wants"),
        ("clone", "first", "the arm wants tie"),
        ("equivalent", "tie", "as the arm wants"),
        ("signal", "tie", "the arm wants first"),
        ("signal", "first", "as the arm wants"),
    ],
)
def test_a_verdict_stands_beside_what_the_arm_wants(kind, winner, words):
    lines = shown(shown=pair(kind=kind), verdict=Verdict(slot=None, winner=winner))
    assert f"  verdict: {winner}; {words}" in lines


def test_a_copy_is_not_printed_twice():
    lines = shown(shown=pair(first="same", second="same", kind="clone"), problem="no stored answer for n")
    assert "second: an exact copy of the first" in lines
    assert "  no verdict: no stored answer for n" in lines
    assert "  accepted grade: none" in lines
