"""What the collected modules declare: evals, their cells, tasks and gates; and the plan made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_judgeaudit.audit.comparisons import contrast_family, contrast_id, contrast_names
from pytest_judgeaudit.audit.names import family_name, gate_id
from pytest_judgeaudit.records.items import Pair, short_digest
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.plans import (
    AgentPlan,
    CellPlan,
    FamilyMember,
    Finding,
    GateSpec,
    JudgePlan,
    Plan,
    Presentation,
    Task,
    question_key,
)
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.session.trial import SLOT, Asked, Seat

if TYPE_CHECKING:
    from pytest_judgeaudit.settings.models import JudgeSettings


class CellKey(NamedTuple):
    """
    What makes a cell: the eval with its foreign parameters, the seat or agent, the arm, the stratum.

    In a context audit the context, too.
    """

    eval: str
    variant: str
    seat: Seat | None
    arm: str
    stratum: str | None
    agent: str | None = None
    context: str = ""

    @property
    def id(self) -> str:
        """A readable id, unique in the run."""
        variant = f"[{self.variant}]" if self.variant else ""
        seat = self.seat.id if self.seat else self.agent or "all"
        return "::".join(
            filter(None, (f"{self.eval}{variant}", seat, self.arm, self.stratum, self.context))
        )


@dataclass(slots=True, kw_only=True)
class Eval:
    """
    One eval test as collected, with every presentation that its source schedules.

    ``in_class`` is whether a class holds it. ``carrier`` is the argument that a source marker fills with
    its rows, None without one: an argument of such a name is then the test's own. ``scored`` names the
    judges that it may put answers to, ``unseated`` those that the session does not select.
    """

    id: str
    location: tuple[str, int]
    gates: tuple[GateSpec, ...]
    in_class: bool = False
    carrier: str | None = "pair"
    scored: tuple[str, ...] = ()
    unseated: tuple[str, ...] = ()
    cells: dict[CellKey, list[Presentation]] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    retired: dict[CellKey, list[Presentation]] = field(default_factory=dict)
    asked: dict[CellKey, tuple[str | None, tuple[str, ...]]] = field(default_factory=dict)
    _declared: dict[CellKey, tuple[str, list[Presentation]]] = field(default_factory=dict)
    module: str = field(init=False)
    """The path of its module, relative to the root."""

    def __post_init__(self) -> None:
        # Once: every slot holds it.
        self.module = self.id.partition("::")[0]

    @property
    def study(self) -> str:
        """The study: the module, unless a gate names one."""
        return next((gate.study for gate in self.gates if gate.study), self.module)

    def declare(self, key: CellKey, presentation: Presentation, shown: Pair | LabelledAnswer | None) -> str:
        """Add one scheduled presentation; return the id of its cell."""
        declared = self._declared.get(key)  # looked up once: a key is dear to hash
        if declared is None:
            declared = self._declared[key] = (key.id, self.cells.setdefault(key, []))
        declared[1].append(presentation)
        if presentation.task not in self.tasks:
            self.tasks[presentation.task] = (
                Task(id=presentation.task, subset="") if shown is None else _task(shown)
            )
        return declared[0]

    def ask(
        self, key: CellKey, presentation: Presentation, asked: Asked, *, scored: tuple[str, ...]
    ) -> str:
        """Add one scheduled question; return the id of its cell."""
        question = asked.question
        self.questions.setdefault(question_key(question.id, asked.arm), question)
        self.asked.setdefault(key, (asked.corpus, scored))
        if presentation.task not in self.tasks:
            digest = short_digest(f"{question.prompt_digest()} {question.key_digest()}")
            self.tasks[presentation.task] = Task(id=question.id, subset=question.cls, digest=digest)
        return self.declare(key, presentation, None)

    def retire(
        self, key: CellKey, presentation: Presentation, asked: Asked, *, scored: tuple[str, ...]
    ) -> None:
        """Note a question that is asked no more: its answers stay, and its cell has a gate all the same."""
        self.questions.setdefault(question_key(asked.question.id, asked.arm), asked.question)
        self.asked.setdefault(key, (asked.corpus, scored))
        self.cells.setdefault(key, [])
        self.retired.setdefault(key, []).append(presentation)


@dataclass(slots=True, kw_only=True)
class Declared:
    """Everything that this process collected, before any selection."""

    evals: dict[str, Eval] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def make_plan(
    declared: Declared,
    *,
    items: Iterable[pytest.Item],
    every_judge: Sequence[JudgeSettings],
    selected: Sequence[JudgePlan],
    agents: Sequence[AgentPlan] = (),
    seed: int,
    schedule: str = "hash",
) -> Plan:
    """Freeze what was declared together with what this session selected of it."""
    chosen: dict[str, list[Presentation]] = defaultdict(list)
    for item in items:
        slot = item.stash.get(SLOT, None)
        if slot is not None:
            chosen[slot.cell].append(slot.presentation)
    return Plan(
        cells=tuple(
            _cell_plan(an_eval, key, presentations, chosen.get(key.id, []))
            for an_eval in declared.evals.values()
            for key, presentations in an_eval.cells.items()
        ),
        judges=tuple(selected),
        agents=tuple(agents),
        tasks={an_eval.id: an_eval.tasks for an_eval in declared.evals.values()},
        questions={
            an_eval.id: an_eval.questions for an_eval in declared.evals.values() if an_eval.questions
        },
        members=tuple(_members(declared.evals.values(), every_judge)),
        findings=tuple(declared.findings),
        seed=seed,
        schedule=schedule,
        rivals=() if schedule == "hash" else tuple(_rivals(declared.evals.values(), every_judge)),
    )


def _task(shown: Pair | LabelledAnswer) -> Task:
    # An answer comes before its controls, which share its id.
    target = shown.label if isinstance(shown, LabelledAnswer) else shown.target
    return Task(id=shown.id, subset=shown.subset, target=target, family=shown.family, digest=shown.digest())


def _cell_plan(
    an_eval: Eval, key: CellKey, declared: Sequence[Presentation], selected: Sequence[Presentation]
) -> CellPlan:
    corpus, scored = an_eval.asked.get(key, (None, ()))
    return CellPlan(
        id=key.id,
        eval=an_eval.id,
        variant=key.variant,
        study=an_eval.study,
        judge=key.seat.judge if key.seat else None,
        criterion=key.seat.criterion if key.seat else None,
        arm=key.arm,
        stratum=key.stratum,
        gates=tuple(gate for gate in an_eval.gates if _applies(gate, key, an_eval)),
        declared=tuple(declared),
        selected=tuple(selected),
        location=an_eval.location,
        agent=key.agent,
        corpus=corpus,
        scored=scored,
        unseated=an_eval.unseated if key.agent is not None else (),
        context=key.context,
        retired=tuple(an_eval.retired.get(key, ())),
    )


def _applies(gate: GateSpec, key: CellKey, an_eval: Eval) -> bool:
    if gate.kind == "blind_floor":
        # One for all arms of an agent: it stands at the first of them.
        first = next((k for k in an_eval.cells if (k.variant, k.agent) == (key.variant, key.agent)), key)
        return first == key
    if gate.kind in {"clone_gate", "rate_gate"} and key.stratum not in {None, "core"}:
        return False
    return not (gate.where and gate.where["arm"] != key.arm)


def _rivals(evals: Iterable[Eval], judges: Sequence[JudgeSettings]) -> Iterable[FamilyMember]:
    """List every contrast of every configured judge that could have a p, whatever is selected (R15)."""
    for an_eval in evals:
        groups = dict.fromkeys((key.variant, key.arm, key.stratum) for key in an_eval.cells if key.seat)
        orders = {one.order for shown in an_eval.cells.values() for one in shown}
        contexts = any(key.context for key in an_eval.cells)
        for variant, arm, stratum in () if contexts else groups:
            for judge in judges if stratum in {None, "core"} else ():
                for name in contrast_names(arm, judge.criteria, orders):
                    yield FamilyMember(
                        an_eval.study,
                        contrast_family(name, judge.expect),
                        contrast_id(an_eval.id, variant, judge.name, name),
                    )


def _members(evals: Iterable[Eval], judges: Sequence[JudgeSettings]) -> Iterable[FamilyMember]:
    """List every adjusted clone gate of every configured judge, whatever is selected (RULES R1)."""
    for an_eval in evals:
        for gate in an_eval.gates:
            if gate.kind == "clone_gate" and gate.adjust == "holm":
                variants = dict.fromkeys(key.variant for key in an_eval.cells if key.stratum == "core")
                for judge in judges:
                    family = family_name(an_eval.study, gate.family, judge.expect)
                    for criterion in judge.criteria:
                        for variant in variants:
                            key = CellKey(an_eval.id, variant, Seat(judge.name, criterion), "clone", "core")
                            name = gate_id(_cell_plan(an_eval, key, (), ()), gate.kind)
                            yield FamilyMember(an_eval.study, family, name)
