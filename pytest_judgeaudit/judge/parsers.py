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

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pytest_judgeaudit.corpora.found import found as shown
from pytest_judgeaudit.corpora.found import quoted
from pytest_judgeaudit.judge.objects import WHITE, Members, members_of
from pytest_judgeaudit.records.items import Order
from pytest_judgeaudit.records.verdicts import LENIENT, Slot, Usage, Verdict, winner_of

_LONGEST = 1000  # characters of a text that can still be one verdict object, written with escapes
_OBJECT = re.compile(r'\{[ \t\r\n]*"winner"[ \t\r\n]*:[ \t\r\n]*"(A|B|tie)"[ \t\r\n]*\}')


class Reading(NamedTuple):
    """The slot that a text names; None for no verdict, with the reason in one printable line."""

    slot: Slot | None
    reason: str | None = None


Parser = Callable[[str, str | None], Reading]
"""From a text and its finish reason to a reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictParser:
    """
    A parser that another plug-in registers.

    ``version`` is what it declares of itself: part of the instrument's digest. ``reply`` says to the judge
    what to reply (the placeholder ``{reply}``); None asks for our verdict object.
    """

    read: Parser
    version: str
    reply: str | None = None


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


def _decoded(body: str) -> Reading:
    """Decide the texts that are no plainly written verdict: those with escapes, and those without one."""
    if not body:
        return EMPTY
    members = members_of(body, noun="verdict", longest=_LONGEST)
    if not isinstance(members, str):
        return _member(members)
    named = {found[1] for found in _OBJECT.finditer(body)}
    return Reading(None, f"{members}{LENIENT}" if len(named) == 1 else members)


def _member(members: Members) -> Reading:
    names = [name for name, _ in members]
    if names != ["winner"]:
        found = ", ".join(map(quoted, names[:4])) or "none"
        return Reading(None, f'the only key must be "winner", found {found}')
    value = members[0][1]
    if isinstance(value, str) and value in SLOTS:
        return SLOTS[value]
    found = "an object" if isinstance(value, Members) else shown(value)
    return Reading(None, f'winner must be "A", "B" or "tie", found {found}')


def verdict_of(
    reading: Reading, *, order: Order, raw: str, served: str | None = None, usage: Usage | None = None
) -> Verdict:
    """Map what was read back to content: a slot by the order shown, no slot to ``invalid``."""
    winner = "invalid" if reading.slot is None else winner_of(reading.slot, order)
    return Verdict(
        slot=reading.slot, winner=winner, reason=reading.reason, raw=raw, served=served, usage=usage
    )
