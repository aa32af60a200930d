"""Order patterns: what a judge said of the same task in both orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import get_args

from pytest_judgeaudit.records.verdicts import Winner

PATTERNS = ("tie", "stable", "position", "one_sided", "invalid")
WINNERS = get_args(Winner)


def order_patterns(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """
    Count the order patterns of complete pairs.

    A pair is (winner shown AB, winner shown BA), each ``first``, ``second``, ``tie`` or ``invalid``, mapped
    back to content. Both tie: ``tie``; the same content twice: ``stable``; the same slot twice:
    ``position`` (a pattern, not a cause); one tie and one not: ``one_sided``; anything invalid:
    ``invalid``. Raises ValueError for any other winner.

    >>> order_patterns([("first", "first"), ("first", "second"), ("tie", "second"), ("tie", "invalid")])
    {'tie': 0, 'stable': 1, 'position': 1, 'one_sided': 1, 'invalid': 1}
    """
    counts = Counter(_pattern(ab, ba) for ab, ba in pairs)
    return {name: counts[name] for name in PATTERNS}


def _pattern(ab: str, ba: str) -> str:
    for winner in (ab, ba):
        if winner not in WINNERS:
            raise ValueError(f"a winner is one of {', '.join(WINNERS)}, got {winner!r}")
    if "invalid" in (ab, ba):
        return "invalid"
    if ab == ba:
        return "tie" if ab == "tie" else "stable"
    return "one_sided" if "tie" in (ab, ba) else "position"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """
    Shares of the order patterns.

    ``counts`` are those of :func:`order_patterns`; ``pairs`` is their sum and ``valid`` the number of pairs
    with two valid calls. ``scs`` (stable content), ``pfp`` (same slot) and ``one_sided`` are shares of all
    pairs. ``non_tie`` is the share of non-tie calls among the calls of valid pairs: the raw false
    preference rate where a tie is right; None when no pair is valid.
    """

    counts: Mapping[str, int]
    pairs: int
    valid: int
    scs: float
    pfp: float
    one_sided: float
    non_tie: float | None


def decomposition(pairs: Iterable[tuple[str, str]]) -> Decomposition:
    """
    Decompose the non-tie calls of complete pairs into stable content, same slot and one-sided.

    Over the pairs with two valid calls the share of non-tie calls equals SCS + PFP + ½·(one-sided share),
    with the same denominator; this is checked in whole calls, and an ArithmeticError says so if it ever
    fails. Raises ValueError when there is no pair, and for an unknown winner.

    A published ladder: 27 stable, 32 same-slot and one one-sided pair of 60 have a raw rate of .992.

    >>> pairs = [("first", "first")] * 27 + [("first", "second")] * 32 + [("tie", "first")]
    >>> found = decomposition(pairs)
    >>> found.scs, round(found.pfp, 3), round(found.non_tie, 3)
    (0.45, 0.533, 0.992)
    """
    pairs = list(pairs)
    if not pairs:
        raise ValueError("a decomposition needs at least one pair, got none")
    counts = order_patterns(pairs)
    valid = [pair for pair in pairs if "invalid" not in pair]
    non_ties = sum(winner != "tie" for winner in chain.from_iterable(valid))
    if non_ties != 2 * counts["stable"] + 2 * counts["position"] + counts["one_sided"]:
        raise ArithmeticError(f"{non_ties} non-tie calls do not add up to the order patterns {counts}")
    return Decomposition(
        counts=counts,
        pairs=len(pairs),
        valid=len(valid),
        scs=counts["stable"] / len(pairs),
        pfp=counts["position"] / len(pairs),
        one_sided=counts["one_sided"] / len(pairs),
        non_tie=non_ties / (2 * len(valid)) if valid else None,
    )
