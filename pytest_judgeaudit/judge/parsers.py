"""
Reading a verdict out of a judge's text. Each parser is an instrument of its own, and is declared.

``strict``
    The text is exactly one JSON object whose only key is ``winner``, with the value ``A``, ``B`` or
    ``tie``; JSON's white space around it is allowed (METHODS 2). Everything else is invalid.
``lenient``
    As strict; or else the one verdict that the text contains: verdict objects may stand in prose or in a
    Markdown fence, any number of times, as long as all say the same. It forgives what stands around an
    object, never the object.

A finish reason ``length`` is invalid in both, even if the text parses (RULES R23). Nothing invalid is ever
a tie. Every parser takes time linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pytest_judgeaudit.corpora.found import found as shown
from pytest_judgeaudit.corpora.found import quoted
from pytest_judgeaudit.records.items import Order
from pytest_judgeaudit.records.verdicts import Slot, Usage, Verdict, winner_of

WHITE = " \t\r\n"
"""JSON's white space."""

_LONGEST = 1000  # characters of a text that can still be one verdict object, written with escapes
_OBJECT = re.compile(r'\{[ \t\r\n]*"winner"[ \t\r\n]*:[ \t\r\n]*"(A|B|tie)"[ \t\r\n]*\}')


class Reading(NamedTuple):
    """The slot that a text names; None for no verdict, with the reason in one printable line."""

    slot: Slot | None
    reason: str | None = None


Parser = Callable[[str, str | None], Reading]
"""From a text and its finish reason to a reading."""

SLOTS: Mapping[str, Reading] = {"A": Reading("A"), "B": Reading("B"), "tie": Reading("tie")}
EMPTY = Reading(None, "the output is empty")
CUT = Reading(None, "the output was cut off: finish reason length")


def strict(text: str, finish: str | None) -> Reading:
    """Read one JSON object ``{"winner": "A"|"B"|"tie"}`` with nothing but white space around it."""
    if finish == "length":
        return CUT
    body = text.strip(WHITE)
    found = _OBJECT.fullmatch(body)
    return SLOTS[found[1]] if found else _decoded(body)


def lenient(text: str, finish: str | None) -> Reading:
    """Read as :func:`strict` does, or the one verdict that all verdict objects in the text agree on."""
    reading = strict(text, finish)
    if reading.slot is not None or finish == "length":
        return reading
    named = list(dict.fromkeys(found[1] for found in _OBJECT.finditer(text)))
    if len(named) == 1:
        return SLOTS[named[0]]
    if named:
        return Reading(None, f"the text holds different verdicts: {', '.join(named)}")
    return EMPTY if reading is EMPTY else Reading(None, "the text holds no verdict object")


PARSERS: Mapping[str, Parser] = {"strict": strict, "lenient": lenient}


class _Pairs(tuple[tuple[str, Any], ...]):
    """The members of a JSON object, in order, none dropped."""

    __slots__ = ()


def _decoded(body: str) -> Reading:
    """Decide the texts that are no plainly written verdict: those with escapes, and those without one."""
    if not body:
        return EMPTY
    outside = _not_an_object(body)
    if outside:
        return Reading(None, outside)
    try:
        members = json.loads(body, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        extra = error.msg == "Extra data"
        broken = f"the JSON object is broken or cut off at character {error.pos + 1}"
        return Reading(None, "text follows the JSON object" if extra else broken)
    except (ValueError, RecursionError):  # an integer of thousands of digits; brackets in brackets
        return Reading(None, "the JSON object is no verdict")
    return _member(members)


def _not_an_object(body: str) -> str | None:
    """Say why a text is no JSON object before it is decoded."""
    if body.startswith("```"):
        return "the output stands in a Markdown fence"
    if not body.startswith("{"):
        return f"the output is not one JSON object; it begins with {quoted(body[:30])}"
    if len(body) > _LONGEST:
        return f"the output has {len(body)} characters, more than a verdict"
    return None


def _member(members: _Pairs) -> Reading:
    names = [name for name, _ in members]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        return Reading(None, f"the key {quoted(twice)} stands there twice")
    if names != ["winner"]:
        found = ", ".join(map(quoted, names[:4])) or "none"
        return Reading(None, f'the only key must be "winner", found {found}')
    value = members[0][1]
    if isinstance(value, str) and value in SLOTS:
        return SLOTS[value]
    found = "an object" if isinstance(value, _Pairs) else shown(value)
    return Reading(None, f'winner must be "A", "B" or "tie", found {found}')


def verdict_of(
    reading: Reading, *, order: Order, raw: str, served: str | None = None, usage: Usage | None = None
) -> Verdict:
    """Map what was read back to content: a slot by the order shown, no slot to ``invalid``."""
    winner = "invalid" if reading.slot is None else winner_of(reading.slot, order)
    return Verdict(
        slot=reading.slot, winner=winner, reason=reading.reason, raw=raw, served=served, usage=usage
    )
