"""What rubric scores amount to: floors, spreads, means, noise and designs, as the report holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_judgeaudit.records.plans import Finding

MeanKind = Literal["question-balanced", "pooled", "judge-balanced"]
"""
Over questions, of the mean over valid judges (the headline); over all judgements; over judges, of the mean
of each.
"""

TOTAL = "total"
"""The sum of the dimensions, from 0 to 100, where a figure is told by dimension."""

FloorState = Literal["reported", "not verified", "one family", "blind floor not reported"]
DesignKind = Literal["corpus × genre", "corpus × rename", "rename", "genre", "corpus"]
DecisionState = Literal["REPORTED", "MISS", "HOLD"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """
    What an agent without any access to a corpus scores in one run, and what its other scores are above it.

    ``condition`` is "" for the corpus as it is, else ``renamed`` or ``renamed@2``. Scores are means of 0 to
    100 over the judges that scored both arms. ``judges`` maps each to its family, its own ``floor``,
    ``by_dimension`` and ``adjusted``, and counts of its blind judgements. ``scores`` maps the arms that see
    the corpus to their mean, ``adjusted`` to (score − floor) / (100 − floor); empty unless the blind arm is
    verified. ``reasons`` say why a floor is missing, not verified, or of one family.
    """

    eval: str
    corpus: str
    agent: str
    run: str
    condition: str = ""
    state: FloorState
    judges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_dimension: Mapping[str, float] = field(default_factory=dict)
    floor: float | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    adjusted: Mapping[str, float] = field(default_factory=dict)
    verified_blind: bool = False
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorDecision:
    """What ``blind_floor`` says: its state, the highest floor, the limit, and what that claims."""

    state: DecisionState
    bound: float | None
    threshold: float | None
    statement: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """
    How far two families of judges are apart on the same answers: ``minuend`` − ``subtrahend``, signed.

    ``blind`` and ``sighted`` map each dimension and ``total`` to a mean difference in points, empty without
    answers that both scored (``answers`` counts them by arm). ``ratio`` is |blind| / |sighted|, None at 0.
    ``under_determined`` tells of each dimension whether |blind| is above its noise floor and above twice
    |sighted|, None where one of them was not measured.
    """

    eval: str
    corpus: str
    agent: str
    condition: str
    minuend: str
    subtrahend: str
    answers: Mapping[str, int]
    blind: Mapping[str, float]
    sighted: Mapping[str, float]
    ratio: Mapping[str, float | None]
    under_determined: Mapping[str, bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMeans:
    """
    The means of one cell: an eval, a corpus, an agent and an arm.

    ``means`` maps each kind of mean to the total of 0 to 100, empty where nothing is valid;
    ``by_dimension`` is of the kind that was chosen. By judge, ``excluded`` counts judgements that are no
    score, ``refused`` those that call the answer a refusal. ``span`` is the largest difference between the
    three means; ``direction`` says where the losses push a mean over all judgements: ``up``, ``down`` or
    "".
    """

    eval: str
    corpus: str
    agent: str
    arm: str
    questions: int
    answers: int
    void: int
    judgements: Mapping[str, int]
    excluded: Mapping[str, int]
    refused: Mapping[str, int]
    means: Mapping[str, float]
    by_dimension: Mapping[str, float]
    span: float | None
    direction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusions:
    """
    Judgements that are no score, over all cells.

    ``skew`` is the largest count of a judge over the smallest, None where that is 0.
    """

    judgements: int
    excluded: int
    by_judge: Mapping[str, int]
    skew: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRuns:
    """One blind cell's mean in each replicate: the run-to-run variance of the floor itself."""

    cell: str
    floors: Mapping[str, float]
    variance: float
    range: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """
    What changes between two runs of one configuration.

    ``total`` and ``by_dimension`` are ranges, in points, of cell-mean differences that should be zero;
    ``pair_level`` is the mean absolute change of one judge's total on one question. ``differences`` maps
    each replicated cell to its signed differences. ``chance`` is the probability that a contrast of two
    cells, of one run each and without any effect, exceeds the range; ``chance_interaction`` that of four.
    Where the state is ``not measured``, ``reason`` says why and the ranges are None and empty.
    """

    state: Literal["measured", "not measured"]
    cells: int = 0
    total: float | None = None
    by_dimension: Mapping[str, float] = field(default_factory=dict)
    pair_level: float | None = None
    pair_level_by_dimension: Mapping[str, float] = field(default_factory=dict)
    differences: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    chance: float | None = None
    chance_interaction: float | None = None
    floors: tuple[FloorRuns, ...] = ()
    reason: str = ""

    def floor(self, dimension: str = TOTAL) -> float | None:
        """Return the noise floor of a dimension, or of the total; None where it was not measured."""
        return self.total if dimension == TOTAL else self.by_dimension.get(dimension)


NOT_MEASURED = Noise(state="not measured", reason="nothing was replicated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """
    One named contrast of a design.

    ``value`` is in points, or a share of 1 where ``unit`` says so; None where ``reason`` says why.
    ``multiple`` is |value| over the noise floor, ``within_noise`` whether that is at most 1; both None for
    shares and where the noise was not measured. ``by_dimension`` splits it where it can be split,
    ``multiples`` tells each part over the noise floor of its own dimension.
    """

    name: str
    value: float | None
    unit: Literal["points", "share"] = "points"
    multiple: float | None = None
    within_noise: bool | None = None
    by_dimension: Mapping[str, float] = field(default_factory=dict)
    multiples: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """
    Contrasts of blind scores that share cells.

    ``corpora`` are one, or two: first the one with the higher floor as it is. ``levels`` are the two genres
    or conditions that are compared, ``means`` the question-balanced means by cell. ``readable`` tells of a
    rename whether it left the questions answerable (sighted effects within noise), None where that is not
    known. ``by_category`` and ``without_category`` are gaps between the corpora within one category and
    without it. ``statement`` says how far this goes.
    """

    design: DesignKind
    agent: str
    corpora: tuple[str, ...]
    levels: tuple[str, ...]
    means: Mapping[str, float]
    figures: tuple[Figure, ...]
    readable: bool | None = None
    by_category: Mapping[str, float] = field(default_factory=dict)
    without_category: Mapping[str, float] = field(default_factory=dict)
    statement: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """
    What a prediction says, read: a measure and what becomes of it.

    ``arm`` is ``blind`` or ``sighted``, "" where the contrast has one value only; ``dimension`` one of the
    rubric's, or ``total``. ``verb`` is ``falls``, ``rises``, ``moves`` or ``is``; ``bound`` ``at least``,
    ``at most``, ``within noise`` or "" (by any amount); ``amount`` is in points, or a share of 1.
    """

    arm: str
    dimension: str
    verb: Literal["falls", "rises", "moves", "is"]
    bound: Literal["at least", "at most", "within noise", ""]
    amount: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One ``[[prediction]]``, read: the contrast it is about, its words, and what they say."""

    id: str
    contrast: str
    text: str
    expects: Expectation
    corpus: str | None = None
    agent: str | None = None
    arms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionOutcome:
    """
    A prediction beside what came of it.

    ``outcome`` is ``hit`` or ``miss``, or ``not decided`` with a reason. ``value`` is the figure it was
    decided by, ``where`` the design that holds it.
    """

    id: str
    contrast: str
    expects: str
    outcome: Literal["hit", "miss", "not decided"]
    value: float | None = None
    where: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comprehension:
    """Everything that is made of the rubric scores of one run."""

    floors: tuple[Floor, ...] = ()
    spreads: tuple[Spread, ...] = ()
    noise: Noise | None = None
    designs: tuple[Design, ...] = ()
    means: tuple[CellMeans, ...] = ()
    exclusions: Exclusions | None = None
    predictions: tuple[PredictionOutcome, ...] = ()
    findings: tuple[Finding, ...] = ()
