"""Examples in docstrings, README and docs hold: doctests run, other code compiles, TOML and JSON parse."""

from __future__ import annotations

import ast
import doctest
import json
from pathlib import Path

import pytest
import tomli
from sybil import Document, Example
from sybil.document import PythonDocStringDocument
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

SOURCES = sorted(
    file for file in (ROOT / "pytest_judgeaudit").rglob("*.py") if ">>>" in file.read_text(encoding="utf-8")
)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def compiles(example: Example) -> None:
    ast.parse(example.parsed)


def parses_as_toml(example: Example) -> None:
    tomli.loads(example.parsed)


def parses_as_json(example: Example) -> None:
    json.loads(example.parsed)


def parses_as_json_lines(example: Example) -> None:
    for line in example.parsed.splitlines():
        json.loads(line)


# A Python block with prompts runs. Most others are tests for a project of the reader's: they compile.
PYTHON = PythonCodeBlockParser(doctest_optionflags=FLAGS)
PYTHON.codeblock_parser = CodeBlockParser("python", compiles)
MARKDOWN = (
    PYTHON,
    CodeBlockParser("toml", parses_as_toml),
    CodeBlockParser("json", parses_as_json),
    CodeBlockParser("jsonl", parses_as_json_lines),
    SkipParser(),
)


def run(document: Document) -> int:
    """Evaluate the examples of a document in order; their number."""
    examples = list(document.examples())
    for example in examples:
        example.evaluate()
    return len(examples)


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_doctests_of_the_package_hold(file):
    assert run(PythonDocStringDocument.parse(str(file), DocTestParser(FLAGS))) > 0


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_examples_of_the_pages_hold(file):
    run(Document.parse(str(file), *MARKDOWN))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", ">>> 1 + 1\n3\n"),
        ("python", "def test_x(judge:\n"),
        ("toml", "[[judge]\n"),
        ("json", "{'a': 1}\n"),
        ("jsonl", '{"a": 1}\n{"a": \n'),
    ],
)
def test_a_wrong_example_is_caught(tmp_path, language, text):
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n```{language}\n{text}```\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"."):
        run(Document.parse(str(page), *MARKDOWN))


def test_right_examples_pass(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\n>>> 1 + 1\n2\n```\n```python\n@pytest.mark.unknown\ndef test(): ...\n```\n"
        '```toml\na = 1\n```\n```jsonl\n{"a": 1}\n{"b": 2}\n```\n```sh\n./check\n```\n',
        encoding="utf-8",
    )
    assert run(Document.parse(str(page), *MARKDOWN)) == 4
