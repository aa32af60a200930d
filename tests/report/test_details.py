"""Rows of trials: every text safe to show, long answers cut so that a page stays small."""

from __future__ import annotations

import json

import pytest

from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.trials import JudgeCall, Trial
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.report import details
from pytest_judgeaudit.report.details import KEYS, Detail, asked, attempt_text, block, rows


def trial(**changes):
    return Trial(**{"cell": "c", "task": "t", "order": "AB", "outcome": "success", **changes})


def row(detail):
    return dict(zip(KEYS, rows([detail], {"c": 3})[0], strict=True))


def test_a_trial_without_an_answer_has_none():
    found = row(Detail(trial=trial(outcome="void", reason="time-out")))
    assert (found["cell"], found["text"], found["tries"], found["reason"]) == (3, None, [], "time-out")
    assert found["winner"] is found["asked_at"] is found["prompt_tokens"] is None


def test_texts_are_escaped_and_lines_stay_lines():
    reply = Reply(text="one\r\ntwo\x1b[2J\n\tthree\ud800")
    found = row(Detail(trial=trial(task="\u202etask", served="m\x07"), reply=reply, subset="a\nb"))
    assert found["text"] == "one\ntwo\\x1b[2J\n    three\\ud800"
    assert (found["task"], found["served"], found["subset"]) == ("\\u202etask", "m\\x07", "a\\x0ab")
    json.dumps(found)


def test_a_trial_of_no_known_cell_is_kept():
    assert rows([Detail(trial=trial(cell="other"))], {})[0][0] == -1


def test_many_long_answers_are_cut_shorter(monkeypatch):
    monkeypatch.setattr(details, "ROOM", 1000)
    long = [Detail(trial=trial(), reply=Reply(text="x" * 900)) for _ in range(4)]
    texts = [dict(zip(KEYS, one, strict=True))["text"] for one in rows(long, {})]
    assert texts == ["x" * 250 + "\n… and 650 more characters"] * 4


def test_what_takes_more_room_in_a_page_is_cut_shorter(monkeypatch):
    # A page is ASCII: each of these characters takes six bytes there.
    monkeypatch.setattr(details, "ROOM", 6000)
    long = [Detail(trial=trial(), reply=Reply(text="日" * 900)) for _ in range(4)]
    (text, *_) = (dict(zip(KEYS, one, strict=True))["text"] for one in rows(long, {}))
    assert text == "日" * 250 + "\n… and 650 more characters"


def test_an_answer_that_fits_is_whole():
    assert block("x" * details.LONGEST) == "x" * details.LONGEST


@pytest.mark.parametrize(
    ("attempt", "text"),
    [
        ({"outcome": "answered", "status": 200}, "answered, status 200, 2.5 s"),
        ({"outcome": "failed", "error": "no\nroute"}, "failed, 2.5 s, no\\x0aroute"),
        (
            {"outcome": "answered", "usage": Usage(prompt=1200, completion=7)},
            "answered, 2.5 s, 1,200 + 7 tokens",
        ),
        ({"outcome": "answered", "usage": Usage(unknown_calls=1)}, "answered, 2.5 s"),
    ],
)
def test_an_attempt_reads_as_one_phrase(attempt, text):
    assert attempt_text(Attempt(started=10.0, ended=12.5, **attempt)) == text


def test_calls_are_ordered_by_time_those_of_judges_too_and_those_without_one_are_left_out():
    judged = JudgeCall(judge="opus", what="rubric", answer="asked", asked_at=3.0, prompt_tokens=7)
    found = asked(
        [Detail(trial=trial(asked_at=time, judged=(judged,) * (time == 5.0))) for time in (5.0, None, 1.0)]
    )
    assert found == [(1.0, None, None), (3.0, 7, None), (5.0, None, None)]
