"""The finite domains that the battery's code is defined on: enumerated in a fixed order, said in words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

Value = int | tuple[int, ...]
"""One argument; a list argument is kept as a tuple, so that nothing that runs can change the domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Integers:
    """An argument that is any integer from ``low`` to ``high``, both included."""

    name: str
    low: int
    high: int

    @property
    def size(self) -> int:
        """The number of its values."""
        return self.high - self.low + 1

    @property
    def words(self) -> str:
        """The argument's range as a judge reads it."""
        return f"{self.name} is an integer from {self.low} to {self.high}"

    def values(self) -> Iterator[int]:
        """Every value, ascending."""
        yield from range(self.low, self.high + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerList:
    """An argument that is any list of at most ``longest`` integers, each from ``low`` to ``high``."""

    name: str
    low: int
    high: int
    longest: int

    @property
    def size(self) -> int:
        """The number of its values, the empty list among them."""
        return sum((self.high - self.low + 1) ** length for length in range(self.longest + 1))

    @property
    def words(self) -> str:
        """The argument's range as a judge reads it."""
        return (
            f"{self.name} is a list of 0 to {self.longest} integers, each an integer from "
            f"{self.low} to {self.high}"
        )

    def values(self) -> Iterator[tuple[int, ...]]:
        """Every list, shorter ones first, those of one length in lexicographic order."""
        alphabet = range(self.low, self.high + 1)
        for length in range(self.longest + 1):
            yield from itertools.product(alphabet, repeat=length)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """
    Every combination of the arguments' values.

    >>> small = Domain(arguments=(Integers(name="n", low=0, high=1), Integers(name="k", low=5, high=6)))
    >>> list(small.inputs())
    [(0, 5), (0, 6), (1, 5), (1, 6)]
    >>> small.words
    'n is an integer from 0 to 1; k is an integer from 5 to 6. Every combination is valid: 4 inputs in all.'
    """

    arguments: tuple[Integers | IntegerList, ...]

    @property
    def size(self) -> int:
        """The number of inputs, by arithmetic and not by enumeration."""
        return math.prod(argument.size for argument in self.arguments)

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments' names in the order of the call."""
        return tuple(argument.name for argument in self.arguments)

    @property
    def words(self) -> str:
        """The whole domain as a judge reads it: exactly these inputs and no others."""
        every = "Every combination is valid" if len(self.arguments) > 1 else "Every such input is valid"
        ranges = "; ".join(argument.words for argument in self.arguments)
        return f"{ranges}. {every}: {self.size} inputs in all."

    def inputs(self) -> Iterator[tuple[Value, ...]]:
        """Every input once; the last argument varies fastest."""
        return itertools.product(*(argument.values() for argument in self.arguments))
