"""The schema for editors: as the reader has it, right about every example, strict about keys."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import tomli

from pytest_judgeaudit.corpora.question_rows import FACT_KEYS, GRADERS, KEYS
from pytest_judgeaudit.corpora.question_schema import questions_schema
from pytest_judgeaudit.corpora.questions import load_questions
from pytest_judgeaudit.grade.matching import MATCHERS
from pytest_judgeaudit.records.errors import Refused

ROOT = Path(__file__).parents[2]
TEXT = files("pytest_judgeaudit.corpora").joinpath("questions.schema.json").read_text(encoding="utf-8")
CHECKER = jsonschema.Draft7Validator(json.loads(TEXT))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def examples():
    """Every question file that is written down here: in pages and as files."""
    for page in PAGES:
        blocks = re.findall(r"^( *)```toml\n(.*?)^ *```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        for number, (indent, text) in enumerate(blocks, start=1):
            table = tomli.loads(re.sub(f"^{indent}", "", text, flags=re.MULTILINE))
            if "question" in table:
                yield pytest.param(table, id=f"{page.stem}-{number}")
    for file in sorted((ROOT / "corpora").rglob("questions.toml")):
        yield pytest.param(tomli.loads(file.read_text(encoding="utf-8")), id=file.parent.name)


EXAMPLES = list(examples())
MATCH = {"type": "literal", "value": "x"}
FACT = {"id": "f", "match": MATCH}
ROW = {"id": "q", "prompt": "What?", "class": "lookup", "fact": [FACT]}

VALUES = {"any-of": ["x", "y"], "all-of": ["x"], "near": ["x", "y"]}
ACCEPTED = {
    "plain": ROW,
    **{
        kind: {**ROW, "fact": [{**FACT, "match": {"type": kind, "value": VALUES.get(kind, "x")}}]}
        for kind in MATCHERS
    },
    "within": {**ROW, "fact": [{**FACT, "match": {"type": "near", "value": ["x", "y"], "within": 0}}]},
    "flags": {**ROW, "fact": [{**FACT, "match": {"type": "regex", "value": "x", "flags": ""}}]},
    "asserted": {**ROW, "fact": [{**FACT, "match": {**MATCH, "asserted": True}}]},
    "optional": {**ROW, "fact": [FACT, {**FACT, "id": "g", "must": False, "desc": "d", "_note": 1}]},
    "notes": {**ROW, "_note": 1, "$x": 2},
    "evidence": {**ROW, "evidence": ["a.py:1-2", "b.py", {"file": "c.py", "line": 3, "contains": "x"}]},
    "retired": {**ROW, "retired": {"on": "2026-01-31", "why": "moved"}},
    "texts": {**ROW, "genre": "g", "category": "c", "difficulty": "d", "label": "l", "leak_terms": ["t"]},
    "abstain": {"id": "q", "prompt": "?", "class": "abstain", "forbidden": [FACT], "markers": ["no idea"]},
    "graders": {"id": "q", "prompt": "?", "class": "lookup", "grader": {"type": "path", "gt": "a.py"}},
    "source": {
        "id": "q",
        "prompt": "?",
        "cls": "lookup",
        "checklist": [FACT],
        "provenance": {"evidence": []},
    },
}
REFUSED = {
    "key": {**ROW, "promt": "x"},
    "fact key": {**ROW, "fact": [{**FACT, "mach": MATCH}]},
    "match key": {**ROW, "fact": [{**FACT, "match": {**MATCH, "vlaue": "x"}}]},
    "matcher": {**ROW, "fact": [{**FACT, "match": {"type": "litteral", "value": "x"}}]},
    "no value": {**ROW, "fact": [{**FACT, "match": {"type": "literal"}}]},
    "blank value": {**ROW, "fact": [{**FACT, "match": {"type": "literal", "value": " "}}]},
    "list": {**ROW, "fact": [{**FACT, "match": {"type": "literal", "value": ["x"]}}]},
    "text": {**ROW, "fact": [{**FACT, "match": {"type": "any-of", "value": "x"}}]},
    "three": {**ROW, "fact": [{**FACT, "match": {"type": "near", "value": ["x", "y", "z"]}}]},
    "wide": {**ROW, "fact": [{**FACT, "match": {"type": "near", "value": ["x", "y"], "within": 10**6}}]},
    "must": {**ROW, "fact": [{**FACT, "must": "yes"}]},
    "no id": {key: value for key, value in ROW.items() if key != "id"},
    "no class": {key: value for key, value in ROW.items() if key != "class"},
    "grader": {**ROW, "grader": "cheklist"},
    "no reason": {**ROW, "retired": {"on": "2026-01-31"}},
    "evidence": {**ROW, "evidence": "a.py:1"},
    "blank": {**ROW, "prompt": ""},
}


def read(folder: Path, document: object) -> bool:
    """Whether the reader takes a document."""
    (folder / "q.json").write_text(json.dumps(document), encoding="utf-8")
    try:
        load_questions("q.json", root=folder)
    except Refused:
        return False
    return True


def test_the_file_is_what_the_reader_gives():
    made = json.dumps(questions_schema(), indent=1) + "\n"
    assert made == TEXT, "write it anew: python -m pytest_judgeaudit.corpora.question_schema"


def test_a_command_writes_it():
    done = subprocess.run(
        [sys.executable, "-m", "pytest_judgeaudit.corpora.question_schema"], capture_output=True, check=True
    )
    assert done.stdout.decode("utf-8").replace("\r\n", "\n") == TEXT


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(json.loads(TEXT))


def test_there_are_examples():
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("table", EXAMPLES)
def test_every_example_is_accepted(table):
    assert [error.message for error in CHECKER.iter_errors(table)] == []


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_the_reader_takes_is_accepted(tmp_path, name):
    row = ACCEPTED[name]
    assert read(tmp_path, [row])
    assert [error.message for error in CHECKER.iter_errors({"question": [row]})] == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_reader_refuses_is_refused(tmp_path, name):
    row = REFUSED[name]
    assert not read(tmp_path, [row])
    assert not CHECKER.is_valid({"question": [row]})


@pytest.mark.parametrize(
    "document", [[ROW], {"questions": [ROW]}, {"set": "s", "version": "1", "questions": [ROW], "_note": 1}]
)
def test_the_forms_of_a_json_file_are_accepted(tmp_path, document):
    assert read(tmp_path, document)
    assert CHECKER.is_valid(document)


@pytest.mark.parametrize(
    "document", [3, {}, {"question": 3}, {"qestion": [ROW]}, {"questions": [ROW], "sett": "s"}]
)
def test_what_is_no_question_file_is_refused(tmp_path, document):
    assert not read(tmp_path, document)
    assert not CHECKER.is_valid(document)


def test_every_key_grader_and_matcher_is_proposed():
    defs = json.loads(TEXT)["$defs"]
    assert set(KEYS) <= set(defs["question"]["properties"])
    assert set(FACT_KEYS) == set(defs["fact"]["properties"])
    assert defs["match"]["properties"]["type"]["enum"] == list(MATCHERS)
    assert defs["question"]["properties"]["grader"]["anyOf"][0]["enum"] == list(GRADERS)
