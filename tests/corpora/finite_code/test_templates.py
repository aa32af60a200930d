from __future__ import annotations

import dataclasses

import pytest

from pytest_judgeaudit.corpora.finite_code.domains import Domain, Integers
from pytest_judgeaudit.corpora.finite_code.families import FAMILIES
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting
from pytest_judgeaudit.records.errors import Refused

DOMAIN = Domain(arguments=(Integers(name="n", low=0, high=2),))
FAMILY = Family(
    name="double",
    task="Return $TIMES times n.",
    shapes={
        "product": "def solve(n):\n    return $TIMES * n\n",
        "sum": "def solve(n):\n    return sum([n] * $TIMES)\n",
    },
    faults={"adds": Fault(shape="product", was="* n", now="+ n")},
    settings=(Setting(values={"TIMES": 2}, domain=DOMAIN, reference="sum", fault="adds"),),
)


def test_a_setting_fills_the_places_of_all_four_texts():
    (item,) = FAMILY.items()
    assert item.id == "double-01"
    assert item.reference == "def solve(n):\n    return sum([n] * 2)\n"
    assert item.equivalent == "def solve(n):\n    return 2 * n\n"
    assert item.faulty == "def solve(n):\n    return 2 + n\n"
    assert item.specification == (
        "Implement the Python function solve(n).\n\n"
        "Return 2 times n.\n\n"
        "Valid inputs: n is an integer from 0 to 2. Every such input is valid: 3 inputs in all."
    )


def test_a_fault_that_names_no_unique_place_is_refused():
    broken = dataclasses.replace(FAMILY, faults={"adds": Fault(shape="product", was="n", now="m")})
    with pytest.raises(Refused, match=r"family double, fault 'adds': expected 'n' exactly once .* 3 times"):
        broken.items()


def test_there_are_eight_families_of_twelve_settings():
    assert {family.name: len(family.settings) for family in FAMILIES} == dict.fromkeys(
        ("clamp", "digits", "overlap", "rank", "rounding", "runs", "search", "windows"), 12
    )


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_each_shape_is_the_reference_of_half_the_settings(family):
    references = [setting.reference for setting in family.settings]
    assert {shape: references.count(shape) for shape in family.shapes} == dict.fromkeys(family.shapes, 6)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_fault_is_used_and_no_fault_more_than_three_times(family):
    used = [setting.fault for setting in family.settings]
    assert set(used) == set(family.faults)
    assert max(used.count(fault) for fault in used) <= 3


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_both_shapes_have_faults(family):
    assert {family.faults[setting.fault].shape for setting in family.settings} == set(family.shapes)
