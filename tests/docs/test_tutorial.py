"""The tutorial as a reader follows it: its files, its commands in order, and the outputs that it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.serving import blocks, longer, run, serving

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "tutorial.md").read_text(encoding="utf-8")
PAIRS = (DOCS / "tutorial" / "pairs.jsonl").read_text(encoding="utf-8")
ROWS = [json.loads(line) for line in PAIRS.splitlines()]
RIGHT = frozenset(row["chosen"] for row in ROWS)


def obedient(system, a, b):
    """Prefer the longer candidate, unless told that length does not count: then the right one."""
    if "Length does not count" not in system:
        return longer(system, a, b)
    return "tie" if a == b else "A" if a in RIGHT else "B"


def project_of(folder):
    """An empty project with the tutorial's pairs."""
    (folder / "corpora").mkdir()
    (folder / "corpora" / "pairs.jsonl").write_text(PAIRS, encoding="utf-8")
    return folder


def write(folder, name, text):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def unfound(shown, output):
    """The lines of a block that do not stand in an output, in order; an ellipsis stands for anything."""
    lines = iter(map(str.rstrip, output.splitlines()))
    for wanted in map(str.rstrip, shown.splitlines()):
        if wanted in {"", "…"}:
            continue
        start = wanted.removesuffix("…")
        if not any(line.startswith(start) if start != wanted else line == wanted for line in lines):
            yield wanted
            return


@pytest.mark.slow
def test_following_the_tutorial_gives_what_it_shows(tmp_path):
    project = project_of(tmp_path)
    wrong, output = [], ""
    with serving(obedient) as server:
        for mark, argument, text in blocks(PAGE):
            if mark == "file":
                write(project, argument, re.sub(r"127\.0\.0\.1:\d+", server.host, text))
            elif mark == "run":
                result = run(text.strip(), project)
                output = result.stdout + result.stderr
                if result.returncode != int(argument):
                    wrong.append(f"{text.strip()}: exit status {result.returncode}\n{output[-3000:]}")
            elif mark == "output":
                wrong += [f"not in the output: {line}" for line in unfound(text, output)]
    assert not wrong, "\n".join(wrong)
    assert server.calls == 360


@pytest.mark.slow
def test_the_function_of_the_tutorial_does_as_well(tmp_path):
    project = project_of(tmp_path)
    for mark, argument, text in blocks(PAGE):
        if mark in {"file", "alternative"}:
            write(project, argument, text)
    result = run("pytest --judge-audit --judge-live", project)
    assert result.returncode == 1
    assert re.search(r"house neutral +0/60 .* 71\.7 % +64\.1 % +clone gate only", result.stdout)


def test_the_rows_that_the_tutorial_shows_are_rows_of_its_file():
    shown = [line for line in PAGE.splitlines() if line.startswith('{"id"')]
    assert shown
    assert set(shown) <= set(PAIRS.splitlines())


def test_the_pairs_of_the_tutorial_are_as_it_says():
    longer_right = [row["subset"] for row in ROWS if len(row["chosen"]) > len(row["rejected"])]
    assert {name: longer_right.count(name) for name in ("facts", "how-to", "sums")} == {
        "facts": 3,
        "how-to": 20,
        "sums": 20,
    }
    assert len({row["prompt"] for row in ROWS}) == len(ROWS) == 60


def test_a_line_that_an_output_lacks_is_found():
    assert list(unfound("a b\n…\nc …\nd\n", "x\na b\nc and more\n")) == ["d"]
