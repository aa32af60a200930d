"""What a judge of a rubric says of an answer: four dimensions, a label, and why there is no score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pytest_judgeaudit.records.verdicts import Usage

DIMENSIONS: Mapping[str, int] = {"accuracy": 30, "completeness": 25, "traceability": 25, "usefulness": 20}
"""Each dimension of the rubric with its highest score; the lowest is 0, and the total at most 100."""

ScoreState = Literal["ok", "invalid", "pending", "stale", "not applicable"]
"""
``ok``: four scores were read. ``invalid``: the judge replied, and it is no score. ``pending``: asked or to
be asked, without a reply. ``stale``: given under another key, and kept. ``not applicable``: never judged.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricScore:
    """
    One judge's score of one answer.

    The dimensions lie in their ranges (:data:`DIMENSIONS`) and are None together where nothing was read.
    ``label`` is the judge's word for the whole; ``refusal`` says that the judge calls the answer a
    refusal, an outcome of its own and no low score. ``reason`` is the cause of any state but ``ok``.
    """

    state: ScoreState
    accuracy: float | None = None
    completeness: float | None = None
    traceability: float | None = None
    usefulness: float | None = None
    label: str = ""
    refusal: bool = False
    reason: str = ""
    raw: str = field(default="", repr=False)
    served: str | None = None
    usage: Usage | None = None

    @property
    def valid(self) -> bool:
        """Whether the score counts: it was read, under the present key, of an answer that is no refusal."""
        return self.state == "ok" and not self.refusal and self.dimensions is not None

    @property
    def dimensions(self) -> Mapping[str, float] | None:
        """The four scores by dimension, None where there are none."""
        found = {
            "accuracy": self.accuracy,
            "completeness": self.completeness,
            "traceability": self.traceability,
            "usefulness": self.usefulness,
        }
        known = {name: score for name, score in found.items() if score is not None}
        return known if len(known) == len(found) else None

    @property
    def total(self) -> float | None:
        """The sum of the four, from 0 to 100; None where there are none."""
        return None if self.dimensions is None else sum(self.dimensions.values())
