"""What a run could show, before any call is paid for: calls, and which gates can pass at this size."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pytest_judgeaudit.audit.families import families
from pytest_judgeaudit.audit.faults import utility_fault
from pytest_judgeaudit.audit.names import gate_id
from pytest_judgeaudit.audit.observations import EDGES
from pytest_judgeaudit.audit.sizes import strata_sizes
from pytest_judgeaudit.records.audits import Answers
from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.records.labelled import LABELLED_ARMS, LABELS
from pytest_judgeaudit.records.plans import (
    AgentPlan,
    CellPlan,
    GateKind,
    GateSpec,
    JudgePlan,
    Plan,
    Task,
    question_key,
)
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.stats.bounds import adverse_allowed
from pytest_judgeaudit.stats.limits import at_least
from pytest_judgeaudit.stats.planning import (
    Bound,
    best_utility_bound,
    clone_power,
    minimum_n,
    minimum_n_rate,
    minimum_tasks_all_correct,
    minimum_tasks_utility,
)

Key = tuple[str, str]
"""A study, and a judge or an agent."""

TRUE_RATES = (0.0, 0.005, 0.01, 0.02)
"""True adverse rates for which the chance of a PASS is given (METHODS 2, "Planning")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOutlook:
    """
    What one judge, or one agent, would be asked in one study.

    ``at_most`` tells that the calls are about answers, and that fewer may come of them: none about an
    answer that is empty or refuses. ``calls`` are those selected, edge strata included. ``stored`` of them
    have an answer that fits, None where that is not known or nothing is stored (``direct``: it answers in
    the process). ``prompt`` and ``completion`` are the tokens of the calls still to make, at the mean of
    the stored ones; None where no usage is known. ``cost`` is what they cost; None without a price too.
    ``controls`` counts those of the calls that are about controls made of labelled answers.
    """

    judge: str
    study: str
    calls: int
    direct: bool
    stored: int | None = None
    prompt: int | None = None
    completion: int | None = None
    cost: float | None = None
    at_most: bool = False
    controls: Mapping[str, int] = field(default_factory=dict)

    @property
    def to_ask(self) -> int:
        """The calls that a live run would make; all of them where nothing is known of stored answers."""
        return 0 if self.direct else self.calls - (self.stored or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutlook:
    """
    What one gate could show at its size.

    ``tasks`` are those selected of ``declared``. ``m`` is the size of its Holm family, 1 without one.
    ``needed`` is the fewest tasks with which it could pass in the worst case, with the best outcome.
    ``allowed`` adverse tasks still pass (clone gates and labelled answers; −1 for none), ``chances`` map
    true adverse rates to the probability of a PASS. ``arm`` is that of labelled answers.
    """

    id: str
    kind: GateKind
    judge: str | None
    criterion: str | None
    tasks: int
    declared: int
    m: int
    can_pass: bool
    needed: int
    allowed: int | None = None
    arm: str | None = None
    chances: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """The facts of ``--judge-plan``."""

    judges: tuple[JudgeOutlook, ...]
    gates: tuple[GateOutlook, ...]


def outlook(
    plan: Plan,
    *,
    known: Mapping[Key, Answers] | None = None,
    usage: Mapping[str, Usage] | None = None,
    scored: Mapping[Key, int] | None = None,
) -> Outlook:
    """
    Work out what a plan costs and can show.

    ``known`` says by study and judge how many stored answers fit (``hit``), ``usage`` by judge the tokens
    of all its stored answers; the mean over the calls with a known usage stands for those still to make.
    ``scored`` says by study and judge how much is stored about answers.
    """
    judges = (*_about_answers(plan, scored or {}), *_judges(plan, known or {}, usage or {}))
    return Outlook(judges=judges, gates=tuple(_gates(plan)))


def _about_answers(plan: Plan, scored: Mapping[Key, int]) -> Iterator[JudgeOutlook]:
    calls: Counter[Key] = Counter()
    for cell in plan.cells:
        for judge in cell.scored if cell.selected else ():
            calls[cell.study, judge] += _judged(plan, cell)
    direct = {judge.name for judge in plan.judges if judge.direct}
    for (study, judge), count in calls.items():
        yield JudgeOutlook(
            judge=judge,
            study=study,
            calls=count,
            direct=judge in direct,
            stored=scored.get((study, judge)),
            at_most=True,
        )


def _judges(plan: Plan, known: Mapping[Key, Answers], usage: Mapping[str, Usage]) -> Iterator[JudgeOutlook]:
    calls: Counter[Key] = Counter()
    controls: dict[Key, Counter[str]] = defaultdict(Counter)
    for cell in plan.cells:
        owner = cell.judge or cell.agent
        if owner is not None and cell.selected:
            calls[cell.study, owner] += len(cell.selected)
            if cell.arm in LABELLED_ARMS and cell.arm not in LABELS:
                controls[cell.study, owner][cell.stratum or cell.arm] += len(cell.selected)
    direct = {judge.name for judge in plan.judges if judge.direct}
    prices: dict[str, JudgePlan | AgentPlan] = {
        **{agent.name: agent for agent in plan.agents},
        **{judge.name: judge for judge in plan.judges},
    }
    for (study, judge), count in calls.items():
        found = known.get((study, judge))
        stored = None if found is None else found.hit
        hits = sum(answers.hit for (_, name), answers in known.items() if name == judge)
        tokens = _tokens(usage.get(judge), count - (stored or 0), hits)
        yield JudgeOutlook(
            judge=judge,
            study=study,
            calls=count,
            direct=judge in direct,
            stored=stored,
            prompt=tokens and tokens[0],
            completion=tokens and tokens[1],
            cost=prices[judge].cost(*tokens) if tokens and judge in prices else None,
            controls=dict(controls[study, judge]),
        )


def _judged(plan: Plan, cell: CellPlan) -> int:
    """Count the answers of a cell that a judge may be asked about; abstentions are graded without one."""
    questions = plan.questions.get(cell.eval, {})
    asked = (questions.get(question_key(one.task, cell.arm)) for one in cell.selected)
    return sum(question is None or not question.abstains for question in asked)


def _tokens(used: Usage | None, to_ask: int, stored: int) -> tuple[int, int] | None:
    counted = stored - used.unknown_calls if used is not None else 0
    if used is None or counted <= 0:
        return None
    return round(used.prompt / counted * to_ask), round(used.completion / counted * to_ask)


def _gates(plan: Plan) -> Iterator[GateOutlook]:
    sizes = {gate: len(gates) for gates in families(plan).values() for gate in gates}
    for cell in plan.cells:
        for spec in cell.gates:
            if spec.kind in _OUTLOOKS and cell.stratum not in EDGES and cell.selected:
                place = _Place(cell=cell, spec=spec, known=plan.tasks.get(cell.eval, {}))
                in_family = spec.kind == "clone_gate" and spec.adjust == "holm"
                yield _OUTLOOKS[spec.kind](place, sizes.get(place.id, 1) if in_family else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A gate with its cell and tasks."""

    cell: CellPlan
    spec: GateSpec
    known: Mapping[str, Task]

    @property
    def id(self) -> str:
        return gate_id(self.cell, self.spec.kind)

    @property
    def tasks(self) -> list[str]:
        return list(dict.fromkeys(presentation.task for presentation in self.cell.selected))

    @property
    def presentations(self) -> int:
        """The most calls that one task has."""
        return max(Counter(presentation.task for presentation in self.cell.selected).values())

    def outlook(self, *, can_pass: bool, needed: int, m: int = 1, **facts: Any) -> GateOutlook:
        return GateOutlook(
            id=self.id,
            kind=self.spec.kind,
            judge=self.cell.judge,
            criterion=self.cell.criterion,
            tasks=len(self.tasks),
            declared=len({presentation.task for presentation in self.cell.declared}),
            m=m,
            can_pass=can_pass,
            needed=needed,
            **facts,
        )


def _clone(place: _Place, m: int) -> GateOutlook:
    n, level = len(place.tasks), place.spec.confidence
    upper = place.spec.upper or 0.05
    needed = minimum_n(0, upper=upper, confidence=level, m=m)
    allowed = adverse_allowed(n, upper=upper, confidence=level, m=m)
    chances = {rate: clone_power(n, rate, upper=upper, confidence=level, m=m) for rate in TRUE_RATES}
    return place.outlook(can_pass=n >= needed, needed=needed, m=m, allowed=allowed, chances=chances)


def _utility(place: _Place, _: int) -> GateOutlook:
    spec, lower = place.spec, place.spec.lower or 0.75
    tasks = [place.known.get(name) or Task(id=name, subset=NO_SUBSET) for name in place.tasks]
    if utility_fault(spec, place.cell.selected, tasks):
        # A part of a cell may lack strata that weights name; it is not evaluated anyway.
        needed = minimum_tasks_all_correct(lower=lower, confidence=spec.confidence)
        return place.outlook(can_pass=False, needed=needed)
    strata = strata_sizes(tasks, by=spec.strata)
    bound, confidence, presentations = cast("Bound", spec.bound), spec.confidence, place.presentations
    best = best_utility_bound(
        list(strata.values()),
        confidence=confidence,
        bound=bound,
        presentations=presentations,
        weights=None if spec.weights is None else [spec.weights[name] for name in strata],
    )
    needed = minimum_tasks_utility(
        lower=lower, confidence=confidence, bound=bound, presentations=presentations
    )
    return place.outlook(can_pass=at_least(best, lower), needed=needed)


def _rate(place: _Place, _: int) -> GateOutlook:
    if place.cell.arm in LABELLED_ARMS:
        # A bound on errors is a clone gate's without a family: what passes is the same.
        return replace(_clone(place, 1), arm=place.cell.arm)
    spec = place.spec
    needed = minimum_n_rate(upper=spec.upper, lower=spec.lower, confidence=spec.confidence)
    return place.outlook(can_pass=len(place.tasks) >= needed, needed=needed)


def _floor(place: _Place, _: int) -> GateOutlook:
    """A floor is reported or compared with its limit, whatever the number of questions."""
    return place.outlook(can_pass=True, needed=1)


_OUTLOOKS: Mapping[GateKind, Callable[[_Place, int], GateOutlook]] = {
    "clone_gate": _clone,
    "utility_gate": _utility,
    "rate_gate": _rate,
    "blind_floor": _floor,
}
