"""Which conditions of a judge are compared, how a contrast weighs them, and in which family (RULES R15)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_judgeaudit.audit.names import CONTROLS
from pytest_judgeaudit.audit.tallies import NULL_ARMS

BASE = "neutral"
"""The criterion that others are compared with, where a judge has it; else its first."""

Weights = Mapping[tuple[str, str], int]
"""By criterion and order."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    One contrast: the sum of its weights times the mean outcomes, divided by ``parts``.

    ``criterion`` names that of an order's contrast where it is about one of several; ``family`` is "" where
    it describes a part of another and has no p.
    """

    kind: str
    of: str
    criterion: str | None
    minuend: str
    subtrahend: str
    weights: Weights = field(hash=False)
    parts: int
    family: str

    @property
    def name(self) -> str:
        """What tells it apart from the others of its judge and test."""
        return " ".join(filter(None, (self.kind, self.criterion, self.of, self.minuend, self.subtrahend)))


def base_of(criteria: Sequence[str]) -> str:
    """Return the criterion that others are compared with."""
    return BASE if BASE in criteria else criteria[0]


def comparisons(arm: str, criteria: Sequence[str], orders: Collection[str]) -> Iterator[Comparison]:
    """
    Yield all contrasts of a judge's criteria and orders in one arm.

    Other − base, averaged over orders; BA − AB of each criterion, and averaged over all of several; and
    (other − base) in BA minus that in AB, not halved (R12).
    """
    base = base_of(criteria)
    others = [name for name in criteria if name != base]
    shown = sorted(orders)
    kind = "clone-criterion" if arm == "clone" else "criterion"
    for of in ("adverse", "tie") if arm in NULL_ARMS else ("utility", "tie"):
        ties = " (ties)" if of == "tie" else ""
        for other in others:
            weights = {(other, o): 1 for o in shown} | {(base, o): -1 for o in shown}
            yield Comparison(kind, of, None, other, base, weights, len(shown), f"{kind}{ties}")
        if len(shown) < 2:
            continue
        family = f"order, interaction{ties}"
        for name in criteria:
            own = family if len(criteria) == 1 else ""
            yield Comparison("order", of, name, "BA", "AB", _swing([name]), 1, own)
        if others:
            yield Comparison("order", of, None, "BA", "AB", _swing(criteria), len(criteria), family)
        for other in others:
            minus = f"{other} − {base}"
            weights = {**_swing([other]), **{key: -sign for key, sign in _swing([base]).items()}}
            yield Comparison("interaction", of, None, f"({minus}) BA", f"({minus}) AB", weights, 1, family)


def _swing(criteria: Sequence[str]) -> dict[tuple[str, str], int]:
    return {(name, order): sign for name in criteria for order, sign in (("BA", 1), ("AB", -1))}


def contrast_names(arm: str, criteria: Sequence[str], orders: Collection[str]) -> Iterator[Comparison]:
    """Yield the contrasts that have a place in a family; equivalents are only described (METHODS 2)."""
    if arm in {"clone", "signal"} and criteria:
        yield from (one for one in comparisons(arm, criteria, orders) if one.family)


def contrast_family(one: Comparison, expect: str) -> str:
    """Name a contrast's family within its study: judges that are expected to fail have one of their own."""
    return f"{one.family}:{CONTROLS}" if expect == "uncertified" else one.family


def contrast_id(eval_name: str, variant: str, judge: str, one: Comparison) -> str:
    """Name a contrast within the run."""
    test = f"{eval_name}[{variant}]" if variant else eval_name
    return f"{test}::{judge}::{one.name}"
