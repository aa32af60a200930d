"""
How Sphinx builds these pages: Markdown read by MyST, shown by furo. By hand:

    python -m sphinx -W --keep-going docs FOLDER
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pygments.lexers.data import JsonLexer
from sphinx.application import Sphinx

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]

project = PROJECT["name"]
release = version = PROJECT["version"]
language = "en"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]
# Links to headings work as they do on the pages that hosts of repositories make.
myst_heading_anchors = 4
html_theme = "furo"
html_title = project
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False


def toctrees(index: str) -> Iterator[str]:
    """Make a hidden table of contents of each row of the index: the index itself is read elsewhere, too."""
    for caption, row in re.findall(r"^\| \*\*(.*?)\*\* \| (.*) \|$", index, re.MULTILINE):
        pages = [f"{title} <{page}>" for title, page in re.findall(r"\[([^\]]+)\]\(([^):#]+)\.md\)", row)]
        yield "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])


def complete(_: Sphinx, name: str, source: list[str]) -> None:
    """Add the tables of contents; what lies outside of these pages is named, without a link."""
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./)+(?:README|CONTRIBUTING|CHANGELOG)\.md\)", r"\1", source[0])
    source[0] = "\n".join([text, *toctrees(text)]) if name == root_doc else text


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is above, and that JSON Lines look like JSON."""
    app.add_lexer("jsonl", JsonLexer)
    app.connect("source-read", complete)
    return {"parallel_read_safe": True}
