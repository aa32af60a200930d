"""Replies of a judge to a checklist: what rules, what is refused, and that nothing is repaired."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.judge.checklist_replies import read_checklist

FULL = '{"per_fact": {"f1": true, "f2": false}, "score": 0.5, "why": "one of two"}'
FACTS = ("f1", "f2")


def test_a_plain_verdict_is_read_whole():
    verdict = read_checklist(FULL, facts=FACTS)
    assert (verdict.state, verdict.score, verdict.stated, verdict.why) == ("ok", 0.5, 0.5, "one of two")
    assert verdict.per_fact == {"f1": True, "f2": False}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (f"```json\n{FULL}\n```", 0.5),
        (f"[{FULL}]", 0.5),
        (f'{{"verdict": {FULL}}}', 0.5),
        (f"{FULL}\nOn reflection: {FULL.replace('0.5', '0.75')}", 0.75),  # the last of two full ones
        (f'{FULL} (An empty reply: {{"score": 0}}.)', 0.5),  # decides no fact
        ('{"score": 1} {"score": 0, "why": "names nothing"}', 0.0),
        ('{"score": 0, "why": "names nothing"} {"score": 1}', 0.0),
        ('{"per_fact": {"f1": true, "score": 0.5 {"score": 0.25}', 0.25),  # cut off, then whole
        ('{"why": "it said {\\"score\\": 1}", "score": 0.25}', 0.25),
        ('{"score": 1.15}', 1.0),
        ('{"score": -0.2}', 0.0),
        ('{"score": 1e-3}', 0.001),
    ],
)
def test_the_verdict_that_decides_most_and_comes_last_rules(text, score):
    assert read_checklist(text, facts=FACTS).score == score


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("no verdict", "no JSON object"),
        ('{"score": true}', "found true"),
        ('{"score": "0.8"}', 'found "0.8"'),
        ('{"score": null}', "found null"),
        ('{"score": NaN}', "no JSON object"),
        ('{"score": Infinity}', "no JSON object"),
        ('{"score": 1e999}', "not a finite number"),
        ('{"score": 85}', "another scale"),
        ('{"score": 2}', "another scale"),
        ('{"score": -1}', "another scale"),
        ('{"score": 1, "score": 0}', "twice"),
        ('{"score": 1, "per_fact": {"f1": true, "f1": false}}', "twice"),
        ('{"score": 0.5,}', "no JSON object"),
        ('{"score": 0.5, "why": "half', "no JSON object"),
        ('{"per_fact": {"f1": true}}', "no JSON object"),
        ('{"score": ' + "9" * 5000 + "}", "no JSON object"),
        ('{"score": ' + "9" * 500 + "}", "not a finite number"),
        ("{" * 100_000, "no JSON object"),
        ('{"a":' * 30_000, "no JSON object"),
        ("x" * 300_000, "more than a verdict"),
    ],
)
def test_what_is_no_verdict_is_pending_with_its_reason(text, words):
    verdict = read_checklist(text, facts=FACTS)
    assert (verdict.state, verdict.score) == ("pending", None)
    assert words in verdict.reason


def test_a_reply_that_was_cut_off_is_pending_even_if_it_parses():
    assert read_checklist(FULL, "length", facts=FACTS).state == "pending"


def test_only_booleans_of_known_facts_are_kept():
    text = '{"per_fact": {"f1": true, "f2": "yes", "f9": true, "\\ud800": false}, "score": 1}'
    assert read_checklist(text, facts=FACTS).per_fact == {"f1": True}


def test_a_reason_is_clipped_and_printable():
    verdict = read_checklist(json.dumps({"score": 1, "why": "\x1b[2J" + "w" * 1000}))
    assert verdict.why.isprintable()
    assert len(verdict.why) < 320


@given(st.text(max_size=300))
def test_no_text_breaks_the_reading(text):
    verdict = read_checklist(text, facts=FACTS)
    assert verdict.state in {"ok", "pending"}
    assert (verdict.score is None) == (verdict.state == "pending")


@given(st.floats(0, 1), st.text(alphabet=" .{}[]`\"'abc\n", max_size=60))
def test_prose_in_front_of_a_full_verdict_does_not_move_it(score, prose):
    verdict = {"per_fact": {"f1": True, "f2": True}, "score": score, "why": "w"}
    # An open quote or brace in the prose must not swallow the verdict.
    assert read_checklist(prose + "\n" + json.dumps(verdict), facts=FACTS).score == score
