"""No two adjacent literals whose words would touch: ``"no such" "judge"`` reads "no suchjudge"."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("pytest_judgeaudit", "tests", "evals", "benchmarks")

PREFIX = re.compile(r"(?i)^([a-z]*)('''|\"\"\"|'|\")")
SKIPPED = {tokenize.NL, tokenize.COMMENT}
ENDS_A_WORD = re.compile(r"[\w.,;:!?)\]}%'\"]\Z")
# A field at the beginning may well bring its own space: f"{found}.{near(name, names)}".
STARTS_A_WORD = re.compile(r"^[\w(]")


def literals(source: str) -> Iterator[list[tuple[int, str]]]:
    """Runs of adjacent string literals, each as (line, text); braces of f-strings stay as they are."""
    run: list[tuple[int, str]] = []
    pieces: list[str] = []
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind.endswith("STRING_START"):  # Python 3.12 and later
            pieces = [] if depth == 0 else pieces
            depth += 1
        elif kind.endswith("STRING_END"):
            depth -= 1
            if depth == 0:
                run.append((token.start[0], "".join(pieces)))
        elif depth:
            pieces.append(unescaped(token.string) if kind.endswith("STRING_MIDDLE") else token.string)
        elif token.type == tokenize.STRING:
            run.append((token.start[0], text_of(token.string)))
        elif token.type not in SKIPPED:
            yield run
            run = []


def text_of(literal: str) -> str:
    """The text of a literal as it is written: evaluated, or for an f-string without prefix and quotes."""
    prefix, quotes = PREFIX.match(literal).groups()
    if "f" in prefix.lower():
        return unescaped(literal[len(prefix) + len(quotes) : -len(quotes)])
    return str(ast.literal_eval(literal))


def unescaped(text: str) -> str:
    return re.sub(r"\\[nrtvf]", " ", text)


def touches(left: str, right: str) -> bool:
    """Whether a reader would find two words glued together; of texts with a space in at least one."""
    prose = " " in left.strip() or " " in right.strip()
    return prose and bool(ENDS_A_WORD.search(left) and STARTS_A_WORD.search(right))


def glued(source: str) -> list[int]:
    """The lines on which a literal continues the word of the one before."""
    return [
        line
        for run in literals(source)
        for (_, left), (line, right) in itertools.pairwise(run)
        if touches(left, right)
    ]


def test_no_message_glues_two_words_together():
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in files
        if file != Path(__file__)
        for line in glued(file.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    "source",
    [
        '("no judge is called"\n "qwen")',
        '("no judge is called"  # a comment\n\n "qwen")',
        'f"{name} is not known,"\nf"there are {names}"'.replace("\n", " "),
        '(f"found {value}"\n "instead of that")',
        '(f"found {names[0]!r:>{width}} at"\n f"line {line}")',
        "('it ends here.'\n r'And goes on')",
    ],
)
def test_glued_words_are_found(source):
    assert len(glued(f"x = {source}\n")) == 1


@pytest.mark.parametrize(
    "source",
    [
        '("no judge is called "\n "qwen")',
        '("no judge is called"\n " qwen")',
        'f"{name} is not known, " f"there are {names}"',
        '("def f(x):\\n"\n "    return x + 1")',
        '("a line\\n"\n "and another line")',
        '(f"a line of {n}\\n"\n f"and another")',
        '("0123456789abcdef"\n "ABCDEF")',
        '["no judge is called", "qwen"]',
        '("a path like /"\n "this")',
        '(f"no row has {name}."\n f"{near(name, names)}")',
        '"one statement"\ny = "another one"',
    ],
)
def test_separate_words_are_accepted(source):
    assert glued(f"x = {source}\n") == []
