"""What stands under a gate that missed: its weakest subset, tasks, and the command that shows one."""

from __future__ import annotations

from dataclasses import replace

from pytest_judgeaudit.report.lines import cells_wide
from pytest_judgeaudit.report.missed import missed


def study(studies, *, tasks=60, subsets=("Math", "Safety"), **judge):
    """Copies of which the last 30 are preferred to themselves."""
    known = studies.tasks(tasks, subsets=subsets)
    cell = studies.cell("clone", known)
    planned = studies.plan([cell], known, judges=[studies.judge(**judge)])
    return studies.run(planned, studies.copies(cell, adverse=30))


def shown(audit, width=100):
    return [[line.text for line in block.lines] for block in missed(audit, width)]


def renamed(audit, names):
    rows = [{**row, "task": names.get(row["task"], row["task"])} for row in audit.trials]
    return replace(audit, trials=rows)


def test_a_missed_gate_names_its_weakest_subset_and_three_tasks_in_two_lines(studies):
    ((first, second),) = shown(study(studies))
    assert first == "  qwen neutral clone: 30 adverse tasks; weakest subset Math: 0/30 right"
    assert second == "    pytest --judge-audit --judge-show=t000 (or t001, t002)"


def test_a_cell_of_one_subset_has_no_weakest(studies):
    ((first, _),) = shown(study(studies, subsets=("one",)))
    assert first == "  qwen neutral clone: 30 adverse tasks"


def test_a_gate_that_was_expected_to_miss_sends_nobody_looking(studies):
    assert shown(study(studies, expect="uncertified")) == []


def test_the_command_is_quoted_and_never_cut_whatever_a_task_is_called(studies):
    audit = renamed(study(studies), {"t000": "a b;c", "t001": "x" * 90})
    ((first, second),) = shown(audit, width=60)
    assert second == "    pytest --judge-audit --judge-show='a b;c'"
    assert cells_wide(first) <= 60
