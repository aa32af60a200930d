"""What was observed: one trial an item, as it travels from the process that ran it to the controller."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Literal

from pytest_judgeaudit.records.verdicts import Winner

Outcome = Literal["success", "adverse", "void"]
AnswerState = Literal["hit", "asked", "missing", "stale", "failed", "stopped", "unfunded", "direct"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    One presentation, run once.

    ``outcome`` is the assertion's: ``success``, ``adverse``, or ``void`` when the item failed for another
    reason, was skipped, or could not be answered; ``reason`` then says why (for an invalid output, why it
    is no verdict). ``winner`` is the canonical verdict, None where no verdict was obtained. ``answer``
    tells where the answer came from (``unfunded``: nowhere, the run's budget was spent); ``direct``
    answers (embedded, recorded) are not stored. ``digest`` is that of the raw text. ``attempts`` counts
    tries, ``prompt_tokens`` and ``completion_tokens`` are None where the service stated no usage.
    """

    cell: str
    task: str
    order: str
    replicate: int = 1
    outcome: Outcome
    winner: Winner | None = None
    reason: str | None = None
    answer: AnswerState | None = None
    answer_name: str | None = None
    digest: str | None = None
    served: str | None = None
    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    asked_at: float | None = None
    """When the first attempt started, in seconds since the epoch; None where nothing was asked."""
    unkept: str | None = None
    """Why a new answer could not be stored."""
    duplicated: bool = False
    """The log holds two different rows for this presentation."""

    def to_json(self) -> str:
        """One ASCII line: execnet aborts a run on lone surrogates, which models do send."""
        # By hand and not by asdict, which copies every value: this runs once a trial.
        return json.dumps({name: value for name in _FIELDS if (value := getattr(self, name)) is not None})

    @classmethod
    def from_json(cls, text: str) -> Trial:
        """Read what :meth:`to_json` wrote."""
        return cls(**json.loads(text))


_FIELDS = tuple(field.name for field in fields(Trial))
