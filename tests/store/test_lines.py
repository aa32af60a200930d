"""The line of a stored answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.store.lines import decode, encode, recorded_at, same_answer

# Any code point, lone surrogates too: models do send them.
TEXTS = st.text(alphabet=st.characters(exclude_categories=()))
HALVES = st.text(alphabet="\ud83d\ude00a", max_size=6)
USAGES = st.none() | st.builds(
    Usage, prompt=st.integers(0, 10**9), completion=st.integers(0, 10**9), unknown_calls=st.integers(0, 2)
)
ATTEMPTS = st.builds(
    Attempt,
    started=st.floats(0, 2e9),
    ended=st.floats(0, 2e9),
    outcome=st.sampled_from(["answered", "refused", "failed", "timeout", "host_stalled", "unreadable"]),
    status=st.none() | st.integers(100, 599),
    error=st.none() | TEXTS,
    usage=USAGES,
)
EXTRAS = st.dictionaries(TEXTS, st.none() | st.booleans() | st.integers() | TEXTS, max_size=3)
REPLIES = st.builds(
    Reply,
    text=TEXTS | HALVES,
    served=st.none() | TEXTS,
    finish=st.none() | TEXTS,
    usage=USAGES,
    attempts=st.lists(ATTEMPTS, max_size=3).map(tuple),
    extra=EXTRAS,
)
ANSWERS = st.builds(
    StoredAnswer,
    name=TEXTS,
    fingerprint=TEXTS,
    parts=st.dictionaries(TEXTS, TEXTS, max_size=3),
    instrument=TEXTS,
    reply=REPLIES,
)


@given(ANSWERS)
def test_every_answer_comes_back_from_one_line_of_ascii(answer):
    line = encode(answer)
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert decode(line) == answer


def test_a_line_has_the_documented_keys(answer):
    line = json.loads(encode(answer()))
    assert list(line) == [
        "name",
        "fingerprint",
        "parts",
        "instrument",
        "text",
        "served",
        "finish",
        "usage",
        "attempts",
        "extra",
    ]
    assert line["usage"] == {"prompt": 11, "completion": 7}
    assert set(line["attempts"][0]) == {"started", "ended", "outcome", "status", "error", "usage"}


def test_keys_of_a_later_version_are_left_aside(answer):
    line = {**json.loads(encode(answer())), "recorded_at": "2026-11-29", "tools": []}
    assert decode(json.dumps(line)) == answer()


def test_a_number_that_is_no_json_does_not_make_the_line_unreadable(answer):
    line = encode(answer(extra={"logprob": float("nan")}))
    assert json.loads(line, parse_constant=pytest.fail)["extra"] == {"declared": "{'logprob': nan}"}


def broken(answer, **changes):
    return json.dumps({**json.loads(encode(answer())), **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"name": 1},
        {"fingerprint": None},
        {"text": ["a"]},
        {"parts": "p"},
        {"served": 5},
        {"extra": []},
        {"attempts": [{"started": "x", "ended": 1, "outcome": "answered"}]},
        {"attempts": 3},
        {"usage": {"prompt": "many", "completion": 1}},
    ],
)
def test_a_value_of_the_wrong_type_is_refused(answer, changes):
    with pytest.raises(Refused, match="wrong type"):
        decode(broken(answer, **changes))


@pytest.mark.parametrize("line", ["", "{", "[]", "3", "null", '{"name": "a"}', "[" * 100_000])
def test_what_is_no_answer_is_refused_in_one_line(line):
    with pytest.raises(Refused) as refusal:
        decode(line)
    assert "\n" not in str(refusal.value)


def test_an_answer_was_recorded_when_its_last_attempt_ended(answer):
    early, late = answer(at=5.0).reply.attempts[0], answer(at=9.0).reply.attempts[0]
    assert recorded_at(answer(attempts=(early, late))) == 9.0
    assert recorded_at(answer(attempts=())) == 0.0


def test_answers_differ_by_what_they_say_and_not_by_their_timing(answer):
    assert same_answer(answer(at=1.0), answer(at=2.0, extra={"id": 1}))
    assert not same_answer(answer(text="A"), answer(text="B"))
    assert not same_answer(answer(served="one"), answer(served="other"))
    assert not same_answer(answer(finish="stop"), answer(finish="length"))


@pytest.mark.parametrize("key", ["text", "name", "served"])
def test_a_line_that_says_one_thing_twice_is_refused(answer, key):
    line = encode(answer("a"))
    doubled = f'{line[:-1]}, "{key}": "another"}}'
    with pytest.raises(Refused, match=f'holds "{key}" twice: the line was edited. Restore the file.'):
        decode(doubled)


def test_a_nested_object_that_says_one_thing_twice_is_refused(answer):
    line = encode(answer("a"))
    assert '"extra": {}' in line
    with pytest.raises(Refused, match='holds "seed" twice'):
        decode(line.replace('"extra": {}', '"extra": {"seed": 1, "seed": 2}'))
