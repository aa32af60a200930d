"""
The finite-domain code battery: 96 tasks whose right answers are certified on every input they are about.

Eight families of twelve settings. Each item has a specification, a reference, an equivalent and a faulty
implementation; an independent oracle has checked all three on the whole declared domain.
"""

from __future__ import annotations

from functools import cache

from pytest_judgeaudit.corpora.finite_code import certification
from pytest_judgeaudit.corpora.finite_code.execution import results
from pytest_judgeaudit.corpora.finite_code.families import battery
from pytest_judgeaudit.corpora.finite_code.items import SOURCE, CodeItem, digest
from pytest_judgeaudit.corpora.finite_code.oracle import expected
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Kind, Pair, Target

__all__ = ["CodeItem", "battery", "correct_inputs", "pairs"]

WORDING = "finite-code"
"""The set of criterion texts that fits the battery: correct on more valid inputs, whatever the style."""

_SECOND: dict[Kind, tuple[str, Target]] = {
    "clone": ("reference", "tie"),
    "equivalent": ("equivalent", "tie"),
    "signal": ("faulty", "first"),
}
"""Which text stands beside the reference, and what should win."""

_THIRD: dict[Kind, str] = {"clone": "faulty", "equivalent": "faulty", "signal": "equivalent"}
"""The third text of a context audit: faulty beside equals, the other correct one beside a fault."""


@cache
def pairs(kind: Kind) -> tuple[Pair, ...]:
    """
    Return the battery's 96 pairs of one kind, in order AB.

    A pair's metadata holds the text that a context audit shows as ``third``.
    The ids are the same for the three kinds, so that the clone and signal sets are matched (RULES R19).
    The stratum and the template family of a pair are its family's name (METHODS 2, utility).
    """
    role, target = _SECOND[kind]
    return tuple(
        Pair(
            id=item.id,
            prompt=item.specification,
            first=item.reference,
            second=item.texts[role],
            target=target,
            kind=kind,
            subset=item.family,
            family=item.family,
            wording=WORDING,
            source=SOURCE,
            metadata={"third": item.texts[_THIRD[kind]]},
        )
        for item in battery().values()
    )


def correct_inputs(source: str) -> tuple[int, int]:
    """
    Run a certified text on its item's whole domain: (inputs on which it is right, inputs in all).

    Any other text is refused, unparsed and unexecuted: only a SHA-256 that the shipped certificates list
    opens the door. Cached: a text runs once in a process.
    """
    sha256 = digest(source)
    certified = certification.certified()
    if sha256 not in certified:
        raise Refused(
            f"{SOURCE}: found a text of {len(source)} characters with SHA-256 {sha256[:16]}..., "
            f"expected one of the {len(certified)} certified texts; it was not executed. The judge program "
            "decides this battery only: use another judge for other code."
        )
    item_id, _ = certified[sha256]
    return _agreement(source, item_id)


@cache
def _agreement(source: str, item_id: str) -> tuple[int, int]:
    demanded = expected(item_id)
    found = results(source, battery()[item_id].domain.inputs())
    return sum(map(int.__eq__, demanded, found)), len(demanded)
