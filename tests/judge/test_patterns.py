from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.judge.parsers import CUT, EMPTY, PARSERS, Reading, VerdictParser
from pytest_judgeaudit.judge.patterns import find_parser, reply_instruction, verdict_words
from pytest_judgeaudit.records.errors import Refused

MT_BENCH = {"A": "[[A]]", "B": "[[B]]", "tie": "[[C]]"}
LLMBAR = {"A": "Output (a)", "B": "Output (b)"}


def test_without_a_pattern_the_parser_reads_objects():
    assert find_parser("strict") is PARSERS["strict"]


def test_an_unknown_parser_is_refused_with_the_near_one():
    with pytest.raises(Refused) as refused:
        find_parser("strikt")
    assert str(refused.value) == (
        'no parser is called "strikt"; there are strict, lenient. Did you mean "strict"?'
    )


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("[[A]]", {"A": "[[A]]", "B": "[[B]]", "tie": "[[tie]]"}),
        ("Assistant A", {"A": "Assistant A", "B": "Assistant B", "tie": "Assistant tie"}),
        ("[[A]]|[[B]]|[[C]]", MT_BENCH),
        ("Output (a) | Output (b)", LLMBAR),
        (MT_BENCH, MT_BENCH),
        (LLMBAR, LLMBAR),
    ],
)
def test_a_pattern_gives_a_word_for_every_slot(verdict, words):
    assert verdict_words(verdict) == words


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("[[X]]", 'verdict: "[[X]]" must contain the letter A once as a word of its own'),
        ("A or A", 'verdict: "A or A" must contain the letter A once'),
        ("Answer", 'verdict: "Answer" must contain the letter A once'),
        ("1|2|3|4", 'verdict: "1|2|3|4" must contain the letter A once'),
        ({"A": "1"}, "verdict: expected a word for A and one for B"),
        ({"A": "1", "B": "2", "Tie": "3"}, r'verdict: unknown slot "Tie"; there are A, B and tie. Did you'),
        ({"A": "1", "B": " "}, "verdict: the word for B is blank"),
        ("1||3", "verdict: the word for B is blank"),
        ({"A": "1", "B": "2\n3"}, "verdict: the word for B is blank or has line breaks"),
        ("x|x", "verdict: two slots have the same word"),
    ],
)
def test_an_impossible_pattern_is_refused(verdict, reason):
    with pytest.raises(Refused) as refused:
        verdict_words(verdict)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("[[A]]", "A"),
        ("I considered [[A]] first.\n\nMy verdict: [[B]]\n\n", "B"),
        ("So **[[C]]** it is.", "tie"),
        ("[[B]] and once more [[B]]", "B"),
        ("\ud800[[A]]\x00", "A"),
    ],
)
def test_the_verdict_in_the_last_line_counts(name, text, slot):
    assert find_parser(name, verdict=MT_BENCH)(text, "stop") == Reading(slot)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("[[A]] or [[B]]", "stop", "one line holds different verdicts: A, B"),
        ("[[a]]", "stop", None),
        ("[A]", "stop", None),
        ("", "stop", "the output is empty"),
        ("[[A]]", "length", "the output was cut off: finish reason length"),
    ],
)
def test_what_is_no_verdict_has_a_reason(name, text, finish, reason):
    place = "text" if name == "lenient" else "last line"
    expected = reason or f"no verdict in the {place}: [[A]], [[B]], [[C]]"
    assert find_parser(name, verdict=MT_BENCH)(text, finish) == Reading(None, expected)


def test_only_lenient_reads_a_verdict_before_the_last_line():
    text = "[[A]]\nI said [[B]] before I thought.\nThat is all."
    assert find_parser("lenient", verdict="[[A]]")(text, None).slot == "B"
    assert find_parser("strict", verdict="[[A]]")(text, None).slot is None


@pytest.mark.parametrize(
    ("text", "slot"), [("1", "A"), ("1.", "A"), ("(2)", "B"), ("12", None), ("A2", None), ("É1", None)]
)
def test_a_word_does_not_count_inside_a_longer_one(text, slot):
    assert find_parser("strict", verdict="1|2")(text, None).slot == slot


def test_a_longer_word_comes_before_the_one_that_it_contains():
    parse = find_parser("strict", verdict={"A": "[[A]]", "B": "not [[A]]"})
    assert (parse("not [[A]]", None).slot, parse("[[A]]", None).slot) == ("B", "A")


@given(
    words=st.lists(st.text(alphabet="abAB()[]|.*+?\\^$ ", min_size=1, max_size=5), min_size=3, max_size=3)
)
def test_words_are_literal_text(words):
    words = [f"<{word}>" for word in words]
    if len(set(words)) == 3:
        pattern = dict(zip(("A", "B", "tie"), words, strict=True))
        read = find_parser("strict", verdict=pattern)
        # One word may contain another between its own brackets only if it is the longer one.
        assert [read(word, None).slot for word in words] == ["A", "B", "tie"]


@pytest.mark.parametrize("text", ["[" * 1_000_000, "\n" * 500_000 + "[[A]]", "[[A]]\n" * 160_000])
@pytest.mark.parametrize("name", PARSERS)
def test_a_million_hostile_characters_take_no_time(name, text):
    started = time.process_time()
    find_parser(name, verdict=MT_BENCH)(text, None)
    assert time.process_time() - started < 0.5


def test_the_judge_is_told_the_words_that_its_parser_reads():
    text = reply_instruction(MT_BENCH)
    assert all(word in text for word in MT_BENCH.values())
    assert "tie" not in reply_instruction(LLMBAR)


@pytest.mark.parametrize("slot", ["A", "B", "tie"])
def test_without_a_pattern_the_judge_is_told_the_json_objects(slot):
    assert f'{{"winner": "{slot}"}}' in reply_instruction(None)


WORD = VerdictParser(read=lambda text, _: Reading("A", text), version="1")


def test_a_parser_of_a_plug_in_reads_what_is_neither_empty_nor_cut_off():
    read = find_parser("word", contributed={"word": WORD})
    assert read("anything", "stop") == Reading("A", "anything")
    assert read(" \n", "stop") == EMPTY
    assert read("anything", "length") == CUT


def test_a_parser_of_a_plug_in_is_among_those_that_there_are():
    with pytest.raises(Refused) as refused:
        find_parser("wird", contributed={"word": WORD})
    assert str(refused.value) == (
        'no parser is called "wird"; there are strict, lenient, word. Did you mean "word"?'
    )


def test_a_pattern_beside_a_parser_of_a_plug_in_is_refused():
    with pytest.raises(Refused, match=r'^verdict: means nothing with parser = "word"'):
        find_parser("word", verdict="[[A]]", contributed={"word": WORD})
