"""What a grader says of an answer, and a judge of the same checklist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pytest_judgeaudit.records.grounding import Grounding
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.scores import RubricScore

GradeState = Literal[
    "graded",
    "judge only",
    "contaminated",
    "unavailable",
    "unanswered",
    "refusal",
    "retired",
    "nothing expected",
]
JudgeState = Literal["ok", "pending", "stale", "not applicable"]

HARD_SIGNALS = (
    "names-question-set",
    "quotes-key-part",
    "leans-on-grader",
    "names-own-id",
    "claims-foreknowledge",
)
"""Signs that an answer rests on the question set, its key or the machinery: they void the score."""

SOFT_SIGNALS = ("guesses-probe",)
"""Signs of suspicion: counted, never punished."""

UNJUDGED = {
    "refusal": "the agent refused to answer",
    "contaminated": "the answer rests on the question set",
    "unavailable": "the agent's tools were out of reach",
}
"""Outcomes and states of answers that no judge is asked about, each with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contamination:
    """The signs of contamination in an answer, and the text at which each was found."""

    hard: tuple[str, ...] = ()
    soft: tuple[str, ...] = ()
    quotes: Mapping[str, str] = field(default_factory=dict)

    @property
    def contaminated(self) -> bool:
        """Whether the score is void."""
        return bool(self.hard)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """
    A deterministic grade.

    ``score`` lies in [0, 1]; None is no score and never a zero: ``state`` says why. ``score_if_clean`` is
    what a contaminated answer would have scored. ``base`` and ``bonus`` are the shares of required and
    optional facts; ``missing`` names required facts only. ``forbidden_hit`` maps the forbidden facts that
    are asserted to the segment that asserts them. ``abstained`` is None where nobody asked.
    """

    score: float | None
    state: GradeState = "graded"
    reason: str = ""
    base: float = 0.0
    bonus: float = 0.0
    per_fact: Mapping[str, bool] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    forbidden_hit: Mapping[str, str] = field(default_factory=dict)
    hallucinated: bool = False
    abstained: bool | None = None
    contamination: Contamination = field(default_factory=Contamination)
    score_if_clean: float | None = None

    @property
    def void(self) -> bool:
        """Whether the answer was not graded; a void grade is outside of every mean."""
        return self.score is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistVerdict:
    """
    A judge's verdict on a checklist.

    ``state`` is ``ok``; ``pending`` (asked or to be asked, without a usable reply), ``stale`` (its key
    moved) or ``not applicable`` (never judged), each with its cause in ``reason``. ``score`` lies in
    [0, 1] and is None unless the state is ``ok`` or ``stale``; ``stated`` is the number as it was written.
    ``replied`` tells a pending verdict with a reply that is none from one without a reply.
    """

    state: JudgeState
    score: float | None = None
    stated: float | None = None
    per_fact: Mapping[str, bool] = field(default_factory=dict)
    why: str = ""
    reason: str = ""
    served: str | None = None
    replied: bool = False

    @property
    def valid(self) -> bool:
        """Whether the verdict may be compared: its state is ``ok``."""
        return self.state == "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedRow:
    """
    One answer to one question, graded and perhaps judged: a row of an audit.

    :attr:`fields` is what figures name it by. ``checks`` are verdicts on the checklist by judge,
    ``truncated`` that the judges saw a part of the answer, so that their verdicts are compared with
    nothing. ``tool_calls`` is None where no trace says, ``tools`` counts them by tool. ``outcome`` is how
    the agent's call ended. ``corpus`` is the name of what the agent could see, "" without one; ``scores``
    are those of a rubric by judge; ``exposed`` says why an answer of a blind arm is not verified to be
    blind, empty where it is or where the arm is not blind; ``grounding`` is what the corpus says to its
    claims, None where no judge of a rubric asked; ``excluded`` says why it is in no mean, mostly empty.
    """

    question: Question
    grade: Grade
    answer: str
    arm: str = "sighted"
    agent: str = ""
    eval: str = ""
    replicate: int = 1
    checks: Mapping[str, ChecklistVerdict] = field(default_factory=dict)
    truncated: bool = False
    tool_calls: int | None = None
    tools: Mapping[str, int] = field(default_factory=dict)
    outcome: str = "ok"
    corpus: str = ""
    scores: Mapping[str, RubricScore] = field(default_factory=dict)
    exposed: tuple[str, ...] = ()
    excluded: str = ""
    grounding: Grounding | None = None

    @property
    def unjudged(self) -> str:
        """Why no judge is asked about the answer; empty where one may be."""
        return UNJUDGED.get(self.outcome) or UNJUDGED.get(self.grade.state, "")

    @property
    def fields(self) -> Mapping[str, str]:
        """What a cell can name a row by."""
        asked = self.question
        return {
            "eval": self.eval,
            "agent": self.agent,
            "corpus": self.corpus,
            "arm": self.arm,
            "question": asked.id,
            "class": asked.cls,
            "genre": asked.genre,
            "category": asked.category,
            "difficulty": asked.difficulty,
            "replicate": str(self.replicate),
        }
