"""Laws of the whole analysis: it never raises, a hole is never green, and more harm never helps."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

WINNERS = st.sampled_from(["first", "second", "tie", "invalid", None])
OUTCOMES = st.sampled_from(["success", "adverse", "void"])
QUICK = settings(max_examples=60, deadline=None)


def study(studies, count=6):
    known = studies.tasks(count, subsets=("a", "b"))
    gates = {"equivalent": (studies.RATE,)}
    cells = [
        studies.cell(arm, known, judge=judge, **({"gates": gates[arm]} if arm in gates else {}))
        for judge in ("good", "bad")
        for arm in ("clone", "equivalent", "signal")
    ]
    cells.append(studies.cell("all", known, judge=None, criterion=None, gates=(studies.RATE,)))
    judges = [studies.judge("good", identity="served"), studies.judge("bad", expect="uncertified")]
    return studies.plan(cells, known, judges=judges)


@QUICK
@given(data=st.data())
def test_no_trials_at_all_make_it_raise(studies, data):
    planned = study(studies)
    every = [(cell, presentation) for cell in planned.cells for presentation in cell.declared]
    chosen = data.draw(st.lists(st.sampled_from(every), max_size=150))
    observed = [
        studies.trial(
            cell,
            presentation,
            data.draw(WINNERS),
            outcome=data.draw(OUTCOMES),
            served=data.draw(st.sampled_from([None, "good", "other"])),
            duplicated=data.draw(st.booleans()),
        )
        for cell, presentation in chosen
    ]
    audit = studies.run(planned, observed, interrupted=data.draw(st.booleans()))
    assert len(audit.gates) == 7


@QUICK
@given(data=st.data())
def test_a_gate_with_a_hole_a_repeat_or_a_void_trial_never_passes(studies, data):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    whole = studies.copies(planned)
    index = data.draw(st.integers(0, 59))
    spoiled = data.draw(
        st.sampled_from(
            [
                whole[:index] + whole[index + 1 :],
                [*whole, whole[index]],
                [*whole[:index], replace(whole[index], outcome="void"), *whole[index + 1 :]],
                [*whole[:index], replace(whole[index], winner=None), *whole[index + 1 :]],
            ]
        )
    )
    assert studies.run(studies.plan([planned], known), whole).gates[0].state == "PASS"
    assert studies.run(studies.plan([planned], known), spoiled).gates[0].state == "HOLD"


@QUICK
@given(
    winners=st.lists(st.sampled_from(["tie"] * 40 + ["first", "second"]), min_size=93, max_size=160),
    data=st.data(),
)
def test_one_more_adverse_trial_never_turns_a_miss_into_a_pass(studies, winners, data):
    known = studies.tasks(len(winners))
    planned = studies.cell("clone", known)
    index = data.draw(st.integers(0, len(winners) - 1))
    worse = [*winners[:index], "first", *winners[index + 1 :]]
    before, after = (
        studies.run(studies.plan([planned], known), studies.trials(planned, shown)).gates[0]
        for shown in (winners, worse)
    )
    assert (before.state, after.state) != ("MISS", "PASS")
    assert after.bound >= before.bound


@QUICK
@given(halves=st.lists(st.integers(0, 2), min_size=20, max_size=60))
def test_a_passing_utility_gate_has_both_bounds_at_its_threshold(studies, halves):
    known = studies.tasks(len(halves), subsets=("a", "b"))
    planned = studies.cell("signal", known)
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, halves))
    (cell,), (gate,) = audit.cells, audit.gates
    assert (gate.state == "PASS") == (min(cell.lower, cell.lower_checked) >= 0.75 - 1e-12)
    assert cell.interval[0] <= cell.estimate <= cell.interval[1]
    assert sum(cell.counts[kind] for kind in ("correct", "tie", "wrong", "invalid")) == cell.calls
    assert sum(cell.patterns.values()) == cell.tasks


@QUICK
@given(
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=6),
    sizes=st.lists(st.integers(60, 200), min_size=6, max_size=6),
)
def test_a_clone_gate_that_passes_in_a_family_has_a_bound_within_its_limit(studies, counts, sizes):
    known = studies.tasks(200)
    names = list(known)
    cells = [
        studies.cell("clone", names[:size], criterion=f"c{i}")
        for i, (_, size) in enumerate(zip(counts, sizes, strict=False))
    ]
    observed = [
        trial for cell, k in zip(cells, counts, strict=True) for trial in studies.copies(cell, adverse=k)
    ]
    audit = studies.run(studies.plan(cells, known), observed)
    for gate, cell in zip(audit.gates, audit.cells, strict=True):
        assert cell.p_holm >= cell.p_raw
        assert gate.state == ("PASS" if cell.p_holm <= 1 - 0.95 else "MISS")
        if gate.state == "PASS":
            assert cell.upper <= 0.05


@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize("selected", [False, True])
def test_without_any_trial_declared_gates_are_held(studies, selected, interrupted):
    known = studies.tasks(60)
    cells = [studies.cell(arm, known) for arm in ("clone", "signal")]
    cells = cells if selected else [replace(cell, selected=()) for cell in cells]
    audit = studies.run(studies.plan(cells, known), [], interrupted=interrupted)
    assert (audit.state, audit.exit) == ("hold", 10)
    states = {gate.state for gate in audit.gates}
    assert states == ({"PARTIAL" if interrupted else "HOLD"} if selected else set())
    told = "nothing-evaluated" in [finding.code for finding in audit.findings]
    assert told == (interrupted or not selected)


def test_the_cost_grows_with_the_number_of_trials_and_not_with_its_square(studies):
    def seconds(count):
        known = studies.tasks(count, subsets=tuple("abcdef"))
        cells = [studies.cell(arm, known) for arm in ("clone", "equivalent", "signal")]
        observed = studies.copies(cells[0]) + studies.trials(cells[1], ["tie"] * 2 * count)
        observed += studies.scored(cells[2], [2, 1, 0] * (count // 3))
        planned = studies.plan(cells, known)
        studies.run(planned, observed)
        best = min(_cpu(lambda: studies.run(planned, observed)) for _ in range(5))
        assert len(observed) == 5 * count
        return best

    small, large = seconds(600), seconds(2400)
    # Four times the trials; a quadratic cost would show as sixteen.
    assert large < 10 * small


def _cpu(work):
    started = time.process_time()
    work()
    return time.process_time() - started
