"""A published figure, and what the rows say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ClaimKind = Literal["mean", "sum", "count", "median", "effect", "absence"]
ClaimState = Literal["verified", "failed", "not verified"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """
    A statement with the cell it comes from.

    ``cell`` names rows by field (``agent``, ``arm``, ``class``, …), ``against`` those of the other side of
    an ``effect`` or an ``absence``. ``value`` is the figure as it was published; ``n`` and ``sum``, where
    they were published too, must fit it. ``event`` is what is claimed to be absent.
    """

    text: str
    cell: Mapping[str, str]
    value: float
    kind: ClaimKind = "mean"
    against: Mapping[str, str] = field(default_factory=dict)
    n: int | None = None
    sum: float | None = None
    maximum: float = 1.0
    event: str = "hallucinated"
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """
    A claim against the rows.

    ``computed`` is the figure that the rows give, None without rows. ``reasons`` say, each in a line, what
    does not hold, computed against stated; empty for a verified claim.
    """

    claim: Claim
    state: ClaimState
    computed: float | None = None
    reasons: tuple[str, ...] = ()
