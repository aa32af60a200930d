"""What a report says of rubric scores: for a person in lines, for a program in JSON."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_judgeaudit.audit.comprehension import comprehension
from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.floors import Expectation, Noise, Prediction
from pytest_judgeaudit.report.floored import contrasts, floors
from pytest_judgeaudit.report.json import to_json
from pytest_judgeaudit.report.terminal import render

FILE = Path(__file__).parents[1] / "audit" / "rubric_rows.py"
FAMILIES = {"opus": "claude", "gpt": "gpt"}
NOISE = Noise(
    state="measured", cells=4, total=3.88, by_dimension={"accuracy": 1.93}, chance=0.1127, pair_level=4.96
)
FALLS = Expectation(arm="blind", dimension="total", verb="falls", bound="at least", amount=3.0)


@pytest.fixture(scope="module")
def rubric():
    """The module ``tests/audit/rubric_rows.py``; it lies on no import path."""
    spec = importlib.util.spec_from_file_location("rubric_rows_for_report", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def audited(rubric):
    rows = [
        *rubric.cell(32.0, arm="blind", accuracy={"opus": 18.0, "gpt": 11.0}),
        *rubric.cell(77.0, accuracy={"opus": 23.0, "gpt": 24.0}),
        *rubric.cell(24.0, arm="renamed-blind"),
        *rubric.cell(76.0, arm="renamed-sighted"),
        *rubric.cell(50.0, agent="second"),
    ]
    told = Prediction(id="recall", contrast="rename", text="blind score falls by at least 3", expects=FALLS)
    found = comprehension(rows, families=FAMILIES, run="r", noise=NOISE, predictions=[told])
    return Audit(state="pass", comprehension=found, findings=found.findings)


def texts(blocks):
    return [" ".join(one.text.strip() for one in block.lines) for block in blocks]


def test_a_floor_its_score_and_its_spread_each_have_a_line(audited):
    said = texts(floors(audited, 200))
    assert said[0] == (
        "test_a lending reader: blind floor 32.0 of 100 (opus 35.5, gpt 28.5); sighted 77.0, "
        "66.2% of what is left above it"
    )
    assert (
        'test_a lending second: blind floor not reported: the run has no blind arm; add "blind" to the '
        "marker's arms" in said
    )
    assert (
        "test_a lending reader: accuracy claude − gpt: blind +7.0, sighted -1.0, under-determined" in said
    )
    assert (
        "noise floor: 3.88 points over 4 replicated cells; a contrast of nothing exceeds it in 11% of cases"
        in said
    )
    assert "predicted recall: “blind score falls by at least 3”: hit (-8)" in said


def test_what_is_no_floor_comes_first_and_in_yellow(audited):
    urgent = [block for block in floors(audited, 200) if block.rank == 0]
    (missing,) = urgent
    assert missing.lines[0].markup == {"yellow": True}


def test_a_floor_over_other_questions_than_its_score_says_so(rubric):
    both = {"opus": 30, "gpt": 30}
    asked = [("q1", "blind"), ("q1", "sighted"), ("q2", "sighted")]
    rows = [rubric.row(both, question=name, arm=arm) for name, arm in asked]
    found = comprehension(rows, families=FAMILIES, run="r", noise=NOISE)
    said = texts(floors(Audit(state="pass", comprehension=found), 200))[0]
    assert said.endswith("; over different questions: blind 1, sighted 2, 1 of them in both")


def test_contrasts_are_multiples_of_the_noise(audited):
    (said,) = texts(contrasts(audited, 200))
    assert said.startswith("rename (reader lending, as it is → renamed): rename -8.00 (2.1 × noise), ")
    assert said.endswith("rename sighted -1.00 (within noise)")


def test_a_noise_floor_that_is_not_measured_is_said_to_be_so(rubric):
    found = comprehension(rubric.cell(32.0, arm="blind"), families=FAMILIES, run="r")
    said = texts(floors(Audit(state="pass", comprehension=found), 200))
    assert "noise floor: not measured (nothing was replicated)" in said


def test_the_terminal_shows_them_in_its_room(audited):
    lines = [one.text for one in render(audited, width=100)]
    assert "plausibility floors" in lines
    assert any("blind floor not reported" in one for one in lines)
    assert len(lines) <= 40


def test_text_of_others_cannot_move_the_cursor(rubric):
    rows = rubric.cell(32.0, arm="blind", agent="\x1b[2Jreader")
    audit = Audit(state="pass", comprehension=comprehension(rows, families=FAMILIES, run="r"))
    assert all(one.text.isprintable() for one in render(audit, width=100))


def test_json_holds_the_keys_of_the_design(audited):
    report = json.loads(to_json(audited))
    entry = report["floors"][0]
    assert {
        "corpus", "agent", "run", "judges", "by_dimension", "floor", "adjusted", "verified_blind", "reasons"
    } <= set(entry)  # fmt: skip
    assert set(entry["judges"]) == {"opus", "gpt"}
    assert entry["adjusted"] == {"sighted": pytest.approx((77 - 32) / 68)}
    assert report["spreads"][0]["blind"]["accuracy"] == pytest.approx(7)
    assert report["noise"]["state"] == "measured"
    assert report["designs"][0]["figures"][0]["multiple"] == pytest.approx(8 / 3.88)
    assert report["means"][0]["means"]["pooled"] == pytest.approx(32)
    assert report["exclusions"]["excluded"] == 0
    assert report["predictions"] == [
        {
            "id": "recall",
            "contrast": "rename",
            "expects": "blind score falls by at least 3",
            "outcome": "hit",
            "value": pytest.approx(-8),
            "where": "reader lending as it is → renamed",
            "reason": "",
        }
    ]


def test_without_rubric_scores_the_keys_are_there_and_empty():
    report = json.loads(to_json(Audit(state="pass")))
    names = ("floors", "spreads", "noise", "designs", "means", "exclusions", "predictions")
    assert not any(report[name] for name in names)
    assert "plausibility floors" not in [one.text for one in render(Audit(state="pass"))]


def test_not_measured_is_in_the_json(audited, rubric):
    found = comprehension(rubric.cell(32.0, arm="blind"), families=FAMILIES, run="r")
    report = json.loads(to_json(replace(audited, comprehension=found)))
    assert report["noise"]["state"] == "not measured"
    assert report["noise"]["total"] is None
