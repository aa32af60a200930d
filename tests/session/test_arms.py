"""The names of arms, and what a marker may say of them."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.arms import Arm, checked_arms, every_seed


@pytest.mark.parametrize(
    ("name", "blind", "seed"),
    [
        ("sighted", False, None),
        ("blind", True, None),
        ("renamed-sighted", False, 1),
        ("renamed-blind@2", True, 2),
        ("renamed-sighted@12", False, 12),
    ],
)
def test_an_arm_is_read_by_its_name(name, blind, seed):
    assert Arm.of(name) == (name, blind, seed)


@pytest.mark.parametrize(
    "name", ["", "sihgted", "blind@2", "renamed-blind@0", "renamed", "Blind", "blind "]
)
def test_other_names_are_refused(name):
    with pytest.raises(Refused, match="expected sighted, blind"):
        Arm.of(name)


def test_a_refusal_names_the_nearest_arm():
    with pytest.raises(Refused, match='Did you mean "sighted"'):
        Arm.of("sihgted")


@pytest.mark.parametrize("arms", ["blind", (), None, 3, ("blind", 1), ("blind", "blind"), {"blind"}])
def test_arms_are_a_tuple_of_names_each_once(arms):
    with pytest.raises(Refused):
        checked_arms(arms)


def test_a_list_of_arms_will_do():
    assert checked_arms(["sighted", "blind"]) == ("sighted", "blind")


@pytest.mark.parametrize(
    ("arms", "seeds", "every"),
    [
        (("sighted", "renamed-sighted"), 1, ("sighted", "renamed-sighted")),
        (("renamed-blind",), 3, ("renamed-blind", "renamed-blind@2", "renamed-blind@3")),
        (("renamed-blind@2", "renamed-blind"), 2, ("renamed-blind@2", "renamed-blind")),
        (("blind",), 5, ("blind",)),
    ],
)
def test_a_renamed_arm_stands_for_one_of_each_seed(arms, seeds, every):
    assert every_seed(arms, seeds) == every
