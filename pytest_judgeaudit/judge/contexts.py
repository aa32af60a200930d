"""
The two contexts of a context audit: the same two candidates with and without a third one (METHODS 2).

The third candidate is not eligible. One added sentence says so in both contexts, whether it is shown or
not, so that the contexts differ in nothing but the candidate itself; it comes last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.requests import Message

SENTENCE = (
    "Compare only candidate A and candidate B. No other candidate is eligible: where one is shown, it is "
    "there to be seen and cannot win."
)


def in_context(messages: Sequence[Message], pair: Pair, fence: str) -> tuple[Message, ...]:
    """Return a pair's messages with the added sentence and, where it is present, the third candidate."""
    *before, last = messages
    third = ""
    if pair.context == "present":
        third = f"\n\n<candidate_C_{fence}>\n{pair.third or ''}\n</candidate_C_{fence}>"
    return (*before, replace(last, content=f"{last.content}{third}\n\n{SENTENCE}"))


def shown_in(pair: Pair) -> dict[str, str]:
    """Return what the context adds to a request's ingredients, by which a stale answer names what moved."""
    third = (pair.third or "") if pair.context == "present" else ""
    return {"context": f"{pair.context}\x1f{third}\x1f{SENTENCE}"}
