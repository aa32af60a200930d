"""Rulings on single answers: what is read, and what is invalid with which reason."""

from __future__ import annotations

import time

import pytest

from pytest_judgeaudit.judge.acceptances import (
    Ruled,
    acceptance_of,
    find_ruler,
    lenient,
    ruling_instruction,
    ruling_words,
    strict,
)
from pytest_judgeaudit.records.errors import Refused


@pytest.mark.parametrize("read", [strict, lenient])
@pytest.mark.parametrize(
    ("text", "ruling"),
    [
        ('{"accept": true}', "accept"),
        ('{"accept": false}', "reject"),
        (' \r\n{"accept":\ttrue }\n', "accept"),
        ('{"\\u0061ccept": false}', "reject"),
    ],
)
def test_one_plain_object_is_a_ruling(read, text, ruling):
    assert read(text, "stop") == Ruled(ruling)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the output is empty"),
        (" \n", "the output is empty"),
        ('{"accept": 1}', "accept must be true or false, found 1"),
        ('{"accept": "true"}', 'accept must be true or false, found "true"'),
        ('{"accept": null}', "accept must be true or false, found null"),
        ('{"accept": {"a": 1}}', "accept must be true or false, found an object"),
        ('{"Accept": true}', 'the only key must be "accept", found "Accept"'),
        ('{"winner": "A"}', 'the only key must be "accept", found "winner"'),
        ("{}", 'the only key must be "accept", found none'),
        ('{"accept": true, "why": "x"}', 'the only key must be "accept", found "accept", "why"'),
        ('{"accept": true, "accept": false}', 'the key "accept" stands there twice'),
    ],
)
def test_anything_else_is_invalid_and_says_why(text, reason):
    assert strict(text, "stop") == Ruled("invalid", reason)


@pytest.mark.parametrize(
    "text", ['```json\n{"accept": true}\n```', 'Fine. {"accept": true}', "true", "[true]"]
)
def test_strict_strips_nothing(text):
    assert strict(text, "stop").ruling == "invalid"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('Well: {"accept": true}. So {"accept": true}', Ruled("accept")),
        ('```json\n{"accept": false}\n```', Ruled("reject")),
        ('{"accept": true} or {"accept": false}', Ruled("invalid", "the text holds different rulings")),
        ("I accept it.", Ruled("invalid", "the text holds no ruling object")),
        ("", Ruled("invalid", "the output is empty")),
    ],
)
def test_lenient_reads_what_all_objects_of_a_text_agree_on(text, read):
    assert lenient(text, "stop") == read


@pytest.mark.parametrize("parser", ["strict", "lenient"])
@pytest.mark.parametrize(("text", "words"), [('{"accept": false}', None), ("FAIL", "PASS|FAIL")])
def test_an_output_that_was_cut_off_is_no_rejection(parser, text, words):
    read = find_ruler(parser, words=words)(text, "length")
    assert read == Ruled("invalid", "the output was cut off: finish reason length")


@pytest.mark.parametrize(
    ("parser", "text", "read"),
    [
        ("strict", "It adds up.\nPASS", Ruled("accept")),
        ("strict", "Verdict: FAIL.\n\n", Ruled("reject")),
        ("strict", "PASS\nas said", Ruled("invalid", "no verdict in the last line: PASS, FAIL")),
        ("lenient", "PASS\nas said", Ruled("accept")),
        ("strict", "PASSED", Ruled("invalid", "no verdict in the last line: PASS, FAIL")),
        ("strict", "PASS or FAIL", Ruled("invalid", "one line holds different verdicts: accept, reject")),
    ],
)
def test_words_of_ones_own_are_read_as_a_pattern_of_verdicts_is(parser, text, read):
    assert find_ruler(parser, words="PASS|FAIL")(text, "stop") == read


@pytest.mark.parametrize("written", ["PASS", "PASS|FAIL|TIE", "PASS|", "PASS|PASS", "PA\nSS|FAIL"])
def test_words_that_cannot_be_told_apart_are_refused(written):
    with pytest.raises(Refused, match=r'expected two words, to accept and to reject, as in "PASS\|FAIL"'):
        ruling_words(written)


def test_a_parser_of_verdicts_on_pairs_is_refused():
    with pytest.raises(Refused, match='the parser "mine" reads verdicts on pairs, not rulings'):
        find_ruler("mine")


@pytest.mark.parametrize("words", [None, "PASS|FAIL"])
def test_the_instruction_asks_for_what_the_parser_reads(words):
    said = ruling_instruction(words)
    for form, ruling in {"true": "accept", "false": "reject"}.items():
        text = f'{{"accept": {form}}}' if words is None else ruling_words(words)[ruling]
        assert text in said
        assert find_ruler("strict", words=words)(text, "stop").ruling == ruling


def test_a_hostile_text_takes_linear_time():
    text = '{"accept": ' * 200_000
    start = time.perf_counter()
    assert lenient(text, "stop").ruling == "invalid"
    assert time.perf_counter() - start < 5


def test_what_was_read_becomes_the_noun_that_a_test_meets():
    said = acceptance_of(Ruled("invalid", "why"), raw="raw", served="m")
    assert (said.ruling, said.reason, said.raw, said.served, said.accepted) == (
        "invalid",
        "why",
        "raw",
        "m",
        None,
    )
