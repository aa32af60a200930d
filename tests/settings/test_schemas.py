"""The schema for editors: as the models have it, right about every example, strict about keys."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import tomli

from pytest_judgeaudit.settings.reading import ARRAYS, TABLES
from pytest_judgeaudit.settings.schemas import configuration_schema, written
from pytest_judgeaudit.settings.tables import APIS, EMBEDDED
from tests.settings.test_reading import WHOLE

ROOT = Path(__file__).parents[2]
TEXT = files("pytest_judgeaudit.settings").joinpath("judgeaudit.schema.json").read_text(encoding="utf-8")
CHECKER = jsonschema.Draft7Validator(json.loads(TEXT))

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FILES = [ROOT / "judgeaudit.toml", ROOT / "pytest_judgeaudit/session/beginning/judgeaudit.toml"]


def examples():
    """Every configuration that is written down here: in pages, as files, and in the tests of reading."""
    for page in PAGES:
        blocks = re.findall(r"^( *)```toml\n(.*?)^ *```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        for number, (indent, text) in enumerate(blocks, start=1):
            table = tomli.loads(re.sub(f"^{indent}", "", text, flags=re.MULTILINE))
            if "question" not in table:
                yield pytest.param(table, id=f"{page.stem}-{number}")
    for file in FILES:
        yield pytest.param(tomli.loads(file.read_text(encoding="utf-8")), id=file.parent.name)
    yield pytest.param(tomli.loads(WHOLE), id="whole")


EXAMPLES = list(examples())


def test_the_file_is_what_the_models_give():
    command = (
        "python -m pytest_judgeaudit.settings.schemas > pytest_judgeaudit/settings/judgeaudit.schema.json"
    )
    assert written(configuration_schema()) == TEXT, f"run: {command}"


def test_a_command_writes_it():
    done = subprocess.run(
        [sys.executable, "-m", "pytest_judgeaudit.settings.schemas"], capture_output=True, check=True
    )
    assert done.stdout.decode("utf-8").replace("\r\n", "\n") == TEXT


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(json.loads(TEXT))


def test_there_are_examples_of_every_table():
    assert {name for example in EXAMPLES for name in example.values[0]} >= {*TABLES} - {"aliases", "risk"}


@pytest.mark.parametrize("table", EXAMPLES)
def test_every_example_is_accepted(table):
    assert [error.message for error in CHECKER.iter_errors(table)] == []


def entries():
    """One whole entry of each array, and the tables within it."""
    whole = tomli.loads(WHOLE)
    for name in ARRAYS:
        if name in whole:
            yield name, whole[name][0]


@pytest.mark.parametrize(
    ("name", "entry"), list(entries()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_unknown_key_is_refused_in_every_table(name, entry):
    assert CHECKER.is_valid({name: [entry]})
    assert not CHECKER.is_valid({name: [{**entry, "nmae": "x"}]})


@pytest.mark.parametrize("inner", ["limits", "price"])
def test_an_unknown_key_is_refused_in_an_inner_table(inner):
    judge = copy.deepcopy(tomli.loads(WHOLE)["judge"][0])
    judge[inner]["nmae"] = 1
    assert not CHECKER.is_valid({"judge": [judge]})


JUDGE = {"name": "a", "family": "a", "api": "openai", "model": "m"}


@pytest.mark.parametrize(
    "table",
    [
        {"jugde": []},
        {"judge": JUDGE},
        {"judge": ["a"]},
        {"audit": {"sed": 1}},
        {"audit": {"seed": "1"}},
        {"aliases": {"a": 1}},
        {"judge": [{**JUDGE, "name": "a b"}]},
        {"judge": [{**JUDGE, "criteria": []}]},
        {"judge": [{**JUDGE, "criteria": "neutral"}]},
        {"judge": [{**JUDGE, "expect": "bad"}]},
        {"judge": [{**JUDGE, "limits": {"timeout": 0}}]},
        {"judge": [{**JUDGE, "where": {"a": []}}]},
        {"judge": [{key: value for key, value in JUDGE.items() if key != "model"}]},
        {"judge": [{**JUDGE, "api": "embedded", "model": "fist-slot"}]},
        {"judge": [{**JUDGE, "api": "recorded", "path": "log.jsonl"}]},
        {"judge": [{**JUDGE, "api": "python"}]},
    ],
)
def test_what_reading_refuses_is_refused(table):
    assert not CHECKER.is_valid(table)


@pytest.mark.parametrize("model", EMBEDDED)
def test_every_embedded_judge_is_accepted(model):
    assert CHECKER.is_valid({"judge": [{**JUDGE, "api": "embedded", "model": model}]})


def test_an_api_of_a_plug_in_is_accepted_and_ours_are_proposed():
    judge = {"name": "a", "family": "a", "api": "somebody's"}
    assert CHECKER.is_valid({"judge": [judge]})
    assert json.loads(TEXT)["$defs"]["JudgeSettings"]["properties"]["api"]["examples"] == list(APIS)
