"""The page on blind controls as a reader follows it: its files, its commands in order, what it shows."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from tests.serving import run

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "run-a-blind-control.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^ *<!-- (\w+)(?:: (.*?))? -->\n *```\w*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_following_the_page_gives_what_it_shows(tmp_path):
    wrong, output = [], ""
    for mark, argument, block in BLOCK.findall(PAGE):
        text = dedent(block)
        if mark == "file":
            (tmp_path / argument).parent.mkdir(exist_ok=True)
            (tmp_path / argument).write_text(text, encoding="utf-8")
        elif mark == "run":
            done = run(text.strip(), tmp_path)
            output = done.stdout + done.stderr
            if done.returncode != int(argument):
                wrong.append(f"{text.strip()}: exit status {done.returncode}\n{output[-3000:]}")
        else:
            lines = (line.rstrip().removesuffix("…") for line in text.splitlines())
            wrong += [
                f"not in the output: {line}\n{output[-3000:]}" for line in lines if line not in output
            ]
    assert not wrong, "\n".join(wrong)
