"""The published schema: what reports are held to, key for key."""

from __future__ import annotations

import dataclasses
import json
from importlib.resources import files

import jsonschema
import pytest

from pytest_judgeaudit.records import audits, floors
from pytest_judgeaudit.records.audits import Answers, Audit, Protocol
from pytest_judgeaudit.records.claims import Claim, ClaimResult
from pytest_judgeaudit.records.exclusions import LeftOut
from pytest_judgeaudit.records.grounding import ClaimVolume
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.report.json import to_json

SCHEMA = json.loads(files("pytest_judgeaudit.report").joinpath("schema.json").read_text(encoding="utf-8"))
CHECKER = jsonschema.Draft202012Validator(SCHEMA)
NOUNS = {
    "protocol": audits.Protocol,
    "answers": audits.Answers,
    "configuration": audits.Configuration,
    "cell": audits.Cell,
    "gate": audits.Gate,
    "joint": audits.Joint,
    "contrast": audits.Contrast,
    "flip": audits.Flip,
    "studyRisk": audits.StudyRisk,
    "ladder": audits.Ladder,
    "contextEffect": audits.ContextEffect,
    "finding": Finding,
    "agentRecord": audits.AgentRecord,
    "floor": floors.Floor,
    "spread": floors.Spread,
    "noise": floors.Noise,
    "floorRuns": floors.FloorRuns,
    "figure": floors.Figure,
    "design": floors.Design,
    "cellMeans": floors.CellMeans,
    "exclusions": floors.Exclusions,
    "predictionOutcome": floors.PredictionOutcome,
    "claim": Claim,
    "claimResult": ClaimResult,
    "leftOut": LeftOut,
    "claimVolume": ClaimVolume,
}


def written(audit):
    return json.loads(to_json(audit))


@pytest.fixture(scope="module")
def audit(studies):
    """60 copies, one of them adverse, and 60 signal pairs."""
    known = studies.tasks(60)
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    observed = studies.copies(cells[0], adverse=1) + studies.scored(cells[1], [2] * 60)
    return studies.run(studies.plan(cells, known), observed, answers=Answers(hit=180))


def test_it_is_a_schema_itself():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("name", "noun"), NOUNS.items())
def test_it_names_every_key_of_every_entry_and_no_other(name, noun):
    found = SCHEMA["$defs"][name]
    names = [field.name for field in dataclasses.fields(noun)]
    assert (list(found["properties"]), found["required"]) == (names, names)


def test_it_names_every_key_of_a_report_and_of_a_trial(audit):
    report = written(audit)
    assert set(SCHEMA["properties"]) == set(SCHEMA["required"]) == set(report)
    assert set(SCHEMA["$defs"]["trial"]["properties"]) == set(report["trials"][0])


def test_a_report_with_gates_that_pass_and_miss_is_valid(audit):
    CHECKER.validate(written(audit))
    assert {gate.state for gate in audit.gates} == {"MISS", "PASS"}


def test_a_report_on_hold_is_valid(studies):
    known = studies.tasks(60)
    cell = studies.cell("clone", known)
    held = studies.run(studies.plan([cell], known), studies.copies(cell, invalid=30))
    assert held.state == "hold"
    CHECKER.validate(written(held))


def test_a_report_of_a_part_is_valid(studies):
    known = studies.tasks(60)
    cell = studies.cell("signal", known)
    part = dataclasses.replace(cell, selected=cell.selected[:10])
    partial = studies.run(studies.plan([part], known), studies.scored(part, [2] * 5))
    assert [gate.state for gate in partial.gates] == ["PARTIAL"]
    CHECKER.validate(written(partial))


def test_an_empty_report_and_one_with_everything_are_valid(page):
    CHECKER.validate(written(Audit(state="pass", protocol=Protocol(sha256="", frozen_at="2026-01-01"))))
    CHECKER.validate(json.loads(json.dumps(page.report)))


@pytest.mark.parametrize(
    "change",
    [
        {"state": "green"},
        {"schema": 2},
        {"exit": -1},
        {"gates": [{"state": "PASS"}]},
        {"trials": [{"cell": "c"}]},
        {"answers": {"hit": 1}},
    ],
)
def test_what_is_no_report_is_invalid(audit, change):
    assert not CHECKER.is_valid({**written(audit), **change})


def test_a_rate_above_one_and_an_unknown_state_are_invalid(audit):
    report = written(audit)
    for key, value in (("bound", 100.5), ("state", "FAIL"), ("location", ["file"])):
        gate = {**report["gates"][0], key: value}
        assert not CHECKER.is_valid({**report, "gates": [gate]}), key
    cell = {**report["cells"][0], "upper": 1.5}
    assert not CHECKER.is_valid({**report, "cells": [cell]})
