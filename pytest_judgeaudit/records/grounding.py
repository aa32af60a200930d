"""What an answer says that can be checked, and what the corpus says to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

ClaimSort = Literal["path", "identifier", "number", "quote", "absence"]
GroundState = Literal["SUPPORTED", "PARTIALLY_SUPPORTED", "UNSUPPORTED", "UNABLE_TO_VERIFY"]

GROUND_STATES: tuple[GroundState, ...] = get_args(GroundState)

FEW = 3
"""Claims up to which accuracy says nearly nothing (METHODS 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerClaim:
    """
    One thing in an answer that a corpus can confirm.

    ``text`` is what was written, ``context`` the clause it stands in. ``names`` are identifiers of that
    clause, ``paths`` the files that it names, the nearest first. ``line`` and ``last`` are the lines that a
    path cites. An ``absence`` says that something named is not there.
    """

    sort: ClaimSort
    text: str
    context: str = ""
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    line: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedClaim:
    """
    A claim with what was found.

    ``file`` (with forward slashes) and ``line`` (from 1; None for a whole file) say where, ``snippet`` is
    that line, ``reason`` one line on what decided.
    """

    claim: AnswerClaim
    state: GroundState
    reason: str
    file: str = ""
    line: int | None = None
    snippet: str = ""

    @property
    def where(self) -> str:
        """The place as ``file:line``; empty where nothing was found."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """
    All claims of one answer, verified.

    ``cut`` says that the answer held more than was looked at; ``unsearched`` names files of the corpus that
    were not searched, so that no name, number or quote is called unsupported.
    """

    claims: tuple[GroundedClaim, ...] = ()
    cut: bool = False
    unsearched: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[GroundState, int]:
        """How many claims there are of each state, in the order of METHODS."""
        found = Counter(one.state for one in self.claims)
        return {state: found[state] for state in GROUND_STATES}

    @property
    def few(self) -> bool:
        """Whether there are so few claims that an accuracy says nearly nothing."""
        return len(self.claims) <= FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVolume:
    """
    How much the answers of one eval, agent and arm say that can be checked.

    ``few`` counts those with at most :data:`FEW` claims, ``states`` all claims by what came of them.
    """

    eval: str
    agent: str
    arm: str
    answers: int
    claims_per_answer: float
    few: int
    states: Mapping[GroundState, int]
