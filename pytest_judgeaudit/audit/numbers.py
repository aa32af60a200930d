"""How numbers read: rates, bounds, p-values, counts and bounded lists. The only module that words them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice

SHOWN = 5
"""How many names a sentence lists before it only counts the others."""


def rate(value: float, *, apart_from: float | None = None) -> str:
    """
    Word a rate as a percentage with three digits, with more where it would read as a limit it is not.

    >>> [rate(x) for x in (0, 0.0289428, 0.05, 0.861856, 1, 0.00616, 0.9999, 1e-9)]
    ['0 %', '2.89 %', '5 %', '86.2 %', '100 %', '0.616 %', '> 99.9 %', '< 0.001 %']
    >>> rate(0.74996), rate(0.74996, apart_from=0.75), rate(0.75, apart_from=0.75)
    ('75 %', '74.996 %', '75 %')
    """
    return f"{_digits(100 * value, None if apart_from is None else 100 * apart_from)} %"


def p_value(p: float, *, apart_from: float | None = None) -> str:
    """
    Word a p-value; it is never zero.

    >>> [p_value(p) for p in (1, 0.2, 0.0213731, 0.00004)]
    ['p = 1', 'p = 0.2', 'p = 0.0214', 'p < 0.001']
    >>> p_value(0.05004, apart_from=0.05)
    'p = 0.05004'
    """
    return f"p {bare_p(p, apart_from=apart_from, equals='= ')}"


def bare_p(p: float, *, apart_from: float | None = None, equals: str = "") -> str:
    """
    Word a p-value for the column of a table.

    >>> bare_p(0.0213731), bare_p(3e-11)
    ('0.0214', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else equals + _digits(p, apart_from)


def _digits(value: float, limit: float | None) -> str:
    if 0 < value < 0.001:
        return "< 0.001"
    text = f"{value:.3g}"
    if limit is not None and value != limit:
        shown = f"{limit:.12g}"
        for precision in range(4, 13):
            if text != shown:
                break
            text = f"{value:.{precision}g}"
    # A rate just below one is not one.
    return "> 99.9" if text == "100" and value < 100 and limit is None else text


def money(amount: float) -> str:
    """
    Word an amount of money, in whatever currency.

    >>> [money(x) for x in (0, 1234.5678, 2.5, 0.03126, 0.00004)]
    ['0.00', '1,234.57', '2.50', '0.0313', '0.00004']
    """
    if amount >= 1 or amount == 0:
        return f"{amount:,.2f}"
    places = 2 - math.floor(math.log10(amount))
    return f"{amount:.{places}f}".rstrip("0")


def share(count: int, total: int) -> str:
    """
    Word a count with its total and its rate.

    >>> share(7, 612), share(0, 0)
    ('7 of 612 (1.14 %)', '0 of 0')
    """
    return f"{count} of {total} ({rate(count / total)})" if total else f"{count} of {total}"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """
    Word a count with its noun.

    >>> counted(1, "task"), counted(1224, "call"), counted(2, "family", "families")
    ('1 task', '1,224 calls', '2 families')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def some(names: Iterable[str], *, shown: int = SHOWN, longest: int = 80) -> str:
    """
    List the first names, each at most ``longest`` characters, and count the others.

    >>> some(["a", "b"]), some("abcdefgh")
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    rest = iter(names)
    listed = ", ".join(clipped(name, longest) for name in islice(rest, shown))
    more = sum(1 for _ in rest)
    return f"{listed} and {more} more" if more else listed


def clipped(text: str, length: int) -> str:
    """
    Cut a text to a length, with an ellipsis: between words, where one ends late enough.

    A name that is cut in its middle names something else. Only one word that fills two thirds of
    the length is cut itself.

    >>> clipped("abcdef", 4), clipped("abcd", 4)
    ('abc…', 'abcd')
    >>> clipped("no answer for test_copies-mine-refund", 30)
    'no answer for…'
    """
    if len(text) <= length:
        return text
    cut = text[: max(0, length - 1)]
    head = cut if text[len(cut)] == " " else cut.rpartition(" ")[0]
    return (head if 3 * len(head) >= length else cut).rstrip(" ,;:") + "…"
