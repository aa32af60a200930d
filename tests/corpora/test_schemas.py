import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.corpora.columns import KEYS, Columns, Content
from pytest_judgeaudit.corpora.schemas import SCHEMAS, nearest_text, pair_fields, recognised
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import NO_SUBSET

CHOSEN = {"id": "a", "prompt": "p", "chosen": "good", "rejected": "bad"}
FIRST = {"id": "a", "prompt": "p", "first": "one", "second": "two", "target": "second"}
LLMBAR = {"input": "p", "output_1": "one", "output_2": "two", "label": 2}
JUDGEBENCH = {"pair_id": "a", "question": "p", "response_A": "one", "response_B": "two", "label": "B>A"}
ANY_TEXT = st.text(st.characters(exclude_categories=()))


def content(row: dict, *, kind: str = "signal", fields: dict | None = None) -> Content:
    schema = recognised(tuple(row), pair_fields(fields))
    return schema.read(Columns(row, schema), kind)


def refusal(row: dict, **options) -> str:
    with pytest.raises(Refused) as caught:
        content(row, **options)
    return str(caught.value)


# What each schema says


@given(
    ANY_TEXT.filter(str.strip), ANY_TEXT, ANY_TEXT, ANY_TEXT, st.sampled_from(["first", "second", "tie"])
)
def test_our_own_rows_say_what_they_hold(name, prompt, first, second, target):
    read = content({"id": name, "prompt": prompt, "first": first, "second": second, "target": target})
    assert (read.id, read.prompt, read.first, read.second, read.target) == (
        name,
        prompt,
        first,
        second,
        target,
    )


def test_of_chosen_and_rejected_the_first_is_the_target():
    read = content(CHOSEN)
    assert (read.first, read.second, read.target, read.unused) == ("good", "bad", "first", 0)


def test_rewardbench_rows_show_the_first_chosen_beside_the_nearest_rejected():
    row = {**CHOSEN, "chosen": ["one two", "x"], "rejected": ["a b c", "one 2wo", "a"], "subset": "Ties"}
    read = content(row)
    assert (read.first, read.second, read.subset, read.unused) == ("one two", "one 2wo", "Ties", 3)


@pytest.mark.parametrize(("label", "target"), [(1, "first"), (2, "second")])
def test_llmbar_labels_name_an_output(label, target):
    read = content({**LLMBAR, "label": label})
    assert (read.prompt, read.first, read.second, read.target) == ("p", "one", "two", target)


@pytest.mark.parametrize(("label", "target"), [("A>B", "first"), ("B>A", "second")])
def test_judgebench_labels_name_a_response(label, target):
    read = content({**JUDGEBENCH, "label": label})
    assert (read.id, read.prompt, read.first, read.second, read.target) == ("a", "p", "one", "two", target)


def test_unknown_keys_are_kept_as_metadata():
    row = {**FIRST, "source": "RewardBench 2", "note": [1], "subset": "Math", "family": "f"}
    assert content(row).metadata == {"source": "RewardBench 2", "note": [1]}
    assert content({**LLMBAR, "item": 3}).metadata == {"item": 3}


@pytest.mark.parametrize("subset", [None, "", "  "])
def test_a_missing_subset_is_the_stratum_none(subset):
    assert content({**FIRST, "subset": subset}).subset == NO_SUBSET
    assert content(FIRST).subset == NO_SUBSET


def test_whole_numbers_serve_as_names():
    read = content({**FIRST, "id": 17, "subset": 2, "family": 3})
    assert (read.id, read.subset, read.family) == ("17", "2", "3")


def test_a_copy_needs_one_text_only():
    assert content({"id": "a", "prompt": "p", "chosen": "x"}, kind="clone").first == "x"
    assert content({"id": "a", "prompt": "p", "first": "x"}, kind="clone").first == "x"
    assert "second: is missing" in refusal(
        {"id": "a", "prompt": "p", "first": "x", "target": "second"}, kind="clone"
    )


# Ids of rows that have none


def test_llmbar_rows_are_named_by_subset_and_item():
    assert content({**LLMBAR, "subset": "LLMBar/Natural", "item": 3}).id == "LLMBar/Natural/3"


def test_llmbar_rows_without_an_item_are_named_by_what_they_hold():
    named = content(LLMBAR).id
    assert named == content({**LLMBAR, "label": 1, "note": "x"}).id
    assert named != content({**LLMBAR, "output_1": "other"}).id
    assert named != content({**LLMBAR, "input": "pone", "output_1": ""}).id


def test_llmbar_rows_with_an_id_keep_it():
    assert content({**LLMBAR, "id": "x", "subset": "s", "item": 3}).id == "x"


@pytest.mark.parametrize("row", [CHOSEN, FIRST])
def test_our_own_rows_need_an_id(row):
    assert "id: is missing" in refusal({key: value for key, value in row.items() if key != "id"})


# Nearest in length


@given(st.text("ab ", max_size=12), st.lists(st.text("ab ", max_size=12), min_size=1, max_size=5))
def test_no_other_text_is_nearer_in_words_then_characters(text, others):
    def distance(other: str) -> tuple[int, int]:
        return abs(len(other.split()) - len(text.split())), abs(len(other) - len(text))

    best = nearest_text(text, others)
    assert all(distance(best) <= distance(other) for other in others)
    assert best == next(other for other in others if distance(other) == distance(best))


# Refused values


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"prompt": None}, "prompt: is missing, expected a text"),
        ({"prompt": 3}, "prompt: expected a text, found 3"),
        ({"first": 3}, "first: expected a text, found 3"),
        ({"second": ["x"]}, "second: expected a text, found a list of 1"),
        ({"target": "third"}, 'target: expected first, second or tie, found "third"'),
        ({"target": "frist"}, 'Did you mean "first"?'),
        ({"target": 1}, "target: expected first, second or tie, found 1"),
        ({"target": ["first"]}, "target: expected first, second or tie, found a list of 1"),
        ({"target": None}, "target: is missing"),
        ({"id": " "}, 'id: expected a text with something in it, found " "'),
        ({"id": True}, "id: expected a text, found true"),
        ({"id": 1.0}, "id: expected a text, found 1.0"),
        ({"subset": ["Math"]}, "subset: expected a text, found a list of 1"),
        ({"family": {}}, "family: expected a text, found an object"),
        ({"equivalent": "yes"}, 'equivalent: expected true, false or "unvalidated", found "yes"'),
        ({"equivalent": True}, "equivalent: is set, but target names a better answer"),
    ],
)
def test_a_wrong_value_is_refused_with_its_field(change, what):
    assert what in refusal({**FIRST, **change})


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"chosen": []}, "chosen: expected at least one text, found an empty list"),
        ({"rejected": ["x", 3]}, "rejected[1]: expected a text, found 3"),
        ({"rejected": None}, "rejected: is missing"),
        ({"equivalent": True}, "equivalent: is set, but chosen and rejected name a better answer"),
    ],
)
def test_a_wrong_list_is_refused_with_its_field(change, what):
    assert what in refusal({**CHOSEN, **change})


@pytest.mark.parametrize("label", [0, 3, "1", True, 1.5, None, "A>B"])
def test_llmbar_labels_are_the_numbers_1_and_2(label):
    assert refusal({**LLMBAR, "label": label}).startswith("label: ")


@pytest.mark.parametrize("label", ["A=B", "A", "a>b", 1, None])
def test_judgebench_labels_are_a_over_b_or_b_over_a(label):
    assert refusal({**JUDGEBENCH, "label": label}).startswith("label: ")


def test_a_misspelt_field_is_refused_with_the_name_that_was_meant():
    row = {"id": "a", "prompt": "p", "frist": "x", "second": "y", "target": "first"}
    message = refusal(row)
    assert message.startswith("first: is missing")
    assert 'Did you mean "frist"?' in message


def test_a_field_is_called_as_the_row_calls_it():
    row = {key: value for key, value in LLMBAR.items() if key != "output_2"}
    assert refusal(row).startswith("output_2: is missing, expected a text in a row of LLMBar")


# Which schema


@pytest.mark.parametrize("row", [{}, {"a": 1}, {"label": 1}, {"id": "a", "prompt": "p"}])
def test_an_unknown_schema_names_the_known_ones_and_the_way_out(row):
    message = refusal(row)
    assert "fits no schema" in message
    assert all(word in message for word in ("chosen", "target", "RewardBench 2", "LLMBar", "JudgeBench"))
    assert "fields={" in message


def test_a_row_of_two_schemas_is_refused():
    assert "fits both chosen+rejected and first+second+target" in refusal({**CHOSEN, **FIRST})


def test_a_complete_schema_is_not_disturbed_by_a_stray_key():
    assert content({**CHOSEN, "label": 1, "input": "x"}).metadata == {"label": 1, "input": "x"}


# Other schemas


def test_fields_name_what_stands_elsewhere():
    row = {"set": "x", "no": 3, "ask": "p", "good": "one", "bad": "two"}
    fields = {"id": "{set}-{no}", "prompt": "ask", "chosen": "good", "rejected": "bad", "subset": "set"}
    read = content(row, fields=fields)
    assert (read.id, read.prompt, read.first, read.second, read.subset) == ("x-3", "p", "one", "two", "x")
    assert read.metadata == {"no": 3}


def test_fields_that_are_not_named_keep_our_names():
    read = content(
        {"id": "a", "prompt": "p", "x": "one", "y": "two"}, fields={"chosen": "x", "rejected": "y"}
    )
    assert (read.id, read.prompt, read.second) == ("a", "p", "two")


def test_fields_may_change_a_known_schema_in_part():
    read = content({**JUDGEBENCH, "source": "livebench"}, fields={"subset": "source", "id": "jb/{pair_id}"})
    assert (read.subset, read.id, read.target) == ("livebench", "jb/a", "second")


@pytest.mark.parametrize(
    ("value", "target"),
    [("first", "first"), ("tie", "tie"), (2, "second"), ("A>B", "first"), ("B>A", "second")],
)
def test_a_named_label_may_use_any_known_word(value, target):
    fields = {"first": "a", "second": "b", "target": "won"}
    row = {"id": "a", "prompt": "p", "a": "one", "b": "two", "won": value}
    assert content(row, fields=fields).target == target


def test_a_label_may_be_a_template():
    row = {"id": "a", "prompt": "p", "first": "one", "second": "two", "l": "A", "r": "B"}
    assert content(row, fields={"target": "{l}>{r}"}).target == "first"


def test_a_named_field_that_a_row_lacks_is_refused_even_if_it_is_optional():
    assert 'fields.subset: there is no field "sett"' in refusal(
        {**FIRST, "set": "x"}, fields={"subset": "sett"}
    )


def test_a_named_id_is_never_derived():
    assert "uid: is missing" in refusal({**LLMBAR, "uid": None}, fields={"id": "uid"})


@pytest.mark.parametrize(
    "fields", [{"chosen": "a", "first": "b"}, {"rejected": "a", "target": "b"}, {"promt": "a"}, []]
)
def test_fields_that_contradict_each_other_are_refused(fields):
    with pytest.raises(Refused, match=r"^fields"):
        pair_fields(fields)


def test_every_key_of_every_schema_may_be_named():
    assert {key for schema in SCHEMAS for key in schema.columns} == set(KEYS)
