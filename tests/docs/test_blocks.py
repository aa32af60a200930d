"""The blocks of all pages: Python runs, JSON is JSON, and commands have options that exist."""

from __future__ import annotations

import doctest
import importlib.util
import json
import re
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from pytest_judgeaudit.session.options import OPTIONS
from tests.serving import run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
OURS = {option.flag for option in OPTIONS}
OTHERS = {"--junitxml", "--snapshot-update", "--collect-only", "--basetemp", "--rsyncdir", "--tx", "--dist"}


def blocks(*languages):
    """Every block of these languages, as a parameter."""
    for page in PAGES:
        for number, (indent, language, text) in enumerate(BLOCK.findall(page.read_text("utf-8")), start=1):
            if language in languages:
                body = re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
                yield pytest.param(body, id=f"{page.stem}-{number}")


FOREIGN = {
    "come-from-elsewhere-3": "needs inspect_ai, with which the sample in tests/elsewhere was made",
    "tutorial-11": "looks at the report of the tutorial, whose own test runs it",
}
ROW = '{"id": "t1", "prompt": "p", "subset": "s", "chosen": "one two three", "rejected": "one two four"}\n'


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the files that pages speak of."""
    for folder in ("answers", "src", "corpora"):
        (tmp_path / folder).mkdir()
    files = {
        "src/rates.py": "def daily_rate(yearly):\n    return yearly / 365\n",
        "source.jsonl": "".join(ROW.replace("t1", f"t{number}") for number in range(20)),
        "audit.json": json.dumps({"gates": [], "cells": [], "findings": [], "schema": 1}),
        "inspect.json": json.dumps({"samples": []}),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", [one for one in blocks("python") if "def test_" not in one.values[0]])
def test_python_runs(text, project, request):
    if reason := FOREIGN.get(request.node.callspec.id):
        pytest.skip(reason)
    if ">>>" in text:
        found = doctest.DocTestParser().get_doctest(text, {}, "page", None, 0)
        assert doctest.DocTestRunner().run(found).failed == 0
    else:
        exec(compile(dedent(text), "page", "exec"), {"__name__": "page"})  # noqa: S102 - our own pages


def test_evals_are_collected(project):
    evals = [one for one in blocks("python") if "def test_" in one.values[0]]
    for one in evals:
        name = f"test_{re.sub(r'[^a-z0-9]', '_', one.id.lower())}.py"
        (project / name).write_text(f"import pytest\n{one.values[0]}", encoding="utf-8")
    done = run("pytest -q --strict-markers", project)
    assert done.returncode == 0, done.stdout
    skipped = re.search(r"(\d+) skipped", done.stdout)
    assert skipped
    assert int(skipped[1]) >= len(evals)


@pytest.mark.parametrize("text", list(blocks("json", "jsonl")))
def test_json_is_json(text):
    for line in text.splitlines():
        if line.strip() not in {"", "…"}:
            json.loads(line)


@pytest.mark.parametrize("text", list(blocks("sh")))
def test_commands_have_options_that_exist(text):
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*|python3?|-m|.*/python|&&", words[0]):
            words.pop(0)
        if not words or words[0] != "pytest":
            continue
        flags = {word.partition("=")[0] for word in words[1:] if word.startswith("--")}
        assert flags <= OURS | OTHERS, line


@pytest.mark.parametrize("text", list(blocks("sh")))
def test_modules_of_ours_that_commands_run_exist(text):
    for name in re.findall(r"-m (pytest_judgeaudit\.[\w.]+)", text):
        assert importlib.util.find_spec(name), name
