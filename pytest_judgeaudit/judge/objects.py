"""One JSON object and nothing else: what every strict reader of a judge's text begins with."""

from __future__ import annotations

import json
from typing import Any

from pytest_judgeaudit.corpora.found import quoted

WHITE = " \t\r\n"
"""JSON's white space."""


class Members(tuple[tuple[str, Any], ...]):
    """The members of a JSON object, in order, none dropped."""

    __slots__ = ()


def members_of(body: str, *, noun: str, longest: int) -> Members | str:
    """
    Return the members of the one JSON object that a text is, or in one line why it is none.

    ``body`` has no white space around it; ``noun`` names what is looked for, ``longest`` is the most
    characters that it can have. A key that stands there twice is refused, whatever its values. Linear.

    >>> members_of('{"winner": "A"}', noun="verdict", longest=99)
    (('winner', 'A'),)
    """
    outside = _outside(body, noun, longest)
    if outside:
        return outside
    try:
        members = json.loads(body, object_pairs_hook=Members)
    except json.JSONDecodeError as error:
        extra = error.msg == "Extra data"
        broken = f"the JSON object is broken or cut off at character {stopped_at(error) + 1}"
        return "text follows the JSON object" if extra else broken
    except (ValueError, RecursionError):  # an integer of thousands of digits; brackets in brackets
        return f"the JSON object is no {noun}"
    names = [name for name, _ in members]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        return f"the key {quoted(twice)} stands there twice"
    return Members(members)


def stopped_at(error: json.JSONDecodeError) -> int:
    """
    Return where reading stopped, in characters from 0, the same for every Python.

    At a comma too many Python 3.13 names the comma, and those before it what follows.

    >>> stopped_at(json.JSONDecodeError("Illegal trailing comma before end of array", "[1, ]", 2))
    4
    """
    if not error.msg.startswith("Illegal trailing comma"):
        return error.pos
    return len(error.doc) - len(error.doc[error.pos + 1 :].lstrip(WHITE))


def _outside(body: str, noun: str, longest: int) -> str:
    """Say why a text is no JSON object before it is decoded; empty where it may be one."""
    if body.startswith("```"):
        return "the output stands in a Markdown fence"
    if not body.startswith("{"):
        return f"the output is not one JSON object; it begins with {quoted(body[:30])}"
    return f"the output has {len(body)} characters, more than a {noun}" if len(body) > longest else ""
