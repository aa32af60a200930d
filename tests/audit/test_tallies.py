"""What counts as what: calls, tasks, orders and the strictest reading of each."""

from __future__ import annotations

from dataclasses import replace

import pytest


def only(studies, planned, known, observed):
    (cell,) = studies.run(studies.plan([planned], known), observed).cells
    return cell


def test_the_counts_of_a_signal_cell_add_up_to_its_calls(studies):
    known = studies.tasks(100)
    planned = studies.cell("signal", known)
    winners = ["first"] * 178 + ["tie"] * 3 + ["second"] * 18 + ["invalid"]
    cell = only(studies, planned, known, studies.trials(planned, winners))
    assert cell.counts == {"correct": 178, "tie": 3, "wrong": 18, "invalid": 1, "adverse": 22}
    assert cell.estimate == pytest.approx(0.89)


def test_an_invalid_output_is_adverse_and_never_a_tie(studies):
    known = studies.tasks(104)
    planned = studies.cell("clone", known)
    cell = only(studies, planned, known, studies.copies(planned, adverse=2, invalid=1))
    assert cell.counts == {"correct": 101, "tie": 101, "wrong": 2, "invalid": 1, "adverse": 3}
    assert (cell.estimate, cell.dc) == (pytest.approx(3 / 104), pytest.approx(2 / 104))


def test_a_weak_assertion_never_hides_a_non_tie(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    observed = [replace(trial, outcome="success") for trial in studies.copies(planned, adverse=10)]
    audit = studies.run(studies.plan([planned], known), observed)
    assert audit.cells[0].counts["adverse"] == 10
    (finding,) = [finding for finding in audit.findings if finding.code == "assertion-disagrees"]
    assert "disagree in 10 trials: t000 AB, t001 AB" in finding.symptom
    assert finding.where == "test_copies qwen-neutral"


def test_a_strict_assertion_makes_a_tie_adverse(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    observed = studies.copies(planned)
    observed[0] = replace(observed[0], outcome="adverse")
    cell = only(studies, planned, known, observed)
    assert (cell.counts["tie"], cell.counts["correct"], cell.counts["adverse"]) == (60, 59, 1)
    assert cell.dc == 0


def test_a_signal_call_needs_its_target_and_its_assertion(studies):
    known = studies.tasks(30)
    planned = studies.cell("signal", known)
    observed = studies.scored(planned, [2] * 30)
    observed[0] = replace(observed[0], outcome="adverse")
    observed[3] = replace(observed[3], winner="second")
    audit = studies.run(studies.plan([planned], known), observed)
    assert audit.cells[0].counts["correct"] == 58
    (finding,) = [finding for finding in audit.findings if finding.code == "assertion-disagrees"]
    assert "t000 AB, t001 BA" in finding.symptom


def test_the_target_is_a_content_and_not_a_slot(studies):
    known = {name: replace(task, target="second") for name, task in studies.tasks(30).items()}
    planned = studies.cell("signal", known)
    observed = [
        replace(trial, winner="second", outcome="success") for trial in studies.scored(planned, [0] * 30)
    ]
    assert only(studies, planned, known, observed).estimate == 1.0


def test_replicates_of_a_copy_are_one_task_that_is_adverse_if_any_is(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known, replicates=3)
    winners = ["tie", "first", "tie"] + ["invalid", "tie", "tie"] + ["tie"] * 174
    cell = only(studies, planned, known, studies.trials(planned, winners))
    assert (cell.tasks, cell.calls) == (60, 180)
    assert cell.counts["adverse"] == 2
    assert (cell.estimate, cell.dc) == (pytest.approx(2 / 60), pytest.approx(1 / 60))


def test_an_equivalent_task_is_adverse_if_either_order_is(studies):
    known = studies.tasks(60, target="tie")
    planned = studies.cell("equivalent", known)
    winners = ["tie", "first"] + ["invalid", "tie"] + ["first", "second"] + ["tie"] * 114
    cell = only(studies, planned, known, studies.trials(planned, winners))
    assert (cell.counts["adverse"], cell.estimate) == (3, pytest.approx(0.05))
    assert cell.patterns == {"tie": 57, "stable": 0, "position": 1, "one_sided": 1, "invalid": 1}
    assert cell.by_order == {"AB": pytest.approx(58 / 60), "BA": pytest.approx(58 / 60)}
    assert (cell.upper, cell.p_raw, cell.lower) == (None, None, None)


def test_success_is_shown_by_order(studies):
    known = studies.tasks(102)
    planned = studies.cell("signal", known)
    # 19 tasks right when shown AB only, 9 when shown BA only, 70 in both (RULES 4).
    observed = studies.trials(
        planned,
        ["first", "second"] * 19 + ["second", "first"] * 9 + ["first", "first"] * 70 + ["second"] * 8,
    )
    cell = only(studies, planned, known, observed)
    assert cell.by_order == {"AB": pytest.approx(0.873, abs=6e-4), "BA": pytest.approx(0.775, abs=6e-4)}


def test_one_order_has_no_patterns_and_says_so(studies):
    known = studies.tasks(40)
    planned = studies.cell("signal", known, orders=("AB",))
    audit = studies.run(studies.plan([planned], known), studies.trials(planned, ["first"] * 40))
    assert audit.cells[0].patterns == {}
    assert [f.symptom for f in audit.findings if f.code == "one-order"] == [
        "one order: position not measured"
    ]


def test_each_subset_has_its_tasks_calls_and_mean(studies):
    known = studies.tasks(30, subsets=("Math", "Safety", "Ties"))
    planned = studies.cell("signal", known)
    cell = only(studies, planned, known, studies.scored(planned, [2] * 10 + [1] * 10 + [0] * 10))
    assert cell.subsets == (
        {"name": "Math", "tasks": 10, "calls": 20, "aligned": 20, "estimate": 1.0},
        {"name": "Safety", "tasks": 10, "calls": 20, "aligned": 10, "estimate": 0.5},
        {"name": "Ties", "tasks": 10, "calls": 20, "aligned": 0, "estimate": 0.0},
    )
    assert cell.macro == pytest.approx(0.5)


def test_a_task_without_a_subset_is_in_the_stratum_of_none(studies):
    known = {name: replace(task, subset="") for name, task in studies.tasks(20).items()}
    planned = studies.cell("signal", known)
    cell = only(studies, planned, known, studies.scored(planned, [2] * 20))
    assert [subset["name"] for subset in cell.subsets] == ["(none)"]


def warned(studies, sizes, right=2, **known):
    names = [f"s{i}" for i in range(len(sizes))]
    made = studies.strata_tasks([(0, 0, size) for size in sizes], names)
    made = {name: replace(task, **known) for name, task in made.items()}
    planned = studies.cell("signal", made)
    rights = [right] * (len(made) - 1) + [0]
    audit = studies.run(studies.plan([planned], made), studies.scored(planned, rights))
    return audit.cells[0].warnings, audit


@pytest.mark.parametrize(
    ("sizes", "warnings"),
    [
        ([39], {"few-tasks"}),
        ([40], set()),
        ([31, 9], {"small-strata"}),
        ([30, 10], set()),
        ([10] * 30, set()),
        ([5] * 10, {"small-strata"}),
    ],
)
def test_small_cells_are_warned_about(studies, sizes, warnings):
    assert set(warned(studies, sizes)[0]) == warnings


def test_constant_outcomes_are_degenerate(studies):
    known = studies.tasks(40)
    planned = studies.cell("signal", known)
    cell = only(studies, planned, known, studies.scored(planned, [1] * 40))
    assert cell.warnings == ("degenerate",)
    assert cell.lower == cell.estimate == 0.5


def test_a_cell_between_its_two_bounds_is_bound_sensitive(studies):
    known = studies.tasks(10)
    planned = studies.cell("signal", known)
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, [2] * 10))
    assert "bound-sensitive" in audit.cells[0].warnings
    (finding,) = [finding for finding in audit.findings if finding.code == "bound-sensitive"]
    assert finding.symptom == (
        "the bootstrap bound 100 % reaches the threshold, the checked bound 74.1 % does not"
    )


def test_few_template_families_are_a_warning_and_a_finding(studies):
    warnings, audit = warned(studies, [40], family="tpl")
    assert warnings == ("few-clusters",)
    (finding,) = [finding for finding in audit.findings if finding.code == "few-clusters"]
    assert "1 template family" in finding.symptom


def test_twenty_template_families_are_enough(studies):
    known = {
        name: replace(task, family=f"f{i % 20}") for i, (name, task) in enumerate(studies.tasks(60).items())
    }
    planned = studies.cell("clone", known)
    assert only(studies, planned, known, studies.copies(planned)).warnings == ()


def test_strata_of_one_task_are_merged_and_named(studies):
    sizes = [30, 1, 1]
    warnings, audit = warned(studies, sizes)
    (finding,) = [finding for finding in audit.findings if finding.code == "merged-strata"]
    assert finding.symptom == "2 strata of one task (s1, s2) count within (singletons) in the bounds"
    assert "small-strata" in warnings
    assert [subset["name"] for subset in audit.cells[0].subsets] == ["s0", "s1", "s2"]


def test_a_lone_stratum_of_one_task_joins_the_smallest_other(studies):
    _, audit = warned(studies, [30, 12, 1])
    (finding,) = [finding for finding in audit.findings if finding.code == "merged-strata"]
    assert finding.symptom == "1 stratum of one task (s2) count within s1 in the bounds"
