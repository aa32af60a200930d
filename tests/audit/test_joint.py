"""The joint label of a study, judge and criterion."""

from __future__ import annotations

from dataclasses import replace

import pytest


def labels(studies, *, clone="pass", signal="pass", matched=True):
    """The labels of one judge whose two gates end as said; ``none`` leaves the cell out."""
    known = studies.tasks(90)
    others = known if matched else studies.tasks(90, prefix="u")
    cells, observed = [], []
    if clone != "none":
        planned = studies.cell("clone", known)
        planned = replace(planned, selected=planned.selected[:40]) if clone == "partial" else planned
        cells.append(planned)
        observed += studies.copies(planned, adverse=20 if clone == "miss" else 0)
        observed = observed[1:] if clone == "hold" else observed
    if signal != "none":
        planned = studies.cell("signal", others)
        planned = replace(planned, selected=planned.selected[:40]) if signal == "partial" else planned
        cells.append(planned)
        tasks = len({p.task for p in planned.selected})
        observed += studies.scored(planned, [0 if signal == "miss" else 2] * tasks)
    audit = studies.run(studies.plan(cells, {**known, **others}), observed)
    assert all(
        (j.study, j.judge, j.criterion) == ("evals/test_study.py", "qwen", "neutral") for j in audit.joint
    )
    return [entry.label for entry in audit.joint]


@pytest.mark.parametrize(
    ("outcomes", "label"),
    [
        ({}, "both gates pass"),
        ({"signal": "miss"}, "clone gate only"),
        ({"clone": "miss"}, "utility gate only"),
        ({"clone": "miss", "signal": "miss"}, "neither"),
        ({"clone": "hold"}, "HOLD"),
        ({"clone": "hold", "matched": False}, "HOLD"),
        ({"matched": False}, "unmatched"),
        ({"matched": False, "signal": "miss"}, "unmatched"),
        ({"clone": "none"}, "clone not measured"),
        ({"signal": "none"}, "utility not measured"),
        ({"clone": "miss", "signal": "none"}, "utility not measured"),
        ({"clone": "partial"}, "clone not measured"),
        ({"signal": "partial"}, "utility not measured"),
    ],
)
def test_the_label_says_what_the_gates_say_together(studies, outcomes, label):
    assert labels(studies, **outcomes) == [label]


def test_where_neither_gate_was_evaluated_there_is_no_label(studies):
    assert labels(studies, clone="partial", signal="partial") == []


def test_each_judge_and_criterion_has_a_label_of_its_own(studies):
    known = studies.tasks(90)
    cells, observed = [], []
    for judge, right in (("a", 2), ("b", 0)):
        for criterion in ("neutral", "strict"):
            pair = [
                studies.cell(arm, known, judge=judge, criterion=criterion) for arm in ("clone", "signal")
            ]
            cells += pair
            observed += studies.copies(pair[0]) + studies.scored(pair[1], [right] * 90)
    audit = studies.run(studies.plan(cells, known), observed)
    assert [(entry.judge, entry.criterion, entry.label) for entry in audit.joint] == [
        ("a", "neutral", "both gates pass"),
        ("a", "strict", "both gates pass"),
        ("b", "neutral", "clone gate only"),
        ("b", "strict", "clone gate only"),
    ]


def test_several_gates_of_a_kind_must_all_pass(studies):
    known = studies.tasks(90)
    cells = [
        studies.cell("clone", known),
        studies.cell("clone", known, test="test_again"),
        studies.cell("signal", known),
    ]
    observed = studies.copies(cells[0]) + studies.copies(cells[1], adverse=30)
    observed += studies.scored(cells[2], [2] * 90)
    audit = studies.run(studies.plan(cells, known), observed)
    assert [entry.label for entry in audit.joint] == ["utility gate only"]


def test_rate_gates_have_no_label(studies):
    known = studies.tasks(60, target="tie")
    planned = studies.cell("equivalent", known, gates=(replace(studies.RATE, lower=0.5),))
    audit = studies.run(studies.plan([planned], known), studies.trials(planned, ["tie"] * 120))
    assert audit.joint == ()
