"""
A path as a model writes it, read against the names that the sandbox holds.

No path of a model ever reaches the file system: it is a key of a table, or it is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.records.traces import PolicyCode

LONGEST = 4096
"""Characters of the longest path that is looked at."""

_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:|~|[A-Za-z][A-Za-z0-9+.-]*://|file:")


class Denied(NamedTuple):
    """Why a path is not looked up at all."""

    code: PolicyCode
    reason: str


def located(written: str, names: Container[str]) -> str | Denied:
    r"""
    Return the relative name that a path means; ``""`` is the root, and the name need not exist.

    ``names`` are those that exist: one of them written exactly is taken as it is, so that a file called
    ``..\x`` can be read. Otherwise both slashes divide, and a path that leads out at any point of its way
    is denied, even where it would come back.

    >>> located("./sub//a.py", ()), located(".", ()), located("sub/../../key", ())[0]
    ('sub/a.py', '', 'outside-path')
    """
    if len(written) > LONGEST:
        return Denied("outside-path", f"a path of {len(written)} characters")
    if written in names:
        return written
    if _ABSOLUTE.match(written.strip()):
        return Denied("outside-path", f"{shown(written)} is not relative to the root")
    parts: list[str] = []
    for part in re.split(r"[/\\]", written.strip()):
        # Windows drops blanks and dots at the end: ".. " and "..." would lead upwards there.
        if part.strip() and not part.strip(" ."):
            if part.strip() == ".":
                continue
            if part.strip() != ".." or not parts:
                return Denied("outside-path", f"{shown(written)} leads out of the root")
            parts.pop()
        elif part:
            parts.append(part)
    return "/".join(parts)


def shown(name: str) -> str:
    r"""
    Return a name as tools and records show it: in one line, nothing in it that acts on a terminal.

    >>> shown("a.py"), shown("a\nb"), shown("\ud800.py")
    ('a.py', 'a\\nb', '\\ud800.py')
    """
    return printable(name, clip=300)
