"""What was declared and scheduled: cells, their presentations and their gates, known from collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pytest_judgeaudit.records.questions import Question

Arm = str
"""
``clone``, ``equivalent`` or ``signal``; of questions ``sighted``, ``blind``, ``renamed-sighted`` or
``renamed-blind`` (of a second seed ``renamed-blind@2``); of labelled answers ``good``, ``bad``, ``blank``
or ``repeated``; ``all`` for a test without a source marker.
"""

GateKind = Literal["clone_gate", "utility_gate", "rate_gate", "operational_gate", "blind_floor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSpec:
    """
    The arguments of one gate marker, checked.

    ``upper`` and ``lower`` are rates in (0, 1): the most a clone or rate gate allows, the least a utility
    or rate gate demands; the rate is that of success, but of labelled answers that of error. ``adjust`` is
    ``holm`` or ``none`` (clone gates). ``bound`` is ``checked``, ``bootstrap`` or ``exact`` and ``strata``
    ``subset`` or ``family`` (utility gates). ``weights`` maps strata to shares that sum to 1. ``where``
    narrows a rate gate to an arm. ``maximum`` is the highest floor, of 100, that a ``blind_floor`` allows;
    None reports it only.
    """

    kind: GateKind
    upper: float | None = None
    lower: float | None = None
    confidence: float = 0.95
    adjust: str = "holm"
    family: str | None = None
    study: str | None = None
    strata: str = "subset"
    bound: str = "checked"
    weights: Mapping[str, float] | None = None
    where: Mapping[str, str] | None = None
    max_invalid: float = 0.01
    maximum: float | None = None


class Presentation(NamedTuple):
    """One scheduled call of a cell: a task in an order, once more per replicate."""

    task: str
    order: str
    replicate: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What the analysis needs to know of a task: never its text, but the digest of what a judge sees."""

    id: str
    subset: str
    target: str | None = None
    family: str | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPlan:
    """
    One cell as declared: an eval × judge × criterion × arm × stratum, with what it schedules.

    ``id`` is unique in the run. ``eval`` is the test's node id without parameters, ``variant`` the id of
    parameters that are not ours (empty without). ``study`` is the module unless the gate names one.
    ``declared`` holds every presentation of the source, ``selected`` those in this session (with
    repetitions, if a plug-in repeats items). ``gates`` are those of the marker that apply to this cell
    (a clone gate applies to the ``core`` stratum only). Of questions, ``agent`` answers them, seeing
    ``corpus`` where the arm shows one, and ``scored`` names the judges that its answers may be put to,
    ``unseated`` those that this session left out; ``retired`` are questions that are asked no more, whose
    stored answers stay. ``context`` is ``absent`` or ``present`` in a context audit, which has a cell for
    each.
    """

    id: str
    eval: str
    variant: str
    study: str
    judge: str | None
    criterion: str | None
    arm: Arm
    stratum: str | None
    gates: tuple[GateSpec, ...]
    declared: tuple[Presentation, ...]
    selected: tuple[Presentation, ...]
    location: tuple[str, int]
    agent: str | None = None
    corpus: str | None = None
    scored: tuple[str, ...] = ()
    unseated: tuple[str, ...] = ()
    context: str = ""
    retired: tuple[Presentation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPlan:
    """
    One selected agent.

    ``served`` tells whether its service has to declare the requested model; a program or a function of the
    user's own need not.
    """

    name: str
    kind: str
    family: str
    requested: str
    served: bool
    price: tuple[float, float] | None = None

    def cost(self, prompt: int, completion: int) -> float | None:
        """Return what tokens cost, in the currency of the price; None without one."""
        return _cost(self.price, prompt, completion)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan:
    """
    One selected judge.

    ``identity`` says how its model is known: ``served`` (asked live: the service must declare the
    requested one), ``log`` (a recorded log with a ``served`` mapping), ``undeclared log`` (a log without)
    or ``construction`` (embedded, or a Python function of the user's own).
    """

    name: str
    family: str
    api: str
    requested: str
    expect: Literal["certified", "uncertified"]
    identity: Literal["served", "log", "undeclared log", "construction"]
    parser: str = "strict"
    criteria: tuple[str, ...] = ()
    """All that are configured, selected or not."""
    price: tuple[float, float] | None = None
    """Of a million prompt and completion tokens; None unless both are known."""

    def cost(self, prompt: int, completion: int) -> float | None:
        """Return what tokens cost, in the currency of the price; None without one."""
        return _cost(self.price, prompt, completion)

    @property
    def direct(self) -> bool:
        """Whether it answers in the process, so that no answer is asked for or stored."""
        return self.api in {"embedded", "recorded"}


def _cost(price: tuple[float, float] | None, prompt: int, completion: int) -> float | None:
    return None if price is None else (prompt * price[0] + completion * price[1]) / 1e6


class FamilyMember(NamedTuple):
    """A declared clone gate: its place in a Holm family, whether or not it is selected."""

    study: str
    family: str
    gate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A symptom and what to check; never a cause. ``where`` is a file, a cell, a task or a judge."""

    code: str
    where: str
    symptom: str
    check: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """
    Everything that collection declared.

    ``tasks`` maps an eval's node id to its tasks by id, ``questions`` to its questions by
    :func:`question_key`. ``members`` are all clone gates in Holm families
    that were declared, before any selection (RULES R1), ``rivals`` all contrasts that could have a p
    (R15). ``findings`` are facts known before any trial; ``seed`` is that of the ``schedule``, which is
    ``hash``, ``randomized`` or ``independent``.
    """

    cells: tuple[CellPlan, ...] = ()
    judges: tuple[JudgePlan, ...] = ()
    agents: tuple[AgentPlan, ...] = ()
    tasks: Mapping[str, Mapping[str, Task]] = field(default_factory=dict)
    questions: Mapping[str, Mapping[str, Question]] = field(default_factory=dict)
    members: tuple[FamilyMember, ...] = ()
    findings: tuple[Finding, ...] = ()
    seed: int = 0
    schedule: str = "hash"
    rivals: tuple[FamilyMember, ...] = ()


def question_key(question: str, arm: Arm) -> str:
    """
    Name a question as an arm asks it: a renamed corpus has questions of its own.

    >>> question_key("q-rate", "blind"), question_key("q-rate", "renamed-blind@2")
    ('q-rate', 'q-rate renamed@2')
    """
    base, _, seed = arm.partition("@")
    return f"{question} renamed{seed and '@' + seed}" if base.startswith("renamed") else question
