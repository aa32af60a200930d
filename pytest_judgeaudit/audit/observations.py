"""Trials laid beside what was scheduled: what came, what is missing, what came twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.records.labelled import LABELLED_ARMS, LABELS
from pytest_judgeaudit.records.plans import CellPlan, Finding, Plan, Presentation, Task
from pytest_judgeaudit.records.trials import Trial

EDGES = ("empty", "whitespace")
"""Clone strata that are counted apart and never gated (RULES R6)."""

Key = tuple[str, str, int]
"""A presentation as a plain tuple, equal to it and cheaper to make."""

PAIRED_ARMS = ("clone", "equivalent", "signal")
"""Arms whose trials are verdicts on pairs."""

JUDGED_ARMS = (*PAIRED_ARMS, *LABELLED_ARMS)
"""Arms whose trials are verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """
    One cell as it was observed, all in the order of the source.

    ``scheduled`` are the selected presentations, each once. ``trials`` holds the first sound trial of each;
    ``void`` the trials that measured nothing, ``missing`` the presentations of which nothing came,
    ``repeated`` those that were scheduled or came more than once, ``contradicted`` those of which a log
    holds two different rows. ``partial`` tells that only a part of what was declared was run.
    ``uneven`` tells that tasks have different sets of presentations (RULES R7).
    """

    plan: CellPlan
    tasks: Mapping[str, Task]
    scheduled: tuple[Presentation, ...]
    trials: Mapping[Presentation, Trial]
    void: tuple[Trial, ...] = ()
    missing: tuple[Presentation, ...] = ()
    repeated: tuple[Presentation, ...] = ()
    contradicted: tuple[Presentation, ...] = ()
    partial: bool = False
    uneven: bool = False

    @property
    def edge(self) -> bool:
        """Whether the cell is an edge stratum."""
        return self.plan.stratum in EDGES

    def task(self, name: str) -> Task:
        """Return what is known of a task."""
        return self.tasks.get(name) or Task(id=name, subset=NO_SUBSET)

    def outputs(self) -> Iterator[Trial]:
        """Yield one trial for each call that ended with an output, whatever its item made of it."""
        asked = self.plan.judge is not None and self.plan.arm in JUDGED_ARMS
        yield from (trial for trial in self.trials.values() if trial.winner is not None or not asked)
        spoiled = {presentation_of(trial): trial for trial in self.void if trial.winner is not None}
        yield from (trial for presentation, trial in spoiled.items() if presentation not in self.trials)


def observe(
    plan: Plan, trials: Sequence[Trial], *, interrupted: bool
) -> tuple[tuple[Observed, ...], tuple[Finding, ...]]:
    """
    Lay the trials beside the plan, one Observed a cell of which something was selected.

    In an interrupted run the presentations of which nothing came make their cell partial; otherwise they
    are holes. Trials that nothing scheduled come back as findings. Linear in the number of trials.
    """
    found: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        found[trial.cell].append(trial)
    cells = tuple(
        _observed(cell, found.pop(cell.id, []), plan.tasks.get(cell.eval, {}), interrupted=interrupted)
        for cell in plan.cells
        if cell.selected or not cell.declared
    )
    strays = [(name, len(left)) for name, left in found.items()]
    return tuple(beside_first(cells)), tuple(_stray(name, count) for name, count in strays)


def beside_first(cells: Sequence[Observed]) -> Iterator[Observed]:
    """
    Yield the cells; a repeated call's outcome is whether it says, validly, what the first call said.

    Whatever its assertion is about: that is the label. Of a part of the first calls it is a part too.
    """
    firsts: dict[tuple[str, ...], list[Observed]] = defaultdict(list)
    for cell in cells:
        if cell.plan.arm in LABELS:
            firsts[seat_of(cell.plan)].append(cell)
    for cell in cells:
        yield _beside(cell, firsts[seat_of(cell.plan)]) if cell.plan.arm == "repeated" else cell


def _beside(cell: Observed, firsts: Sequence[Observed]) -> Observed:
    """Lay repeated calls beside the first ones."""
    first = {trial.task: trial for one in firsts for trial in one.trials.values()}
    trials = {shown: _agreeing(trial, first.get(trial.task)) for shown, trial in cell.trials.items()}
    # What a selection or an interruption left out; where all ran, a first call without a verdict is a hole.
    ran = {shown.task for one in firsts if not one.partial for shown in one.scheduled}
    alone = any(shown.task not in first and shown.task not in ran for shown in cell.scheduled)
    return replace(cell, trials=trials, partial=cell.partial or alone)


def seat_of(cell: CellPlan) -> tuple[str, ...]:
    """Return what a first call and its repetition have in common beside the task."""
    return cell.eval, cell.variant, cell.judge or "", cell.criterion or ""


def agreeing(plan: Plan, trials: Sequence[Trial]) -> list[Trial]:
    """
    Return the trials with the outcomes that are counted, see :func:`beside_first`.

    Repeated calls without a first one are left out: nothing tells what they should say.
    """
    cells = {cell.id: cell for cell in plan.cells}
    firsts: dict[tuple[tuple[str, ...], str], Trial] = {}
    for trial in trials:
        cell = cells.get(trial.cell)
        if cell is not None and cell.arm in LABELS and not is_void(trial, cell):
            firsts.setdefault((seat_of(cell), trial.task), trial)
    return [one for trial in trials if (one := _counted(trial, cells.get(trial.cell), firsts)) is not None]


def _counted(
    trial: Trial, cell: CellPlan | None, firsts: Mapping[tuple[tuple[str, ...], str], Trial]
) -> Trial | None:
    if cell is None or cell.arm != "repeated" or is_void(trial, cell):
        return trial
    first = firsts.get((seat_of(cell), trial.task))
    return None if first is None else _agreeing(trial, first)


def _agreeing(trial: Trial, first: Trial | None) -> Trial:
    said = None if first is None or first.winner == "invalid" else first.winner
    return replace(trial, outcome="success" if said is not None and trial.winner == said else "adverse")


def _stray(cell: str, count: int) -> Finding:
    return Finding(
        code="stray-trials",
        where=cell,
        symptom=f"{counted(count, 'trial')} of no scheduled cell, left out",
        check="whether a plug-in adds or renames items after collection",
    )


def _observed(
    cell: CellPlan, trials: Sequence[Trial], tasks: Mapping[str, Task], *, interrupted: bool
) -> Observed:
    times = Counter(cell.selected)
    # Trials arrive in any order; everything that follows is in the order of the source.
    scheduled = tuple(p for p in dict.fromkeys((*cell.declared, *cell.selected)) if p in times)
    first, again = _by_presentation(trials)
    every = [(p, (first[p], *again.get(p, ()))) for p in scheduled if p in first]
    sound: dict[Presentation, Trial] = {}
    void: list[Trial] = []
    for presentation, found in every:
        for trial in found:
            if is_void(trial, cell):
                void.append(trial)
            else:
                sound.setdefault(presentation, trial)
    missing = tuple(p for p in scheduled if p not in first)
    return Observed(
        plan=cell,
        tasks=tasks,
        scheduled=scheduled,
        trials=sound,
        void=tuple(void),
        missing=() if interrupted else missing,
        repeated=tuple(p for p in scheduled if times[p] > 1 or p in again),
        contradicted=tuple(p for p, found in every if any(trial.duplicated for trial in found)),
        partial=len(scheduled) < len(set(cell.declared)) or (interrupted and bool(missing)),
        uneven=cell.arm in PAIRED_ARMS and _uneven(scheduled),
    )


def _by_presentation(trials: Iterable[Trial]) -> tuple[dict[Key, Trial], dict[Key, list[Trial]]]:
    """Return the first trial of each presentation, and the others of those that came again."""
    first: dict[Key, Trial] = {}
    again: dict[Key, list[Trial]] = {}
    for trial in trials:
        key = (trial.task, trial.order, trial.replicate)
        if key in first:
            again.setdefault(key, []).append(trial)
        else:
            first[key] = trial
    return first, again


def is_void(trial: Trial, cell: CellPlan) -> bool:
    """Whether a trial measured nothing: void, or to be judged and without a verdict."""
    unjudged = trial.winner is None and cell.judge is not None and cell.arm in JUDGED_ARMS
    return trial.outcome == "void" or unjudged


def presentation_of(trial: Trial) -> Presentation:
    """Return the presentation of which a trial is the observation."""
    return Presentation(trial.task, trial.order, trial.replicate)


def _uneven(scheduled: Iterable[Presentation]) -> bool:
    shown: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for task, order, replicate in scheduled:
        shown[task].add((order, replicate))
    return len(set(map(frozenset, shown.values()))) > 1
