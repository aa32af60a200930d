"""What a report leaves out, why, and what a figure is with and without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Rows that are in no mean: those whose fields have the values of ``cell``, and why."""

    cell: Mapping[str, str]
    why: str
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """
    One exclusion in one eval and agent.

    ``what`` names it; ``rows`` counts its graded answers. ``mean_with`` is the mean deterministic score, in
    [0, 1], of the rows in the means and its own, ``mean_without`` that of the rows in the means; None where
    there are none.
    """

    eval: str
    agent: str
    what: str
    why: str
    rows: int
    mean_with: float | None
    mean_without: float | None
