"""Templates filled in: the only door to Jinja2. Whatever is put into one is escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pytest_judgeaudit.report.text import safe

FOLDER = Path(__file__).with_name("templates")
_NUMBER = re.compile(r"(?:[-–−+<>≤≥×]? ?\d[\d.,:%× +/]*(?:of \d+)?[\d %]*|[-–−]?)")
LONGEST_NUMBER = 40
"""The most characters of a text that may be a number."""

SHOWN = 2000
"""The most characters of one text in a page, but for answers."""


def fill(name: str, values: Mapping[str, Any]) -> str:
    """
    Fill in the template of this name.

    Every text is made safe to show and escaped, but for what :func:`trusted` marks. A name that is missing
    raises, instead of leaving a hole.
    """
    return _environment().get_template(name).render(values)


def trusted(markup: str) -> str:
    """Mark a text of ours as markup: drawings, styles, scripts."""
    return Markup(markup)  # noqa: S704 - never called with foreign text that is not escaped yet


def asset(name: str) -> str:
    """Return a file beside the templates, as markup of ours."""
    return trusted((FOLDER / name).read_text(encoding="utf-8"))


def embedded(value: Any) -> str:
    """Return a value as JSON that no script element can be ended from: ASCII, without angle brackets."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    escapes = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
    for character, escape in escapes.items():
        text = text.replace(character, escape)
    return trusted(text)


def source_hash(text: str) -> str:
    """Return what a content policy calls a script or style of this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["numeric_columns"] = numeric_columns
    return made


def numeric_columns(rows: Sequence[Sequence[str]]) -> frozenset[int]:
    """
    Return which columns of a table, but for the first, hold numbers or nothing, and a number at least once.

    >>> sorted(numeric_columns([("a", "-1.5", "grep 3", ""), ("b", "–", "2", "")]))
    [1]
    """
    columns = [[text.strip() for text in column] for column in zip(*rows, strict=False)]
    return frozenset(
        index
        for index, column in enumerate(columns)
        if index and all(map(_is_number, column)) and any(text[-1:].isalnum() for text in column)
    )


def _is_number(text: str) -> bool:
    # No number is as long; and the pattern takes time that grows with the square of a text.
    return len(text) <= LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def shown(value: Any) -> Any:
    """Make a text safe to show, unless it is markup of ours."""
    return safe(value, shown=SHOWN) if isinstance(value, str) and not isinstance(value, Markup) else value
