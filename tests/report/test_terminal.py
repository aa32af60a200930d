"""The section of pytest's summary, as it is read."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.records.audits import Answers, Audit
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.report.terminal import LONG, render
from pytest_judgeaudit.report.text import cells_wide

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202e\ud800\r\n"
MARKUP = {"bold", "red", "yellow", "green"}


def text(audit, **options):
    return [line.text for line in render(audit, **options)]


def study(studies, right=2):
    """One judge behind a service, 60 copies and 60 signal pairs, 20 of them right in so many orders."""
    known = studies.tasks(60, subsets=("Math", "Safety"))
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    spent = {"served": "m-5", "answer": "asked", "prompt_tokens": 100, "completion_tokens": 7}
    observed = studies.copies(cells[0], **spent) + studies.scored(
        cells[1], [2] * 40 + [right] * 20, **spent
    )
    judge = studies.judge(api="openai", identity="served", requested="m-5")
    planned = studies.plan(cells, known, judges=[judge])
    return studies.run(planned, observed, answers=Answers(asked=180))


def test_a_clean_run_at_120_columns(studies):
    assert text(study(studies), width=120) == [
        "PASS · 2 gates: 2 PASS · protocol unfrozen",
        "configurations",
        "  judge  state  served              calls  invalid          tokens",
        "  qwen   OK     m-5 (as requested)    180        0  18,000 + 1,260",
        "cells",
        "                adverse   upper  adj. p  clone  utility   lower  signal  joint label",
        "  qwen neutral     0/60  4.87 %  0.0461  PASS     100 %  95.1 %  PASS    both gates pass",
        "warnings: degenerate in 1 cell (constant outcomes observed)",
        "answers: 0 hit, 0 stale, 0 missing, 180 asked",
    ]


def test_a_missed_gate_at_80_columns(studies):
    lines = list(render(study(studies, right=0), width=80))
    assert [line.text for line in lines] == [
        "MISS · 2 gates: 1 PASS, 1 MISS · protocol unfrozen",
        "configurations",
        "  judge  state  served  calls  invalid          tokens",
        "  qwen   OK     m-5       180        0  18,000 + 1,260",
        "cells",
        "                adverse   upper  adj. p  utility   lower  gates",
        "  qwen neutral     0/60  4.87 %  0.0461   66.7 %  58.8 %  clone gate only",
        "where gates missed",
        "  qwen neutral signal: 20 adverse tasks; weakest subset Safety: 20/60 right",
        "    pytest --judge-audit --judge-show=t040 (or t041, t042)",
        "answers: 0 hit, 0 stale, 0 missing, 180 asked",
    ]
    assert lines[0].markup == {"bold": True, "red": True}
    assert lines[6].markup == {"red": True}


def test_a_held_run_shows_its_reason_and_no_number(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned, invalid=7))
    assert text(audit, width=100) == [
        "HOLD · 1 gate: 1 HOLD · protocol unfrozen",
        "configurations",
        "  judge  state  served                 calls     invalid  tokens",
        "  qwen   HOLD   qwen (in the process)     60  7 (11.7 %)       –",
        "cells",
        "                adverse  upper  adj. p  clone  joint label",
        "  qwen neutral        –      –       –  HOLD   HOLD",
        "findings",
        "  invalid-outputs: qwen in evals/test_study.py: HOLD: 7 of 60 outputs are no verdict (11.7 %, at",
        "    most 1 % may be): 7 × the output is no verdict → check the raw answers (--judge-show TASK); none",  # noqa: E501
        "    is asked for again because of what it says: another parser, template or decoder is another",
        "    instrument",
        "answers: 0 hit, 0 stale, 0 missing, 0 asked",
    ]


def test_what_was_not_evaluated_is_not_called_a_pass(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    planned = replace(planned, selected=planned.selected[:3])
    audit = studies.run(studies.plan([planned], known), studies.copies(planned))
    assert audit.state == "pass"
    assert text(audit)[0] == "PARTIAL · 1 gate: 1 PARTIAL · protocol unfrozen"
    assert text(Audit(state="pass"))[0] == "NO GATE · no gate was run · protocol unfrozen"


def test_a_known_bad_judge_that_misses_is_as_expected(studies):
    known = studies.tasks(90)
    cells = [studies.cell(arm, known) for arm in ("clone", "signal")]
    observed = studies.copies(cells[0], adverse=90) + studies.scored(cells[1], [1] * 90)
    judges = [studies.judge(expect="uncertified")]
    lines = list(render(studies.run(studies.plan(cells, known, judges=judges), observed), width=120))
    assert lines[0].text == "PASS · 2 gates: 2 MISS (2 as expected) · protocol unfrozen"
    row = next(line for line in lines if "90/90" in line.text)
    assert row.text.endswith("neither (expected)")
    assert row.markup == {}


def test_other_cells_and_gates_have_lines_of_their_own(studies):
    known = studies.tasks(60, target="tie")
    equivalent = studies.cell("equivalent", known, gates=(replace(studies.RATE, lower=0.5),))
    edge = studies.cell("clone", ["e0", "e1"], stratum="empty", gates=())
    rate = studies.cell(
        "all", [f"x{i}" for i in range(40)], judge=None, criterion=None, gates=(studies.RATE,)
    )
    observed = studies.trials(equivalent, ["first", "second"] * 3 + ["tie"] * 114)
    observed += studies.copies(edge, adverse=2)
    observed += [
        studies.trial(rate, p, None, outcome="adverse" if i < 2 else "success")
        for i, p in enumerate(rate.declared)
    ]
    shown = text(studies.run(studies.plan([equivalent, edge, rate], known), observed), width=120)
    start = shown.index("other cells and gates")
    equivalents, edges, rates = shown[start + 1 : start + 4]
    assert equivalents.split("  ")[1:] == [
        "qwen neutral",
        "test_equivalents",
        "3/60 adverse, 57 tie, 3 position",
        "bound 87.6 %, limit 50 %",
        "PASS",
    ]
    assert edges == "  qwen neutral  test_copies       2/2 empty copies adverse"
    assert rates.split() == [
        "test_any",
        "38/40",
        "succeed",
        "bound",
        "85.1",
        "%,",
        "limit",
        "75",
        "%",
        "PASS",
    ]
    assert "cells" not in shown


def test_studies_are_named_where_a_judge_is_in_several(studies):
    known = studies.tasks(60)
    paths = ("evals/test_a.py", "evals/test_b.py")
    cells = [studies.cell("clone", known, study=path, eval=f"{path}::test_copies") for path in paths]
    observed = [trial for cell in cells for trial in studies.copies(cell)]
    shown = text(studies.run(studies.plan(cells, known), observed), width=120)
    rows = [line for line in shown if "0/60" in line]
    assert ["test_a" in rows[0], "test_b" in rows[1]] == [True, True]


def test_several_tests_of_one_arm_are_told_apart(studies):
    known = studies.tasks(102)
    cells = [studies.cell("clone", known), studies.cell("clone", known, test="test_other")]
    observed = [trial for cell in cells for trial in studies.copies(cell)]
    shown = text(studies.run(studies.plan(cells, known), observed), width=120)
    assert any("qwen neutral test_copies" in line for line in shown)
    assert any("qwen neutral test_other" in line for line in shown)


def crowd(studies, judges, *, invalid=0, adverse=0):
    """Many judges, each with copies, signal pairs, equivalents and edges, all worth a finding."""
    known = {name: replace(task, family="tpl") for name, task in studies.tasks(20).items()}
    cells, observed = [], []
    for i in range(judges):
        name = f"judge-{i}"
        gates = {"equivalent": (studies.RATE,)}
        mine = [
            studies.cell(arm, known, judge=name, **({"gates": gates[arm]} if arm in gates else {}))
            for arm in ("clone", "equivalent", "signal")
        ]
        edge = studies.cell("clone", ["e0"], judge=name, stratum="empty", gates=())
        cells += [*mine, edge]
        observed += studies.copies(mine[0], adverse=adverse, invalid=invalid if i == judges - 1 else 0)
        observed += studies.trials(mine[1], ["tie"] * 40) + studies.scored(mine[2], [2] * 20)
        observed += studies.copies(edge, adverse=1)
    return studies.run(studies.plan(cells, known), observed)


@pytest.mark.parametrize("judges", [1, 3, 12, 120])
@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_section_has_forty_lines_at_most_and_fits_its_width(studies, judges, width):
    shown = text(crowd(studies, judges), width=width)
    assert len(shown) <= LONG
    assert max(map(cells_wide, shown)) <= width


def test_what_is_left_out_is_counted(studies):
    shown = "\n".join(text(crowd(studies, 120), width=120))
    assert "… and " in shown
    assert "more configurations (-v shows all)" in shown
    assert "more cells (-v shows all)" in shown


def test_verbose_shows_everything(studies):
    audit = crowd(studies, 30)
    shown = text(audit, width=120, verbose=True)
    assert "-v shows all" not in "\n".join(shown)
    assert all(any(line.startswith(f"  judge-{i} ") for line in shown) for i in range(30))
    assert sum("underpowered" in line for line in shown) == 30


def test_what_is_wrong_is_left_out_last(studies):
    shown = text(crowd(studies, 60, invalid=9), width=120)
    assert any(line.startswith("  judge-59") and "HOLD" in line for line in shown)
    assert any("HOLD: 9 of 100 outputs" in line for line in shown)


def test_findings_of_one_code_are_said_once(studies):
    shown = " ".join(" ".join(text(crowd(studies, 4), width=120)).split())
    assert shown.count("underpowered:") == 1
    assert "(and 3 more: " in shown


def test_held_and_flagged_findings_come_first(studies):
    notes = [
        Finding(code="note", where="a", symptom="first in time", check="c"),
        Finding(code="weak-subset", where="b", symptom="weak", check="c"),
        Finding(code="missing", where="c", symptom="HOLD: a hole", check="c"),
    ]
    shown = text(Audit(state="pass", findings=tuple(notes)), width=80)
    start = shown.index("findings")
    assert shown[start + 1 : start + 4] == [
        "  missing: c: HOLD: a hole → check c",
        "  weak-subset: b: weak → check c",
        "  note: a: first in time → check c",
    ]


@pytest.mark.parametrize("verbose", [False, True])
def test_foreign_text_never_controls_the_terminal(studies, verbose):
    known = studies.tasks(3, prefix=HOSTILE, subsets=(HOSTILE,))
    name = f"j{HOSTILE}"
    planned = studies.cell("clone", known, judge=name, criterion=HOSTILE, test=HOSTILE, variant=HOSTILE)
    judge = studies.judge(name, identity="served", requested=HOSTILE)
    observed = studies.copies(planned, invalid=1, served=HOSTILE, answer="asked")
    observed[0] = replace(observed[0], reason=HOSTILE * 50)
    note = Finding(code=HOSTILE, where=HOSTILE, symptom=HOSTILE, check=HOSTILE)
    audit = studies.run(studies.plan([planned], known, judges=[judge]), observed, notes=[note])
    for line in render(audit, width=100, verbose=verbose):
        assert not [c for c in line.text if unicodedata.category(c)[0] == "C"], line.text
        line.text.encode("utf-8")


@settings(max_examples=60, deadline=None)
@given(symptom=st.text(st.characters(exclude_categories=()), max_size=300), width=st.integers(1, 200))
def test_any_text_at_any_width_is_shown_safely(symptom, width):
    finding = Finding(code="x", where=symptom, symptom=symptom, check=symptom)
    lines = list(render(Audit(state="miss", findings=(finding,)), width=width))
    assert len(lines) <= LONG
    assert all(unicodedata.category(c)[0] != "C" for line in lines for c in line.text)


def test_markup_is_what_a_terminal_writer_knows(studies):
    for audit in (study(studies), study(studies, right=0), crowd(studies, 3)):
        for line in render(audit, width=80):
            assert set(line.markup) <= MARKUP
            assert not line.text.startswith("=")


def test_unused_and_recovered_answers_are_said(studies):
    audit = replace(study(studies), answers=Answers(hit=1200, recovered=3, unused=2))
    assert text(audit)[-1] == "answers: 1,200 hit, 0 stale, 0 missing, 0 asked, 3 recovered, 2 unused"


@pytest.mark.parametrize(
    ("identity", "served", "words"),
    [
        ("served", "m-6", "m-6 (requested m-5)"),
        ("served", None, "not stated (requested m-5)"),
        ("undeclared log", None, "declared by the log"),
        ("construction", None, "m-5 (in the process)"),
    ],
)
def test_the_served_model_is_what_was_declared(studies, identity, served, words):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    judge = studies.judge(identity=identity, requested="m-5")
    observed = studies.copies(planned, served=served)
    shown = text(studies.run(studies.plan([planned], known, judges=[judge]), observed), width=120)
    assert words in shown[3]


def test_unknown_usage_is_not_zero(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    observed = studies.copies(planned, answer="hit", served="m-5")
    judge = studies.judge(identity="served", requested="m-5")
    audit = studies.run(studies.plan([planned], known, judges=[judge]), observed)
    assert text(audit, width=120)[3].endswith("unknown")
