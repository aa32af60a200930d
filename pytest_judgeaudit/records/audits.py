"""What an audit found: the nouns of the report, field for field those of its JSON form (schema 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_judgeaudit.records.claims import ClaimResult
from pytest_judgeaudit.records.exclusions import LeftOut
from pytest_judgeaudit.records.floors import Comprehension
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.grounding import ClaimVolume
from pytest_judgeaudit.records.plans import Finding

GateState = Literal["PASS", "MISS", "HOLD", "REPORTED", "PARTIAL"]
ItemOutcome = Literal["passed", "failed", "error", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """
    One campaign: a judge in a study (RULES R16), with its operational state.

    ``calls`` counts scheduled calls of all arms and criteria but the edge strata, ``invalid`` those whose
    output is no verdict. ``by_condition`` counts scheduled, terminal and invalid calls by criterion and
    condition (``clone``, ``signal AB``, …). ``reasons`` are empty unless the state is HOLD;
    ``judge_fault`` tells whether all of them come from what the judge said. ``cost`` is that of the tokens
    in ``usage``, in the currency of the price; None without a price.
    """

    study: str
    judge: str
    family: str
    api: str
    requested: str
    served: Mapping[str, int]
    served_as_requested: bool | None
    identity: str
    calls: int
    terminal: int
    invalid: int
    invalid_rate: float
    max_invalid: float
    edge_calls: int
    edge_invalid: int
    by_condition: Mapping[str, Mapping[str, int]]
    state: Literal["OK", "HOLD"]
    reasons: tuple[str, ...]
    judge_fault: bool
    usage: Mapping[str, int]
    later_attempts: int
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord:
    """
    One agent in a study, with its operational state.

    ``calls`` counts scheduled questions, ``answers`` those of which an answer is there, ``outcomes`` how
    they ended. ``tool_calls`` counts calls by tool: a table of costs without them cannot tell an expensive
    agent from a broken one. The other fields are as for a :class:`Configuration`.
    """

    study: str
    agent: str
    kind: str
    family: str
    requested: str
    served: Mapping[str, int]
    served_as_requested: bool | None
    calls: int
    answers: int
    outcomes: Mapping[str, int]
    tool_calls: Mapping[str, int]
    usage: Mapping[str, int]
    cost: float | None
    later_attempts: int
    state: Literal["OK", "HOLD"]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """
    One cell: configuration × criterion × arm × stratum of an eval.

    Rates are in [0, 1] with the scheduled units as denominator (RULES R5). ``estimate`` is the adverse
    rate of a clone or equivalent cell, the mean task utility of a signal cell, the success rate of any
    other. ``statement`` says why an edge stratum, an equivalent cell or a context has neither bound nor
    gate. Fields that do not apply, and all that is estimated from outcomes in a HOLD or partial cell, are
    None or empty.
    """

    id: str
    study: str
    eval: str
    judge: str | None
    criterion: str | None
    arm: str
    agent: str | None = None
    corpus: str | None = None
    stratum: str | None
    context: str | None = None
    state: Literal["OK", "HOLD", "PARTIAL"]
    tasks: int
    calls: int
    counts: Mapping[str, int]
    estimate: float | None = None
    macro: float | None = None
    weighted: float | None = None
    dc: float | None = None
    upper: float | None = None
    lower: float | None = None
    lower_checked: float | None = None
    lower_exact: float | None = None
    interval: tuple[float, float] | None = None
    p_raw: float | None = None
    p_holm: float | None = None
    warnings: tuple[str, ...] = ()
    by_order: Mapping[str, float] = field(default_factory=dict)
    patterns: Mapping[str, int] = field(default_factory=dict)
    subsets: tuple[Mapping[str, Any], ...] = ()
    statement: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """
    One gate with its decision, and how its item ends (``outcome``).

    ``id`` is the node id ``FILE::TEST::KIND[JUDGE-CRITERION]``. ``limit`` tells whether ``threshold`` is
    the most or the least that is allowed. ``family`` is ``{name, m, members}`` for
    clone gates. ``expected`` is the judge's ``expect``. ``statement`` says what the state claims and does
    not claim; ``reasons`` why it is HOLD, PARTIAL or failed. ``location`` is (file, line from 0).
    """

    id: str
    kind: str
    study: str
    eval: str
    judge: str | None
    criterion: str | None
    arm: str
    agent: str | None = None
    state: GateState
    threshold: float
    limit: Literal["most", "least"]
    bound: float | None
    tasks: int
    p_holm: float | None
    family: Mapping[str, Any] | None
    expected: str
    statement: str
    reasons: tuple[str, ...]
    outcome: ItemOutcome
    cell: str
    location: tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """The joint label of a judge and criterion in a study (RULES R19)."""

    study: str
    judge: str
    criterion: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A task whose share of calls that succeed is another than before."""

    task: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """
    A difference between two conditions of one judge on the same tasks (RULES R12–R15, R28).

    ``kind`` is ``criterion``, ``order``, ``interaction``, ``clone-criterion`` or ``baseline``; ``of`` what
    is compared: ``utility`` (share of calls that are right), ``tie`` (share of ties), ``adverse`` or
    ``success``. Of a baseline, ``flipped`` are its tasks that changed, ``changed`` what of the
    configuration did; of questions ``agent`` is set, and ``judge`` is empty. ``difference`` is
    ``minuend`` − ``subtrahend``, in [-1, 1] ([-2, 2] for an interaction), None where a part is on HOLD, was
    run in part, or has other tasks; ``reason`` then says so, else why there is no ``p``.
    """

    study: str
    eval: str
    judge: str
    criterion: str | None
    arm: str
    kind: str
    of: str
    minuend: str
    subtrahend: str
    difference: float | None
    tasks: int
    family: str
    p: float | None = None
    p_holm: float | None = None
    reason: str
    statement: str
    flipped: tuple[Flip, ...] = ()
    changed: tuple[str, ...] = ()
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One declared scenario: its name, and its losses as ``stats.risk_grid`` takes them."""

    name: str
    losses: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRisk:
    """
    Expected losses of a study's cells under declared losses (RULES R31).

    ``cells`` maps ``JUDGE/CRITERION`` to its rates; ``left_out`` to why it has none. A scenario holds its
    losses, an optional name, the ``risk`` of each cell, the ``cheapest`` cells, and the ``agreement``: the
    share of task-bootstrap replicates in which the same cells are cheapest, None where the cells' tasks
    differ.
    """

    study: str
    cells: Mapping[str, Mapping[str, float]]
    left_out: Mapping[str, str]
    scenarios: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """
    How often a judge prefers the better text, by the gap in quality (METHODS 2).

    ``success`` and ``pairs`` map gaps to the share of right calls and the number of pairs.
    ``smallest_gap`` is the smallest tested gap with a share of .75 or more: ``<=1`` when it is the first,
    ``none`` when there is none. ``false_preference`` is the share of calls that are no tie on pairs of one
    level, with the ``patterns`` of those pairs; None and empty where none were shown.
    """

    study: str
    eval: str
    judge: str
    criterion: str | None
    success: Mapping[str, float]
    pairs: Mapping[str, int]
    smallest_gap: str
    false_preference: float | None
    patterns: Mapping[str, int]
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEffect:
    """
    What a displayed third, ineligible candidate does to the comparison of two (METHODS 2).

    ``absent`` and ``present`` are the mean success without and with it, ``difference`` present − absent
    with its two-sided 95 % percentile ``interval``, resampled within ``families``. ``adverse`` counts the
    ``adverse_tasks``: their canonical winner changes in either order, or any of their calls is invalid.
    Everything estimated is None or empty, with a ``reason``, where a context is on HOLD or was run in part.
    """

    study: str
    eval: str
    judge: str
    criterion: str | None
    arm: str
    tasks: int
    families: int
    adverse: int | None = None
    adverse_tasks: tuple[str, ...] = ()
    absent: float | None = None
    present: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    reason: str = ""
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Where the answers came from."""

    hit: int = 0
    stale: int = 0
    missing: int = 0
    asked: int = 0
    unused: int = 0
    recovered: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The protocol's digest, its state against the lock, and when it was frozen (ISO 8601, UTC)."""

    sha256: str
    state: str = "unfrozen"
    frozen_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """
    A whole run, analysed.

    ``state`` is ``pass`` where every gate was evaluated and passed, ``miss`` where a gate missed or
    something else failed, ``hold`` where something could not be measured and nothing missed, ``partial``
    where nothing failed and not every gate was evaluated, or none was run.
    """

    state: Literal["pass", "miss", "hold", "partial"]
    configurations: tuple[Configuration, ...] = ()
    agents: tuple[AgentRecord, ...] = ()
    cells: tuple[Cell, ...] = ()
    gates: tuple[Gate, ...] = ()
    joint: tuple[Joint, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    risk: tuple[StudyRisk, ...] = ()
    ladders: tuple[Ladder, ...] = ()
    contexts: tuple[ContextEffect, ...] = ()
    trials: Sequence[Mapping[str, Any]] = ()
    grades: tuple[GradedRow, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    claim_volumes: tuple[ClaimVolume, ...] = ()
    comprehension: Comprehension = field(default_factory=Comprehension)
    findings: tuple[Finding, ...] = ()
    answers: Answers = field(default_factory=Answers)
    protocol: Protocol = field(default_factory=lambda: Protocol(sha256=""))
    exit: int = 0
