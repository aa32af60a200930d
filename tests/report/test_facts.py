"""What a page says of gates, judges and cells, in words."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.report import facts


def gate(**changes):
    return {"kind": "clone_gate", "state": "PASS", "bound": 0.03, "threshold": 0.05, **changes}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (gate(), "≤ 5 %"),
        (gate(kind="utility_gate", threshold=0.75), "≥ 75 %"),
        (gate(kind="operational_gate", threshold=0.01), "≤ 1 %"),
        (gate(kind="rate_gate", limit="least", bound=0.8, threshold=0.75), "≥ 75 %"),
        (gate(kind="rate_gate", limit="least", bound=0.7, threshold=0.75, state="MISS"), "≥ 75 %"),
        # A bound that is its threshold meets it, on either side.
        (gate(kind="rate_gate", limit="least", bound=0.75, threshold=0.75), "≥ 75 %"),
        (gate(kind="rate_gate", limit="most", bound=0.05, threshold=0.05), "≤ 5 %"),
        (gate(kind="rate_gate", limit="most", bound=0.07, threshold=0.05, state="MISS"), "≤ 5 %"),
        (gate(kind="rate_gate", limit="most", bound=None, threshold=0.05, state="HOLD"), "≤ 5 %"),
        # Reports of earlier versions do not say it.
        (gate(kind="rate_gate", bound=0.05, threshold=0.05), "5 %"),
        (gate(kind="blind_floor", bound=35.69, threshold=40.0), "≤ 40"),
        (gate(kind="blind_floor", bound=35.69, threshold=100.0, state="REPORTED"), "none"),
    ],
)
def test_a_limit_is_the_most_or_the_least_where_that_is_known(found, words):
    assert facts.limit(found) == words


def test_a_bound_never_reads_as_its_limit():
    assert facts.bound(gate(bound=0.049999)) == "4.9999 %"
    assert facts.bound(gate(bound=None)) == "–"


def test_a_floor_is_in_points():
    assert facts.bound(gate(kind="blind_floor", bound=35.69, threshold=40.0)) == "35.7 of 100"


def configuration(**changes):
    usage = {"prompt": 0, "completion": 0, "unknown_calls": 0}
    return {"identity": "served", "served": {}, "usage": {**usage, **changes.pop("usage", {})}, **changes}


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        ({}, "–"),
        ({"unknown_calls": 3}, "unknown"),
        ({"prompt": 1200, "completion": 30}, "1,200 + 30"),
        ({"prompt": 1200, "completion": 30, "unknown_calls": 1}, "1,200 + 30 + unknown"),
    ],
)
def test_unknown_tokens_are_not_none(usage, words):
    assert facts.tokens(configuration(usage=usage)) == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "not stated"),
        ({"served": {"m": 1200, "n": 1}}, "m ×1,200, n ×1"),
        ({"identity": "construction"}, "in the process"),
        ({"identity": "undeclared log"}, "not stated by the log"),
    ],
)
def test_what_was_served_is_what_was_declared(changes, words):
    assert facts.served(configuration(**changes)) == words


def cell(key, **changes):
    values = {
        "judge": "qwen",
        "criterion": "neutral",
        "arm": "signal",
        "stratum": None,
        "eval": "e.py::test_a",
    }
    return {"id": key, **values, **changes}


def test_cells_are_named_as_shortly_as_tells_them_apart():
    found = facts.cell_names(
        [
            cell("1"),
            cell("2", arm="clone", stratum="core"),
            cell("3", arm="clone", stratum="empty"),
            cell("4", criterion="strict"),
            cell("5", criterion="strict", eval="e.py::test_b"),
            cell("6", judge=None, criterion=None, arm="all"),
        ]
    )
    assert found == {
        "1": "qwen · neutral: signal",
        "2": "qwen · neutral: clone",
        "3": "qwen · neutral: empty",
        "4": "qwen · strict: signal, test_a",
        "5": "qwen · strict: signal, test_b",
        "6": "all: all",
    }


def test_cells_that_nothing_short_tells_apart_keep_their_ids():
    found = facts.cell_names([cell("a.py::t::x"), cell("b.py::t::x")])
    assert found == {"a.py::t::x": "a.py::t::x", "b.py::t::x": "b.py::t::x"}


def test_answers_leave_out_what_is_zero():
    assert facts.answers({"answers": {"hit": 0, "stale": 2, "missing": 0, "asked": 1200}}) == (
        "0 hit, 2 stale, 1,200 asked"
    )
