"""What a judge said of a pair, or of a single answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeGuard

from pytest_judgeaudit.records.errors import JudgeFault
from pytest_judgeaudit.records.items import Order

Slot = Literal["A", "B", "tie"]
Winner = Literal["first", "second", "tie", "invalid"]
Ruling = Literal["accept", "reject", "invalid"]

LENIENT = ', which parser = "lenient" would read'
"""How the reason of an output ends that the strict parser refuses and the lenient one reads."""


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value counts tokens: whole, not negative, and small enough for any reader of JSON."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call or of many; ``unknown_calls`` counts those that stated none."""

    prompt: int = 0
    completion: int = 0
    unknown_calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            unknown_calls=self.unknown_calls + other.unknown_calls,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    A judge's verdict on one presentation.

    ``slot`` is what the judge named, ``winner`` the same mapped back to content. An output that is no
    verdict has ``winner`` ``invalid``, ``slot`` None and a ``reason``; it is never mapped to a tie.
    ``raw`` is the text as it came, ``served`` what the service declared, None where nothing was declared.
    """

    slot: Slot | None
    winner: Winner
    reason: str | None = None
    raw: str = ""
    served: str | None = None
    usage: Usage | None = None

    def __repr__(self) -> str:
        # Failed assertions show this, once a trial: not the raw text, which is hostile.
        return f"<verdict {self.winner}>"

    @property
    def tie(self) -> bool:
        """Whether the judge called it a tie, validly."""
        return self.winner == "tie"

    @property
    def valid(self) -> bool:
        """Whether the output was a verdict at all."""
        return self.winner != "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """
    What a judge said of a single answer.

    An output that is neither has the ``ruling`` ``invalid`` and a ``reason``; ``raw``, ``served`` and
    ``usage`` are as of a :class:`Verdict`. It stands for no truth value: ``assert judge.accepts(item)``
    would hold whatever was said, and raises JudgeFault instead. Compare ``accepted``.
    """

    ruling: Ruling
    reason: str | None = None
    raw: str = ""
    served: str | None = None
    usage: Usage | None = None

    def __repr__(self) -> str:
        # Failed assertions show this, once a trial: not the raw text, which is hostile.
        return f"<acceptance {self.ruling}>"

    @property
    def accepted(self) -> bool | None:
        """True or False as was said; None, which equals neither, where the output was no verdict."""
        return None if self.ruling == "invalid" else self.ruling == "accept"

    @property
    def rejected(self) -> bool:
        """Whether the judge rejected the answer, validly; ``not accepted`` would not say so."""
        return self.ruling == "reject"

    @property
    def valid(self) -> bool:
        """Whether the output was a verdict at all."""
        return self.ruling != "invalid"

    def __bool__(self) -> bool:
        raise JudgeFault("an acceptance is neither true nor false. Write `.accepted`.")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, bool):
            raise JudgeFault("an acceptance is neither true nor false. Write `.accepted == …`.")
        if not isinstance(other, Acceptance):
            return NotImplemented
        return (self.ruling, self.reason, self.raw) == (other.ruling, other.reason, other.raw)

    def __hash__(self) -> int:
        return hash((self.ruling, self.reason, self.raw))


def winner_of(slot: Slot, order: Order) -> Winner:
    """
    Map a slot back to content.

    >>> winner_of("A", "AB"), winner_of("A", "BA"), winner_of("tie", "BA")
    ('first', 'second', 'tie')
    """
    if slot == "tie":
        return "tie"
    return "first" if (slot == "A") == (order == "AB") else "second"
