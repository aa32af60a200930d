"""Decisions at their limits, and what a gate says beside its state."""

from __future__ import annotations

from pytest_judgeaudit.records.plans import GateSpec


def rate_gate(studies, outcomes, *, trials=1, **limits):
    """The rate gate of a test without a judge: per unit the number of its trials that succeed."""
    planned = studies.cell(
        "all",
        [f"x{i}" for i in range(len(outcomes))],
        judge=None,
        criterion=None,
        gates=(GateSpec(kind="rate_gate", **limits),),
        replicates=trials,
    )
    observed = [
        studies.trial(
            planned,
            shown,
            None,
            outcome="success" if shown.replicate <= outcomes[int(shown.task[1:])] else "adverse",
        )
        for shown in planned.selected
    ]
    return studies.run(studies.plan([planned], {}), observed).gates[0]


def test_one_success_of_one_reaches_the_bound_that_it_equals(studies):
    # The lower bound of 1 of 1 at 90 % is 0.1.
    gate = rate_gate(studies, [1], lower=0.1, confidence=0.9)
    assert (gate.state, gate.reasons) == ("PASS", ())
