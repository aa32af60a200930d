import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.corpora.fields import holds, names_beside, parsed, parsed_fields, value_at
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


NESTED = {"id": 1, "meta": {"task": "t", "none": None}, "list": [{"x": 2}, 3], "a.b": 4, "a": {"b": 5}}


@pytest.mark.parametrize(
    ("name", "value"),
    [("meta.task", "t"), ("meta.none", None), ("list.0.x", 2), ("list.1", 3), ("list", [{"x": 2}, 3])],
)
def test_names_joined_by_dots_lead_into_a_field(name, value):
    assert holds(NESTED, name)
    assert value_at(NESTED, name) == value
    assert parsed(name).read(NESTED) == value


def test_a_field_whose_own_name_has_dots_comes_first():
    assert parsed("a.b").read(NESTED) == 4


def test_a_template_takes_names_with_dots():
    assert parsed("{meta.task}/{list.0.x}").read(NESTED) == "t/2"


@pytest.mark.parametrize(
    "name",
    [
        "meta.",
        ".meta",
        "meta.task.x",
        "list.2",
        "list.-1",
        "list.x",
        "list.1.x",
        "id.0",
        "b",
        "a..b",
        "list.²",
    ],
)
def test_a_path_that_leads_nowhere_holds_nothing(name):
    assert not holds(NESTED, name)
    with pytest.raises(KeyError):
        value_at(NESTED, name)


def test_a_wrong_path_is_refused_with_the_nearest_name_where_it_ended():
    with pytest.raises(
        Refused, match=r'no field "meta\.tsk" in.*has "meta\.task", .*Did you mean "meta\.task"'
    ):
        parsed("meta.tsk").read(NESTED)


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("x", tuple(NESTED)),
        ("x.y", tuple(NESTED)),
        ("meta.x", ("meta.task", "meta.none")),
        ("meta.task.x", ("meta.task", "meta.none")),
        ("list.0.y", ("list.0.x",)),
        ("list.7", ("list.0", "list.1")),
    ],
)
def test_the_names_beside_a_wrong_one_are_those_where_its_path_ends(name, names):
    assert names_beside(NESTED, name) == names
