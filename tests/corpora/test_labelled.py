"""Labelled answers: what a row says, what is refused, and which controls are made of it."""

from __future__ import annotations

import gzip
import json

import pytest

from pytest_judgeaudit.corpora.finite_code import correct_inputs
from pytest_judgeaudit.corpora.labelled import load_answers
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.labelled import LabelledAnswer

ROW = {"id": "a", "prompt": "Ask", "answer": "Four.", "label": "good"}


def loaded(*rows, root, **how):
    return load_answers(rows, root=root, **how)


def refusal(*rows, root, **how):
    with pytest.raises(Refused) as caught:
        loaded(*rows, root=root, **how)
    return str(caught.value)


def test_a_row_is_read_whole_and_the_rest_is_kept(tmp_path):
    row = {**ROW, "subset": "Math", "family": "sums", "by": "Ann"}
    (answer,) = loaded(row, root=tmp_path).answers
    assert answer == LabelledAnswer(
        **ROW, subset="Math", family="sums", source="item 1", metadata={"by": "Ann"}
    )
    assert answer.metadata == {"by": "Ann"}


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.toml", "a.jsonl.gz"])
def test_every_format_gives_the_same_answers_with_their_addresses(tmp_path, name):
    rows = [ROW, {**ROW, "id": "b", "answer": "Five.", "label": "bad"}]
    texts = {
        ".jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        ".json": json.dumps(rows, indent=1),
        ".toml": "".join(
            "[[answer]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in row.items())
            for row in rows
        ),
    }
    data = texts["." + name.removesuffix(".gz").rpartition(".")[2]].encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    answers = load_answers(name, root=tmp_path).answers
    assert [(one.id, one.label, one.good) for one in answers] == [("a", "good", True), ("b", "bad", False)]
    assert all(one.source.startswith(f"{name}:") for one in answers)


def test_a_toml_file_of_pairs_is_refused(tmp_path):
    (tmp_path / "a.toml").write_text('[[pair]]\nid = "a"\n')
    with pytest.raises(Refused, match=r'a.toml: unknown key "pair"; expected \[\[answer\]\] tables only'):
        load_answers("a.toml", root=tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": "fine"}, 'item 1: label: expected good or bad, found "fine".'),
        ({"label": "godo"}, 'item 1: label: expected good or bad, found "godo". Did you mean "good"?'),
        ({"label": True}, "item 1: label: expected good or bad, found true."),
        ({"prompt": 3}, "item 1: prompt: expected a text, found 3"),
        ({"id": " "}, 'item 1: id: expected a text with something in it, found " "'),
        (
            {"answer": " \n"},
            (
                "item 1: answer: is blank, expected a text with something in it; leave the row out: the "
                "control blank shows an empty answer to every prompt"
            ),
        ),
    ],
)
def test_a_wrong_row_is_refused_in_one_line(tmp_path, change, words):
    assert refusal({**ROW, **change}, root=tmp_path) == words


def test_a_row_that_is_none_is_refused(tmp_path):
    assert refusal(3, root=tmp_path) == (
        "item 1: expected a labelled answer or a row of named fields, found 3"
    )
    assert refusal(root=tmp_path) == "source: has no rows; expected at least one labelled answer"


def test_one_row_without_a_label_is_refused_at_its_place(tmp_path):
    rows = [ROW, {"id": "b", "prompt": "Ask", "answer": "Five.", "lable": "bad"}]
    assert refusal(*rows, root=tmp_path) == (
        "item 2: label: is missing, expected good or bad in a row of labelled answers; add it, or name its "
        'field with fields={"label": …} on the marker. Did you mean "lable"?'
    )


def test_labels_that_are_missing_everywhere_are_one_line(tmp_path):
    rows = [{"id": str(n), "prompt": "Ask", "answer": f"{n}", "score": 1} for n in range(30)]
    assert refusal(*rows, root=tmp_path) == (
        'source: label: none of 30 rows has a field "label"; expected good or bad in each; name the field '
        'with fields={"label": …} on the marker'
    )


def test_a_foreign_file_is_read_by_its_own_names_and_words(tmp_path):
    row = {"no": 3, "set": "x", "in": {"q": "Ask"}, "out": "Four.", "ok": True}
    fields = {"id": "{set}-{no}", "prompt": "in.q", "answer": "out", "label": "ok"}
    words = {"good": True, "bad": False}
    other = {**row, "no": 4, "out": "Five.", "ok": False}
    answers = loaded(row, other, root=tmp_path, fields=fields, labels=words).answers
    assert [(one.id, one.prompt, one.label) for one in answers] == [
        ("x-3", "Ask", "good"),
        ("x-4", "Ask", "bad"),
    ]
    assert refusal({**row, "ok": 1}, root=tmp_path, fields=fields, labels=words) == (
        "item 1: ok: expected true or false, found 1."
    )


def test_an_unknown_field_is_refused(tmp_path):
    assert refusal(ROW, root=tmp_path, fields={"reply": "out"}) == (
        'fields: unknown key "reply"; expected id, prompt, answer, label, subset, family.'
    )


def test_one_answer_with_two_labels_is_refused(tmp_path):
    words = refusal(ROW, {**ROW, "id": "b", "label": "bad"}, root=tmp_path)
    assert words == (
        "item 2: label: is bad, but the same answer to the same prompt is good at item 1; one of them is "
        "wrong"
    )


def test_an_id_that_occurs_twice_is_refused(tmp_path):
    words = refusal(ROW, {**ROW, "answer": "4"}, root=tmp_path)
    assert words == 'item 2: id: "a" is that of item 1 already; expected an id of its own'


def codes(found):
    return [finding.code for finding in found.findings]


def test_the_same_answer_under_two_ids_is_asked_once(tmp_path):
    bad = {**ROW, "id": "c", "answer": "Five.", "label": "bad"}
    found = loaded(ROW, {**ROW, "id": "b"}, bad, root=tmp_path, controls=("repeated",))
    assert [one.id for one in found.answers] == ["a", "c", "a", "c"]
    assert codes(found) == ["merged-answers"]


def test_answers_of_one_label_alone_are_a_finding(tmp_path):
    found = loaded(ROW, root=tmp_path)
    assert codes(found) == ["one-label"]
    assert found.findings[0].symptom == "no answer is bad: a judge that accepts everything is right here"


@pytest.mark.parametrize(("family", "expected"), [(None, ["repeated-prompts"]), ("sums", [])])
def test_answers_of_one_label_to_one_prompt_are_no_independent_tasks(tmp_path, family, expected):
    rows = [
        {**ROW, "family": family},
        {**ROW, "id": "b", "answer": "4", "family": family},
        {**ROW, "id": "c", "answer": "Five.", "label": "bad"},
    ]
    assert codes(loaded(*rows, root=tmp_path)) == expected


def test_blank_controls_are_one_for_each_prompt_and_repeats_are_of_all(tmp_path):
    rows = [
        {**ROW, "id": f"{prompt}{label}", "prompt": prompt, "answer": label, "label": label}
        for prompt in "pq"
        for label in ("good", "bad")
    ]
    found = loaded(*rows, root=tmp_path, controls=("blank", "whitespace", "repeated")).answers
    assert [(one.id, one.control) for one in found] == [
        *((f"{prompt}{label}", "") for prompt in "pq" for label in ("good", "bad")),
        ("pgood", "blank"),
        ("qgood", "blank"),
        ("pgood", "whitespace"),
        ("qgood", "whitespace"),
        *((f"{prompt}{label}", "repeated") for prompt in "pq" for label in ("good", "bad")),
    ]


def test_the_battery_of_code_has_a_right_and_a_wrong_answer_for_each_task(tmp_path):
    answers = load_answers("battery:finite-code", root=tmp_path).answers
    assert (len(answers), len({one.prompt for one in answers})) == (192, 96)
    for answer in answers[:4]:
        right, of = correct_inputs(answer.answer)
        assert (right == of) == answer.good


def test_a_battery_without_labels_is_refused(tmp_path):
    with pytest.raises(Refused, match='there is no battery "ladder"; there are finite-code'):
        load_answers("battery:ladder", root=tmp_path)


def test_answers_that_somebody_made_are_taken_with_their_controls_made_anew(tmp_path):
    made = LabelledAnswer(id="a", prompt="Ask", answer="x", label="bad", control="repeated", source="mine")
    (answer,) = loaded(made, root=tmp_path).answers
    assert (answer.control, answer.source) == ("", "mine")
    wrong = LabelledAnswer(id="a", prompt="Ask", answer="x", label="so-so")
    assert refusal(wrong, root=tmp_path) == 'item 1: label: expected good or bad, found "so-so"'
