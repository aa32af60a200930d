"""
What each family's task demands, written a second time and from the specification alone.

Nothing here sees a candidate's text, and nothing here shares its way of computing: where the candidates
count, step and compare, the oracle enumerates, builds sets, or uses exact fractions. It is slower and
closer to the words of the specification. ``certification`` compares them everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache

from pytest_judgeaudit.corpora.finite_code.families import battery

Values = Mapping[str, int]


def clamp(values: Values, level: int, first: int, second: int) -> int:
    """Bound by the median: the middle one of low, high and the level is the level within bounds."""
    for change in (first, -values["LEAK"], second):
        level = sorted((values["LOW"], level + change, values["HIGH"]))[1]
    return level


def digits(values: Values, number: int) -> int:
    """Write out the digits, then add the contributions by position."""
    base = values["BASE"]
    contributions = (
        sum(_digits(digit * values["WEIGHT"], base)) if position % 2 == 0 else digit
        for position, digit in enumerate(_digits(number, base), start=1)
    )
    return sum(contributions) % values["MODULUS"]


def _digits(number: int, base: int) -> list[int]:
    places = itertools.takewhile(
        lambda place: place <= number, (base**power for power in itertools.count())
    )
    return [number // place % base for place in places]


def overlap(
    values: Values, first_start: int, first_length: int, second_start: int, second_length: int
) -> int:
    """Intersect three sets of slots."""
    first = range(first_start, first_start + first_length + values["CLEAN"])
    second = range(second_start, second_start + second_length + values["CLEAN"])
    return len(set(first) & set(second) & set(range(values["LAST"] + 1)))


def rank(values: Values, elements: Sequence[int]) -> int:
    """Define place by counting: the k-th smallest has exactly k - 1 different values below it."""
    eligible = {element for element in elements if element > values["FLOOR"]}
    at_place = (
        element for element in eligible if sum(other < element for other in eligible) == values["K"] - 1
    )
    return next(at_place, values["DEFAULT"])


def rounding(values: Values, price: int, count: int) -> int:
    """Round an exact fraction: Python rounds the halves of a Fraction to even."""
    total = sum(itertools.repeat(price, count)) + values["FEE"]
    return round(Fraction(total, values["UNIT"])) * values["UNIT"]


def runs(values: Values, elements: Sequence[int]) -> int:
    """Group equal neighbours."""
    groups = ((element, len(list(group))) for element, group in itertools.groupby(elements))
    return sum(
        length for element, length in groups if length >= values["LEAST"] and element != values["IDLE"]
    )


def search(values: Values, target: int, limit: int) -> int:
    """Try every number of rounds, and add up its rounds anew."""
    enough = (
        rounds
        for rounds in range(limit + 1)
        if sum(values["FIRST"] + values["GROWTH"] * earlier for earlier in range(rounds)) >= target
    )
    return next(enough, -1)


def windows(values: Values, elements: Sequence[int]) -> int:
    """Zip the list with its own shifted copies: each tuple is one window."""
    shifted = (elements[shift:] for shift in range(values["WIDTH"]))
    sums = map(sum, zip(*shifted, strict=False))
    return max((total for total in sums if total <= values["CAP"]), default=values["DEFAULT"])


ORACLES: Mapping[str, Callable[..., int]] = {
    oracle.__name__: oracle for oracle in (clamp, digits, overlap, rank, rounding, runs, search, windows)
}


@cache
def expected(item_id: str) -> tuple[int, ...]:
    """Return what the specification demands of an item on every input, in the order of its domain."""
    item = battery()[item_id]
    oracle = ORACLES[item.family]
    return tuple(oracle(item.setting, *arguments) for arguments in item.domain.inputs())
