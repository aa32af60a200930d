from __future__ import annotations

import pytest

from pytest_judgeaudit.corpora.finite_code.domains import Domain, IntegerList, Integers
from pytest_judgeaudit.corpora.finite_code.families import battery


def test_integers_are_enumerated_from_low_to_high():
    assert list(Integers(name="n", low=-2, high=1).values()) == [-2, -1, 0, 1]


def test_lists_are_enumerated_by_length_and_then_in_order():
    found = list(IntegerList(name="values", low=0, high=1, longest=2).values())
    assert found == [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_domain_is_every_combination_with_the_last_argument_fastest():
    domain = Domain(
        arguments=(Integers(name="n", low=0, high=1), IntegerList(name="v", low=7, high=7, longest=1))
    )
    assert list(domain.inputs()) == [(0, ()), (0, (7,)), (1, ()), (1, (7,))]


def test_an_integer_is_stated_with_both_ends_and_the_count():
    domain = Domain(arguments=(Integers(name="n", low=-3, high=4),))
    assert domain.words == "n is an integer from -3 to 4. Every such input is valid: 8 inputs in all."


def test_a_list_is_stated_with_its_lengths_and_its_elements():
    words = IntegerList(name="values", low=-1, high=2, longest=5).words
    assert words == "values is a list of 0 to 5 integers, each an integer from -1 to 2"


# For instance 1 + 3 + 9 + 27 + 81 + 243 lists of at most five elements, each one of three values.
@pytest.mark.parametrize(
    ("alphabet", "longest", "size"), [(3, 5, 364), (2, 8, 511), (5, 4, 781), (4, 5, 1365), (3, 6, 1093)]
)
def test_the_number_of_lists_is_a_geometric_sum(alphabet, longest, size):
    assert IntegerList(name="values", low=0, high=alphabet - 1, longest=longest).size == size


def test_enumeration_gives_as_many_different_inputs_as_the_domain_declares():
    for item in battery().values():
        inputs = list(item.domain.inputs())
        assert len(inputs) == len(set(inputs)) == item.domain.size, item.id


def test_enumeration_is_the_same_every_time():
    for item in battery().values():
        assert list(item.domain.inputs()) == list(item.domain.inputs()), item.id
