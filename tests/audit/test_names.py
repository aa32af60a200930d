"""Names of gates: ASCII, unique, and such that a gate can be selected by its id."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.names import gate_id
from pytest_judgeaudit.session.choices import without_gate
from pytest_judgeaudit.session.reviewing import _moved_item

TEST = "evals/test_study.py::test_copies"


@pytest.mark.parametrize("variant", ["calm", "a:b", "a::b", "ü", "x y", "a]b", "x" * 90])
def test_the_id_of_a_gate_gives_its_test_back_whatever_the_parameters_are(studies, variant):
    name = gate_id(studies.cell("clone", ["a"], variant=variant), "clone_gate")
    assert name.isascii()
    assert " " not in name
    assert without_gate(name) == TEST
    assert without_gate(_moved_item(studies.cell("clone", ["a"], variant=variant), "moved").id) == TEST


def test_a_plain_variant_stands_as_it_is_and_others_stay_apart(studies):
    names = [
        gate_id(studies.cell("clone", ["a"], variant=variant), "clone_gate")
        for variant in ("calm", "a:b", "a/b", "")
    ]
    assert names[0] == f"{TEST}::clone_gate[qwen-neutral-calm]"
    assert names[3] == f"{TEST}::clone_gate[qwen-neutral]"
    assert len(set(names)) == 4
