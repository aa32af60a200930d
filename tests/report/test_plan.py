"""The plan as it is read."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace

from pytest_judgeaudit.records.audits import Answers
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.report.layout import LONG
from pytest_judgeaudit.report.plan import CAUTION, render
from pytest_judgeaudit.report.text import cells_wide


def text(plan, **options):
    return [line.text for line in render(plan, **options)]


def clones(studies, count, **changes):
    known = studies.tasks(count)
    cells = [studies.cell("clone", known, **changes)]
    return studies.plan(cells, known, judges=[studies.judge(identity="served")])


def test_a_battery_that_is_too_small_is_announced_with_the_size_it_needs(studies):
    assert text(clones(studies, 20), width=100) == [
        "PLAN · 20 calls · 1 gate, 1 of them cannot pass",
        "calls",
        "  judge  study                calls  stored  to ask  tokens to pay for",
        "  qwen   evals/test_study.py     20       –      20            unknown",
        "gates, and their chance to pass at a true adverse rate of",
        "  gate                 test         tasks  family  passes                  0 %  0.5 %   1 %   2 %",
        "  clone  qwen neutral  test_copies     20       1  never, needs 59 tasks  0.00   0.00  0.00  0.00",
        *textwrap.wrap(CAUTION, 100),
    ]


def test_the_size_stands_as_a_number_of_its_own(studies):
    shown = "\n".join(text(clones(studies, 20)))
    assert re.search(r"(?<![\d.,:])59(?![\d,:]|\.\d)", shown)
    assert re.search(r"(?<![\d.,:])20(?![\d,:]|\.\d)", shown)


def test_stored_answers_are_not_asked_again(studies):
    shown = text(
        clones(studies, 93),
        width=120,
        known={("evals/test_study.py", "qwen"): Answers(hit=90)},
        usage={"qwen": Usage(prompt=9000, completion=900)},
    )
    assert shown[0] == "PLAN · 93 calls, 3 of them to ask · 1 gate"
    assert "  qwen   evals/test_study.py     93      90       3           300 + 30" in shown
    assert any("with up to 1 adverse" in line for line in shown)


def test_judges_in_the_process_are_not_asked(studies):
    known = studies.tasks(60)
    shown = text(studies.plan([studies.cell("clone", known)], known), width=120)
    assert any(line.split()[-3:] == ["–", "none", "–"] for line in shown)


def test_other_gates_have_no_chances(studies):
    known = studies.tasks(10)
    shown = text(studies.plan([studies.cell("signal", known)], known), width=120)
    assert "gates" in shown
    assert any("never, needs 11 tasks" in line for line in shown)
    assert "can pass is not will pass" not in "\n".join(shown)


def test_a_part_is_not_evaluated(studies):
    known = studies.tasks(60)
    cell = studies.cell("clone", known)
    shown = text(studies.plan([replace(cell, selected=cell.selected[:7])], known), width=120)
    assert any("7 of 60" in line and "not evaluated: a part" in line for line in shown)


def test_faults_of_the_plan_are_shown(studies):
    known = studies.tasks(60)
    other = replace(studies.CLONE, confidence=0.99)
    cells = [studies.cell("clone", known), studies.cell("clone", known, test="test_b", gates=(other,))]
    assert any("expected one" in line for line in text(studies.plan(cells, known), width=120))


def test_forty_lines_are_enough_for_any_plan(studies):
    known = studies.tasks(20)
    cells = [studies.cell(arm, known, judge=f"j{i}") for i in range(60) for arm in ("clone", "signal")]
    planned = studies.plan(cells, known)
    for width in (80, 120):
        shown = text(planned, width=width)
        assert len(shown) <= LONG
        assert max(map(cells_wide, shown)) <= width
    assert "more gates (-v shows all)" in "\n".join(shown)
    assert len(text(planned, verbose=True)) > 120


def test_an_empty_plan_has_one_line():
    assert text(Plan()) == ["PLAN · 0 calls · 0 gates"]
