import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.corpora.fields import parsed, parsed_fields
from pytest_judgeaudit.records.errors import Refused

NAMES = st.text(st.characters(exclude_characters="{}"), min_size=1).filter(str.strip)


@given(NAMES, st.integers() | st.booleans() | st.none() | st.lists(st.integers()))
def test_a_plain_name_gives_the_value_as_it_stands(name, value):
    assert parsed(name).read({name: value}) is value


@given(st.lists(st.tuples(NAMES, st.text()), min_size=1, max_size=4), st.text("-/ ", max_size=2))
def test_a_template_joins_its_values(pairs, literal):
    row = dict(pairs)
    written = literal.join("{" + name + "}" for name in row)
    assert parsed(written).read(row) == literal.join(row.values())


@pytest.mark.parametrize(
    ("value", "text"), [("x", "x"), (3, "3"), (-1.5, "-1.5"), (True, "true"), (False, "false"), ("", "")]
)
def test_a_template_takes_texts_numbers_and_booleans(value, text):
    assert parsed("<{v}>").read({"v": value}) == f"<{text}>"


@pytest.mark.parametrize(
    "value", [None, [1], {"a": 1}, float("nan"), float("inf"), pytest.param(10**6000, id="huge")]
)
def test_a_template_refuses_what_is_no_plain_value(value):
    with pytest.raises(Refused, match="v: expected a text or a number for a template, found"):
        parsed("<{v}>").read({"v": value})


@pytest.mark.parametrize("written", ["{a", "a}", "{}", "{{a}}", "{a}{", "", "  "])
def test_a_template_that_is_none_is_refused(written):
    with pytest.raises(Refused):
        parsed(written)


def test_a_template_cannot_reach_attributes_or_format():
    assert parsed("{a.b!r:>9}").names == ("a.b!r:>9",)


def test_an_unknown_field_is_refused_with_the_nearest_one():
    with pytest.raises(Refused, match=r'no field "promt" in this row.*Did you mean "prompt"'):
        parsed("promt").read({"id": 1, "prompt": "p"})


def test_an_unknown_key_is_refused_with_the_nearest_one():
    with pytest.raises(Refused, match=r'unknown key "promt"; expected id, prompt\. Did you mean "prompt"'):
        parsed_fields({"promt": "x"}, known=("id", "prompt"))


@pytest.mark.parametrize("fields", [[], "x", 3, {"id": 3}, {"id": ""}, {3: "x"}, {"id": "{"}])
def test_fields_that_are_no_table_of_names_are_refused(fields):
    with pytest.raises(Refused, match=r"^fields"):
        parsed_fields(fields, known=("id",))
