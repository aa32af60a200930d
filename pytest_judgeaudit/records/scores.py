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

UNASKED = "the test did not put the answer to this judge"
"""The reason of a pending score that no live run would bring."""


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
        return self.state == "ok" and not self.refusal and None not in self._scores

    @property
    def _scores(self) -> tuple[float | None, ...]:
        """The four scores in the order of :data:`DIMENSIONS`."""
        return self.accuracy, self.completeness, self.traceability, self.usefulness

    @property
    def dimensions(self) -> Mapping[str, float] | None:
        """The four scores by dimension, None where there are none."""
        known = {
            name: score for name, score in zip(DIMENSIONS, self._scores, strict=True) if score is not None
        }
        return known if len(known) == len(DIMENSIONS) else None

    @property
    def total(self) -> float | None:
        """The sum of the four, from 0 to 100; None where there are none."""
        known = [score for score in self._scores if score is not None]
        return sum(known) if len(known) == len(DIMENSIONS) else None
