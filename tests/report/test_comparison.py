"""Two reports side by side."""

from __future__ import annotations

from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.report.comparison import comparison
from pytest_judgeaudit.report.json import document


def gate(name, state, bound=0.03):
    return {
        "id": name,
        "kind": "clone_gate",
        "state": state,
        "outcome": "passed",
        "threshold": 0.05,
        "bound": bound,
    }


def report(*gates, **changes):
    return {**document(Audit(state="pass")), "gates": list(gates), **changes}


def test_without_a_baseline_there_is_nothing_to_compare():
    assert comparison(report(), None) is None


def test_gates_of_either_report_are_listed_with_what_moved():
    now = report(gate("a", "PASS"), gate("b", "MISS", 0.0604), gate("new", "PASS"))
    before = report(gate("a", "PASS"), gate("b", "PASS"), gate("gone", "HOLD", None))
    found = comparison(now, before)
    shown = [(one.gate, one.before, one.after, one.bound_before, one.bound_after) for one in found.changes]
    assert shown == [
        ("a", "PASS", "PASS", "3 %", "3 %"),
        ("b", "PASS", "MISS", "3 %", "6.04 %"),
        ("new", "–", "PASS", "–", "3 %"),
        ("gone", "HOLD", "–", "–", "–"),
    ]
    assert [one.moved for one in found.changes] == [False, True, True, True]


def test_the_protocols_are_compared_by_their_digest():
    first, second = ({"sha256": letter * 64, "state": "unfrozen"} for letter in "ab")
    assert comparison(report(protocol=first), report(protocol=first)).same_protocol
    found = comparison(report(protocol=first), report(protocol=second))
    assert (found.same_protocol, found.protocols) == (False, ("b" * 12, "a" * 12))


def test_a_baseline_by_another_hand_is_compared_as_far_as_it_goes():
    bare = {"schema": 1, "cells": [], "configurations": [], "trials": [], "gates": [{"id": "a"}, 7]}
    found = comparison(report(gate("a", "PASS")), bare)
    assert found.words == ("–", "PASS")
    assert [(one.before, one.after) for one in found.changes] == [("–", "PASS")]


def test_what_differs_between_the_judges_is_named_by_judge():
    contrast = {"kind": "baseline", "judge": "qwen", "changed": ("served: a → b",)}
    found = comparison(report(contrasts=[contrast, {**contrast, "judge": "gpt", "changed": ()}]), report())
    assert found.configurations == {"qwen": ("served: a → b",)}
