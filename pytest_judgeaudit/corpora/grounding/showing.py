"""A grounding as text, for the prompt of a judge."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.records.grounding import GroundedClaim, Grounding

MOST_SHOWN = 60
"""Claims that a judge is shown; the rest are counted."""

_CLIP = 120


def grounding_text(grounding: Grounding) -> str:
    """
    Return the report of a grounding: a line of counts, then one line a claim.

    What the model wrote is clipped, in one line and without control characters; it stays data, which goes
    between fences.
    """
    return "\n".join(_lines(grounding))


def _lines(grounding: Grounding) -> Iterator[str]:
    counts = ", ".join(f"{count} {state}" for state, count in grounding.counts.items())
    yield f"{len(grounding.claims)} checkable claims: {counts}."
    if grounding.few:
        yield "So few claims say nearly nothing about accuracy."
    for number, one in enumerate(grounding.claims[:MOST_SHOWN], start=1):
        yield f"{number}. {_line(one)}"
    if len(grounding.claims) > MOST_SHOWN:
        yield f"{len(grounding.claims) - MOST_SHOWN} more claims are not shown."
    if grounding.cut:
        yield "The answer was longer than what was looked at."
    if grounding.unsearched:
        yield f"{len(grounding.unsearched)} files were too large to be searched."


def _line(one: GroundedClaim) -> str:
    said = printable(" ".join(one.claim.text.split()), clip=_CLIP)
    where = f" at {printable(one.where, clip=_CLIP)}" if one.where else ""
    shown = f": {one.snippet}" if one.snippet else ""
    return f"{one.state} {one.claim.sort} <{said}>{where} ({one.reason}){shown}"
