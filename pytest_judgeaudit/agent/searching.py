"""
Searching files by a regular expression that a model wrote, which must not hang the run.

A pattern with at most one repetition takes time that grows with the square of a line at worst, and lines
are cut. Any other is tried in a process of its own that is ended when its time is up.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

LONGEST_PATTERN = 1000
LONGEST_LINE = 2000
"""Characters of a line that are searched and shown."""

LIMIT_S = 10.0

_REPEATS = re.compile(r"[*+?{]|\\\d|\(\?P=")
_CHILD = """
import json, re, sys
pattern, texts, most = json.load(sys.stdin)
found = []
search = re.compile(pattern).search
for number, lines in enumerate(texts):
    for line, text in enumerate(lines):
        if search(text):
            found.append([number, line])
            if len(found) > most:
                break
    if len(found) > most:
        break
json.dump(found, sys.stdout)
"""


class Hit(NamedTuple):
    """The place of a line that matches: the text's number, and the line's, both from 0."""

    text: int
    line: int


class NotSearched(Exception):  # noqa: N818 - reads as what happened
    """A pattern that cannot be used; the message is for the model."""


def search(
    pattern: str, texts: Sequence[Sequence[str]], *, most: int, limit_s: float = LIMIT_S
) -> list[Hit]:
    """
    Return the lines that match, at most ``most`` and one more; ``texts`` are lists of lines.

    NotSearched: a pattern that is too long, none at all, or does not end in time.
    """
    if not pattern or len(pattern) > LONGEST_PATTERN:
        raise NotSearched(f"expected a pattern of 1 to {LONGEST_PATTERN} characters")
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise NotSearched(f"no regular expression: {error}") from None
    if len(_REPEATS.findall(pattern)) > 1:
        return _search_apart(pattern, texts, most=most, limit_s=limit_s)
    hits: list[Hit] = []
    for number, lines in enumerate(texts):
        for line, text in enumerate(lines):
            if compiled.search(text):
                hits.append(Hit(number, line))
                if len(hits) > most:
                    return hits
    return hits


def _search_apart(pattern: str, texts: Sequence[Sequence[str]], *, most: int, limit_s: float) -> list[Hit]:
    try:
        done = subprocess.run(  # noqa: S603 - our own program; pattern and texts are its input
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps([pattern, texts, most]).encode("ascii"),
            capture_output=True,
            timeout=limit_s,
            check=True,
        )
        return [Hit(*one) for one in json.loads(done.stdout)]
    except subprocess.TimeoutExpired:
        raise NotSearched(f"the pattern took longer than {limit_s:g} s: write a simpler one") from None
    except (subprocess.CalledProcessError, OSError, ValueError, TypeError):
        raise NotSearched("the pattern could not be tried: write a simpler one") from None
