"""What was observed: one trial an item, as it travels from the process that ran it to the controller."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from pytest_judgeaudit.records.verdicts import Ruling, Winner

Outcome = Literal["success", "adverse", "void"]
AnswerState = Literal[
    "hit", "asked", "missing", "stale", "failed", "faulty", "stopped", "unfunded", "direct"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCall:
    """
    One call of a judge about an answer.

    ``what`` is ``rubric`` or ``checklist``; ``valid`` whether its output could be read, None where there is
    none; ``answer`` where it came from, and the rest as for a :class:`Trial`.
    """

    judge: str
    what: Literal["rubric", "checklist"]
    answer: AnswerState
    valid: bool | None = None
    reason: str | None = None
    served: str | None = None
    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    asked_at: float | None = None
    unkept: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    One presentation, run once.

    ``outcome`` is the assertion's: ``success``, ``adverse``, or ``void`` when the item failed for another
    reason, was skipped, or could not be answered; ``reason`` then says why (for an invalid output, why it
    is no verdict). ``winner`` is the canonical verdict, of a single answer ``accept`` or ``reject``, None
    where no verdict was obtained. ``answer`` tells where the answer came from (``unfunded``: nowhere, the
    run's budget was spent; ``faulty``: code of the user's or of a plug-in failed); ``direct`` answers
    (embedded, recorded) are not stored. ``digest`` is that of the raw text. ``attempts`` counts tries,
    ``prompt_tokens`` and ``completion_tokens`` are None where the service stated no usage.
    """

    cell: str
    task: str
    order: str
    replicate: int = 1
    outcome: Outcome
    winner: Winner | Ruling | None = None
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
    unknown_calls: int | None = None
    """Of a question: the tries and requests within it of which no usage is known, beside known ones."""
    unkept: str | None = None
    """Why a new answer could not be stored."""
    duplicated: bool = False
    """The log holds two different rows for this presentation."""
    graded: Mapping[str, Any] | None = field(default=None, hash=False)
    """Of a question: the answer with its grades, as :mod:`pytest_judgeaudit.audit.graded` writes it."""
    judged: Sequence[JudgeCall] = ()
    """Of a question: the calls of judges about the answer."""

    def to_json(self) -> str:
        """One ASCII line: execnet aborts a run on lone surrogates, which models do send."""
        # By hand and not by asdict, which copies every value: this runs once a trial.
        raw = {name: value for name in _FIELDS if (value := getattr(self, name)) is not None}
        if self.judged:
            raw["judged"] = [asdict(call) for call in self.judged]
        else:
            del raw["judged"]
        return json.dumps(raw)

    @classmethod
    def from_json(cls, text: str) -> Trial:
        """Read what :meth:`to_json` wrote."""
        raw = json.loads(text)
        if "judged" in raw:
            raw["judged"] = tuple(JudgeCall(**call) for call in raw["judged"])
        return cls(**raw)


_FIELDS = tuple(field.name for field in fields(Trial))
