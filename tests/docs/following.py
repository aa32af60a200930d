"""A how-to page as a reader follows it: its files, its commands, what it shows."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

from tests.serving import run

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
BLOCK = re.compile(r"^ *<!-- (\w+)(?:: (.*?))? -->\n *```\w*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


def followed(page: str, folder: Path) -> list[str]:
    """Follow a page in a folder; return what went another way than it says."""
    wrong, output = [], ""
    for mark, argument, block in BLOCK.findall((HOWTO / f"{page}.md").read_text(encoding="utf-8")):
        text = dedent(block)
        if mark == "file":
            (folder / argument).parent.mkdir(exist_ok=True)
            (folder / argument).write_text(text, encoding="utf-8")
        elif mark == "run":
            done = run(text.strip(), folder)
            output = done.stdout + done.stderr
            if done.returncode != int(argument):
                wrong.append(f"{text.strip()}: exit status {done.returncode}\n{output[-3000:]}")
        else:
            lines = (line.rstrip().removesuffix("…") for line in text.splitlines())
            wrong += [
                f"not in the output: {line}\n{output[-3000:]}" for line in lines if line not in output
            ]
    return wrong
