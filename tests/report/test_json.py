"""The JSON report: schema 1, standard, whole or not at all."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from pytest_judgeaudit.records.audits import Answers, Audit
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.report.json import to_json, write

# DESIGN 5.
TOP = """schema state exit protocol answers configurations cells gates joint trials contrasts risk ladders
contexts floors spreads noise designs means exclusions predictions agents grades claims left_out
claim_volumes findings"""
KEYS = {
    "protocol": "sha256 state frozen_at",
    "answers": "hit stale missing asked unused",
    "configurations": """judge family api requested served served_as_requested calls invalid invalid_rate
    state reasons usage""",
    "cells": """eval judge criterion arm stratum tasks calls counts estimate macro dc upper lower
    lower_checked interval p_raw p_holm warnings by_order patterns subsets""",
    "gates": """id kind eval judge criterion arm state threshold bound tasks p_holm family expected
    statement reasons""",
    "joint": "study judge criterion label",
    "trials": "cell task order replicate winner digest",
    "findings": "code where symptom check",
}


def audited(studies):
    known = {name: replace(task, family="tpl") for name, task in studies.tasks(60).items()}
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    observed = studies.copies(cells[0], adverse=1) + studies.scored(cells[1], [2] * 60)
    return studies.run(studies.plan(cells, known), observed, answers=Answers(hit=180))


def strict(text):
    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def test_every_key_of_the_schema_is_there(studies):
    report = strict(to_json(audited(studies)))
    assert list(report) == TOP.split()
    assert report["schema"] == 1
    for section, keys in KEYS.items():
        entry = report[section][0] if isinstance(report[section], list) else report[section]
        assert set(keys.split()) <= set(entry), section
    assert set(report["configurations"][0]["usage"]) == {"prompt", "completion", "unknown_calls"}
    assert set(report["gates"][0]["family"]) == {"name", "m", "members"}
    assert set(report["cells"][1]["patterns"]) == {"tie", "stable", "position", "one_sided", "invalid"}


def test_what_no_judge_of_answers_was_asked_about_is_there_and_empty(studies):
    report = strict(to_json(audited(studies)))
    assert (report["floors"], report["spreads"], report["noise"], report["grades"]) == ([], [], {}, [])


def test_numbers_keep_their_full_precision(studies):
    audit = audited(studies)
    report = strict(to_json(audit))
    assert report["cells"][0]["upper"] == audit.cells[0].upper
    assert report["cells"][1]["lower_checked"] == audit.cells[1].lower_checked
    assert report["cells"][1]["interval"] == list(audit.cells[1].interval)


def test_one_trial_is_one_line(studies):
    lines = to_json(audited(studies)).splitlines()
    assert sum('"task": "t00' in line for line in lines) == 30
    assert json.loads(next(line for line in lines if '"digest"' in line).rstrip(","))["winner"] == "first"


def test_what_no_json_number_holds_is_null(studies):
    audit = audited(studies)
    odd = replace(audit.cells[0], upper=math.nan, estimate=math.inf, interval=(0.0, math.nan))
    cell = strict(to_json(replace(audit, cells=(odd,))))["cells"][0]
    assert (cell["upper"], cell["estimate"], cell["interval"]) == (None, None, [0.0, None])
    assert cell["dc"] == audit.cells[0].dc


def test_lone_surrogates_are_escaped_and_survive(studies):
    known = studies.tasks(1, prefix="\ud800Ж")
    planned = studies.cell("clone", known)
    text = to_json(studies.run(studies.plan([planned], known), studies.copies(planned)))
    assert text.isascii()
    assert json.loads(text)["trials"][0]["task"] == "\ud800Ж000"


def test_an_empty_audit_is_a_report():
    assert strict(to_json(Audit(state="hold")))["cells"] == []


def test_a_report_is_written_with_its_folder_and_replaces_an_older_one(tmp_path):
    path = tmp_path / "sub" / "report.json"
    write(path, "{}\n")
    write(path, '{"a": "é"}\n')
    assert path.read_bytes() == b'{"a": "\xc3\xa9"}\n'
    assert list(path.parent.iterdir()) == [path]


def test_a_report_that_cannot_be_written_is_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Refused) as caught:
        write(tmp_path / "file" / "report.json", "{}")
    assert "\n" not in str(caught.value)
    assert str(tmp_path / "file" / "report.json") in str(caught.value)
    assert "could not be written" in str(caught.value)


def test_a_folder_in_the_reports_place_is_refused_and_leaves_no_draft(tmp_path):
    (tmp_path / "report.json").mkdir()
    with pytest.raises(Refused):
        write(tmp_path / "report.json", "{}")
    assert [file.name for file in tmp_path.iterdir()] == ["report.json"]
