"""The key that would read what a judge wrote is named where nearly all outputs are of one kind."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.unreadable import advice
from pytest_judgeaudit.judge import acceptances, parsers

FENCED = '```json\n{"accept": true}\n```'
PROSE = 'So: {"accept": false}'


def reasons(*texts, read=acceptances.strict):
    return {read(text, "stop").reason: times for text, times in texts}


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (
            reasons(("PASS", 6), ("FAIL", 4)),
            '. They say "PASS", "FAIL": declare the words',
        ),
        (
            reasons((FENCED, 7), (PROSE, 3)),
            '. parser = "lenient" would read 10 of these 10',
        ),
        (reasons((FENCED, 9), ("hm, no", 1)), '. parser = "lenient" would read 9 of these 10'),
        (reasons((FENCED, 8), ("hm, no", 2)), ""),
        (reasons(('{"accept": true} or {"accept": false}', 9)), ""),
        (
            reasons(('So: {"winner": "A"}', 2), read=parsers.strict),
            '. parser = "lenient" would read 2 of these 2',
        ),
        (reasons(("A", 2), read=parsers.strict), ""),
        (
            {'the log says "yes", which is no verdict': 5, "the log says 1, which is no verdict": 1},
            '. They say "yes", 1: declare with verdicts which of them means what',
        ),
        ({}, ""),
    ],
)
def test_a_key_is_named_for_nearly_all_outputs_of_one_kind(found, told):
    assert advice(found).startswith(told) if told else advice(found) == ""


def test_the_lenient_parsers_read_what_they_are_said_to_read():
    assert acceptances.lenient(FENCED, "stop").ruling == "accept"
    assert parsers.lenient('So: {"winner": "A"}', "stop").slot == "A"
