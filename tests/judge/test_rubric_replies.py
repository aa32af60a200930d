"""What is a rubric's score in a judge's text, and what is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.judge.rubric_replies import read_rubric
from pytest_judgeaudit.records.scores import DIMENSIONS

SCORES = {"accuracy": 24, "completeness": 20, "traceability": 18.5, "usefulness": 15, "label": "Good"}


def text_of(**changes):
    return json.dumps({**SCORES, **changes})


def test_one_object_of_four_numbers_and_a_label_is_a_score():
    found = read_rubric(f"\n {text_of()} \n", "stop")
    assert (found.state, found.valid, found.total, found.label) == ("ok", True, 77.5, "Good")
    assert found.dimensions == {"accuracy": 24, "completeness": 20, "traceability": 18.5, "usefulness": 15}
    assert found.raw == f"\n {text_of()} \n"


@pytest.mark.parametrize("name", DIMENSIONS)
def test_both_ends_of_a_range_are_scores_and_nothing_beyond(name):
    assert read_rubric(text_of(**{name: 0})).state == "ok"
    assert read_rubric(text_of(**{name: DIMENSIONS[name]})).state == "ok"
    for outside in (-0.001, DIMENSIONS[name] + 0.001, 10**400):
        found = read_rubric(text_of(**{name: outside}))
        assert found.state == "invalid"
        assert found.reason.startswith(f"{name} must lie between 0 and {DIMENSIONS[name]}, found ")
        assert found.dimensions is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the output is empty"),
        (" \n", "the output is empty"),
        (f"```json\n{text_of()}\n```", "the output stands in a Markdown fence"),
        (f"Here: {text_of()}", 'the output is not one JSON object; it begins with "Here: '),
        (f"{text_of()} Done.", "text follows the JSON object"),
        (text_of()[:-1], "the JSON object is broken or cut off at character "),
        (f"[{text_of()}]", "the output is not one JSON object; it begins with "),
        (text_of(why="so"), 'unknown key "why"; there are accuracy, '),
        (text_of(acuracy=1), 'unknown key "acuracy"; there are accuracy, '),
        ('{"accuracy": 24, "accuracy": 24}', 'the key "accuracy" stands there twice'),
        (text_of().replace('"label": "Good"', '"accuracy": 1'), 'the key "accuracy" stands there twice'),
        ('{"accuracy": 24}', "completeness, traceability, usefulness and label are missing"),
        (
            json.dumps({k: v for k, v in SCORES.items() if k != "label"}),
            "label is missing",
        ),
        (text_of(accuracy=True), "accuracy must be a number, found true"),
        (text_of(accuracy="24"), 'accuracy must be a number, found "24"'),
        (text_of(accuracy=None), "accuracy must be a number, found null"),
        (text_of(accuracy={"a": 1}), "accuracy must be a number, found an object"),
        (text_of(usefulness=[1]), "usefulness must be a number, found a list of 1"),
        (text_of(accuracy=float("nan")), "accuracy must lie between 0 and 30, found nan"),
        (text_of(accuracy=float("inf")), "accuracy must lie between 0 and 30, found inf"),
        (text_of(label=3), "label must be a text, found 3"),
        (text_of(label={}), "label must be a text, found an object"),
        (text_of(label=" "), "label must be a word, found an empty text"),
        ("[" * 100_000, "the output is not one JSON object; it begins with "),
        ('{"accuracy":' + "[" * 1900, "the JSON object is "),
        ('{"accuracy": ' + "9" * 1900 + "}", "completeness, traceability"),
        (text_of(label="x" * 2000), "the output has 2"),
    ],
)
def test_anything_else_is_invalid_with_its_reason(text, reason):
    found = read_rubric(text)
    assert found.state == "invalid"
    assert found.reason.startswith(reason)
    assert "\n" not in found.reason
    assert (found.total, found.valid, found.refusal) == (None, False, False)


def test_a_near_key_is_named():
    assert 'Did you mean "usefulness"?' in read_rubric(text_of(usefullness=1)).reason


def test_what_was_cut_off_is_invalid_even_if_it_parses():
    assert read_rubric(text_of(), "length").reason == "the output was cut off: finish reason length"


@pytest.mark.parametrize("label", ["Refusal", "refused", " REFUSAL. ", "Refuses"])
def test_a_refusal_is_an_outcome_of_its_own(label):
    zeros = dict.fromkeys(DIMENSIONS, 0)
    found = read_rubric(json.dumps({**zeros, "label": label}))
    assert (found.state, found.refusal, found.valid) == ("ok", True, False)


@pytest.mark.parametrize("label", ["Poor", "No basis", "no refusal", "Refusals are rare"])
def test_a_low_label_is_no_refusal(label):
    assert not read_rubric(text_of(label=label)).refusal


def test_a_label_is_clipped_and_printable():
    found = read_rubric(text_of(label="\x1b[2J" + "x" * 100))
    assert found.label.isprintable()
    assert len(found.label) < 80


@given(st.text())
def test_any_text_is_read_without_an_error(text):
    found = read_rubric(text)
    assert found.state == "invalid"
    assert found.reason.isprintable()


@given(st.fixed_dictionaries({name: st.floats(0, top) for name, top in DIMENSIONS.items()}))
def test_scores_are_read_as_they_were_written(scores):
    found = read_rubric(json.dumps({**scores, "label": "Good"}))
    assert found.dimensions == scores
    assert found.total == pytest.approx(sum(scores.values()), abs=1e-12)
