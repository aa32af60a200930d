import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.corpora.found import found, listed, near, printable, quoted

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_printable_text_is_one_line_that_can_be_written(text):
    shown = printable(text)
    assert shown.isprintable()
    assert shown.encode("utf-8").decode("utf-8") == shown


@given(st.text(st.characters(categories=("L", "N")), max_size=60))
def test_printable_leaves_short_letters_and_digits_alone(text):
    assert printable(text) == text


def test_long_text_is_clipped():
    assert printable("x" * 61) == "x" * 60 + "…"


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (None, "null"),
        (False, "false"),
        (True, "true"),
        (0, "0"),
        pytest.param(10**5000, "a huge number", id="huge"),
        (2.5, "2.5"),
        ("a\nb", '"a\\nb"'),
        ([], "a list of 0"),
        ((1, 2), "a list of 2"),
        ({"a": 1}, "an object"),
        (b"x", "a value of type bytes"),
    ],
)
def test_a_value_is_worded_in_the_terms_of_the_file(value, word):
    assert found(value) == word


def test_quotes_are_double():
    assert quoted("it's") == '"it\'s"'


def test_a_long_list_of_names_is_cut():
    assert listed(str(i) for i in range(10)).endswith('"7" and 2 more')


def test_the_nearest_name_is_suggested_and_a_far_one_is_not():
    assert near("promt", ("prompt", "id")) == ' Did you mean "prompt"?'
    assert near("zzz", ("prompt", "id")) == ""


def test_a_hostile_name_cannot_reach_the_terminal():
    assert near("prompt", ("\x1bprompt",)) == ' Did you mean "\\x1bprompt"?'
