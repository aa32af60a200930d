"""The oracles against values worked out by hand from the specifications."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pytest_judgeaudit.corpora.finite_code import oracle
from pytest_judgeaudit.corpora.finite_code.families import FAMILIES, battery

TANK = {"LOW": 1, "HIGH": 7, "LEAK": 2}
LUHN = {"BASE": 10, "WEIGHT": 2, "MODULUS": 10}
JOBS = {"CLEAN": 1, "LAST": 7}
SECOND = {"K": 2, "FLOOR": 0, "DEFAULT": -1}
TILL = {"UNIT": 10, "FEE": 5}
LONG = {"LEAST": 2, "IDLE": 0}
GAME = {"FIRST": 2, "GROWTH": 3}
CAPPED = {"WIDTH": 2, "CAP": 4, "DEFAULT": 9}


@pytest.mark.parametrize(
    ("family", "values", "arguments", "expected"),
    [
        ("clamp", TANK, (4, 2, -1), 3),  # 6, 4, 3
        ("clamp", TANK, (5, 4, 4), 7),  # 7, 5, 7
        ("clamp", TANK, (2, -4, 3), 4),  # 1, 1, 4
        ("digits", LUHN, (0,), 0),
        ("digits", LUHN, (79,), 4),  # 9 + (1 + 4) = 14
        ("digits", LUHN, (123,), 8),  # 3 + 4 + 1
        ("digits", {"BASE": 5, "WEIGHT": 3, "MODULUS": 11}, (23,), 7),  # 43 in base 5: 3 + (2 + 2)
        ("overlap", JOBS, (0, 2, 3, 2), 0),  # 0-2 and 3-5
        ("overlap", JOBS, (0, 2, 2, 2), 1),  # 0-2 and 2-4
        ("overlap", JOBS, (6, 3, 5, 3), 2),  # 6-9 and 5-8, until 7
        ("rank", SECOND, ([3, 1, 3],), 3),
        ("rank", SECOND, ([4, 4, 0],), -1),
        ("rank", SECOND, ([2, 1, 4, 3],), 2),
        ("rounding", TILL, (10, 1), 20),  # 15 lies between 10 and 20
        ("rounding", TILL, (10, 2), 20),  # 25 lies between 20 and 30
        ("rounding", TILL, (-10, 2), -20),  # -15 lies between -20 and -10
        ("rounding", TILL, (-3, 3), 0),  # -4
        ("runs", LONG, ([1, 1, 2, 0, 0, 2, 2, 2],), 5),
        ("runs", LONG, ([],), 0),
        ("search", GAME, (0, 0), 0),
        ("search", GAME, (7, 2), 2),  # 2 + 5
        ("search", GAME, (8, 2), -1),
        ("search", GAME, (8, 5), 3),  # 2 + 5 + 8
        ("windows", CAPPED, ([1, 2, 3, 1],), 4),  # 3, 5, 4
        ("windows", CAPPED, ([3],), 9),
        ("windows", CAPPED, ([3, 2, 4],), 9),  # 5, 6
    ],
)
def test_the_oracle_agrees_with_a_calculation_by_hand(family, values, arguments, expected):
    assert oracle.ORACLES[family](values, *arguments) == expected


def test_there_is_one_oracle_for_each_family():
    assert sorted(oracle.ORACLES) == sorted(family.name for family in FAMILIES)


def test_the_oracle_names_no_candidate_text():
    tree = ast.parse(Path(oracle.__file__).read_text(encoding="utf-8"))
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not attributes & {"reference", "equivalent", "faulty", "texts", "shapes", "faults"}


def test_an_item_has_an_expectation_for_every_input():
    assert all(len(oracle.expected(name)) == item.domain.size for name, item in battery().items())
