from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.judge.parsers import PARSERS, Reading, lenient, strict, verdict_of
from pytest_judgeaudit.records.verdicts import LENIENT
from pytest_judgeaudit.settings import tables

SLOTS = st.sampled_from(["A", "B", "tie"])
WHITE = st.text(alphabet=" \t\r\n", max_size=3)

INVALID = {
    "": "the output is empty",
    " \n\t ": "the output is empty",
    '```json\n{"winner": "A"}\n```': "the output stands in a Markdown fence",
    'A\n{"winner": "A"}': 'the output is not one JSON object; it begins with "A\\n{"winner": "A"}"',
    "A": 'the output is not one JSON object; it begins with "A"',
    '"A"': 'the output is not one JSON object; it begins with ""A""',
    '[{"winner": "A"}]': 'the output is not one JSON object; it begins with "[{"winner": "A"}]"',
    '\ufeff{"winner": "A"}': 'the output is not one JSON object; it begins with "\\ufeff{"winner": "A"}"',
    '\xa0{"winner": "A"}': 'the output is not one JSON object; it begins with "\\xa0{"winner": "A"}"',
    '{"winner": "A"} Good luck!': "text follows the JSON object",
    '{"winner": "A"}{"winner": "A"}': "text follows the JSON object",
    '{"winner": "A"}\0': "text follows the JSON object",
    '{"winner": "A"': "the JSON object is broken or cut off at character 15",
    '{"winner"': "the JSON object is broken or cut off at character 10",
    "{'winner': 'A'}": "the JSON object is broken or cut off at character 2",
    '{"winner": "A",}': "the JSON object is broken or cut off at character 16",
    '{"winner": "A", \n}': "the JSON object is broken or cut off at character 18",
    '{"winner": ["A", ]}': "the JSON object is broken or cut off at character 18",
    '{"winner": "A", "winner": "A"}': 'the key "winner" stands there twice',
    '{"winner": "A", "sure": true}': 'the only key must be "winner", found "winner", "sure"',
    '{"Winner": "A"}': 'the only key must be "winner", found "Winner"',
    '{"winner ": "A"}': 'the only key must be "winner", found "winner "',
    "{}": 'the only key must be "winner", found none',
    '{"winner": "a"}': 'winner must be "A", "B" or "tie", found "a"',
    '{"winner": "TIE"}': 'winner must be "A", "B" or "tie", found "TIE"',
    '{"winner": " A"}': 'winner must be "A", "B" or "tie", found " A"',
    '{"winner": "C"}': 'winner must be "A", "B" or "tie", found "C"',
    '{"winner": null}': 'winner must be "A", "B" or "tie", found null',
    '{"winner": 1}': 'winner must be "A", "B" or "tie", found 1',
    '{"winner": true}': 'winner must be "A", "B" or "tie", found true',
    '{"winner": ["A"]}': 'winner must be "A", "B" or "tie", found a list of 1',
    '{"winner": {"winner": "A"}}': 'winner must be "A", "B" or "tie", found an object',
    '{"winner": "\ud800"}': 'winner must be "A", "B" or "tie", found "\\ud800"',
    '{"winner": "\\u001b[31m"}': 'winner must be "A", "B" or "tie", found "\\x1b[31m"',
    '{"winner": "A", "why": "' + "x" * 1000: "the output has 1024 characters, more than a verdict",
}


@pytest.mark.parametrize(("text", "reason"), INVALID.items())
def test_strict_says_why_a_text_is_no_verdict(text, reason):
    slot, said = strict(text, "stop")
    assert (slot, (said or "").removesuffix(LENIENT)) == (None, reason)


@pytest.mark.parametrize("text", INVALID)
def test_strict_says_of_a_text_with_a_verdict_in_it_that_lenient_would_read_it(text):
    said, read = strict(text, "stop").reason or "", lenient(text, "stop").slot
    # What is an object of another form is told as what it is.
    assert said.endswith(LENIENT) == (read is not None and not text.startswith('{"winner": {'))


@given(slot=SLOTS, white=st.tuples(*[WHITE] * 6))
def test_strict_reads_a_verdict_with_white_space_wherever_json_has_it(slot, white):
    a, b, c, d, e, f = white
    assert strict(f'{a}{{{b}"winner"{c}:{d}"{slot}"{e}}}{f}', None) == Reading(slot)


@given(slot=SLOTS, indent=st.none() | st.integers(0, 4))
def test_strict_reads_what_json_writes(slot, indent):
    assert strict(json.dumps({"winner": slot}, indent=indent), "stop").slot == slot


def test_strict_reads_escapes_as_json_does():
    assert strict(r'{"\u0077inner": "\u0041"}', "stop").slot == "A"


@pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS)
def test_finish_reason_length_is_invalid_even_if_the_text_parses(parse):
    assert parse('{"winner": "A"}', "length") == Reading(
        None, "the output was cut off: finish reason length"
    )


@pytest.mark.parametrize("finish", [None, "stop", "end_turn", "content_filter"])
def test_other_finish_reasons_do_not_matter(finish):
    assert strict('{"winner": "B"}', finish) == Reading("B")


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ('{"winner": "A"}', "A"),
        (r'{"winner": "\u0041"}', "A"),
        ('```json\n{"winner": "B"}\n```', "B"),
        ('```\n{"winner":"tie"}\n```\n', "tie"),
        ('I weighed both.\n{"winner": "A"}\nI hope this helps.', "A"),
        ('{"winner": "B"} … so again: {"winner":"B"}', "B"),
        ('{{{"winner": "A"}', "A"),
        ('\ud800 {"winner": "A"}', "A"),
    ],
)
def test_lenient_reads_the_one_verdict_in_the_text(text, slot):
    assert lenient(text, "stop") == Reading(slot)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"winner": "A"} or {"winner": "tie"}', "the text holds different verdicts: A, tie"),
        ("A wins", "the text holds no verdict object"),
        ('{"winner": "A", "sure": true}', "the text holds no verdict object"),
        ('{"winner": "A", "winner": "B"}', "the text holds no verdict object"),
        ('{"winner": "a"}', "the text holds no verdict object"),
        ("", "the output is empty"),
        ("```json\n```", "the text holds no verdict object"),
    ],
)
def test_lenient_says_why_a_text_is_no_verdict(text, reason):
    assert lenient(text, "stop") == Reading(None, reason)


@given(text=st.text(alphabet=st.characters()) | st.text(alphabet='{}[]":, winerAB\\"'))
def test_whatever_strict_reads_lenient_reads_alike(text):
    reading = strict(text, "stop")
    assert reading.slot is None or lenient(text, "stop") == reading


@given(text=st.text(alphabet=st.characters()))
def test_every_text_is_a_verdict_or_has_a_printable_reason(text):
    for parse in PARSERS.values():
        slot, reason = parse(text, None)
        assert (slot is None) == bool(reason and reason.isprintable())


HOSTILE = {
    "braces": "{" * 1_000_000,
    "brackets": "[" * 1_000_000,
    "keys": '{"winner": ' * 90_000,
    "blanks": "{" + " " * 1_000_000,
    "many blanks": '{ "winner"  :   ' * 60_000,
    "white space": " " * 1_000_000,
    "quotes": '{"' * 500_000,
    "verdicts": '{"winner": "A"}' * 65_000,
    "escapes": '{"winner": "' + "\\" * 1_000_000,
}


@pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_million_hostile_characters_take_no_time(parse, text):
    started = time.process_time()
    parse(text, "stop")
    assert time.process_time() - started < 0.2  # linear: 1 to 30 ms; quadratic would be minutes


@pytest.mark.parametrize("value", ["1" * 900, "[" * 985, "{" * 985, '{"a":' * 190], ids=lambda v: v[:5])
def test_deep_or_huge_values_are_no_verdict_and_no_error(value):
    assert strict(f'{{"winner": {value}}}', "stop").slot is None


def test_the_parsers_are_those_of_the_configuration():
    assert tuple(PARSERS) == tables.PARSERS


@pytest.mark.parametrize(
    ("slot", "order", "winner"),
    [
        ("A", "AB", "first"),
        ("A", "BA", "second"),
        ("B", "AB", "second"),
        ("B", "BA", "first"),
        ("tie", "AB", "tie"),
        ("tie", "BA", "tie"),
        (None, "AB", "invalid"),
        (None, "BA", "invalid"),
    ],
)
def test_a_slot_is_mapped_back_to_content(slot, order, winner):
    verdict = verdict_of(Reading(slot, None if slot else "why"), order=order, raw="text", served="m")
    assert (verdict.slot, verdict.winner, verdict.valid) == (slot, winner, slot is not None)
    assert (verdict.raw, verdict.served, verdict.reason) == ("text", "m", None if slot else "why")
