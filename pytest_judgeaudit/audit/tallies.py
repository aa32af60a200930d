"""From trials to counts: what each call was, what each task came to, and how the orders fit together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pytest_judgeaudit.audit.observations import PAIRED_ARMS, Observed
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.records.labelled import WANTED
from pytest_judgeaudit.records.plans import Presentation, Task
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.records.verdicts import Winner
from pytest_judgeaudit.stats.patterns import decomposition

NULL_ARMS = ("clone", "equivalent")
"""Arms in which the judge should call a tie."""

KINDS = ("correct", "tie", "wrong", "invalid")


@dataclass(slots=True)
class TaskTally:
    """
    One task in one cell.

    ``wanted`` is the verdict that the arm wants, None where only the assertion counts, or agreement.
    ``correct`` of ``calls`` are what the arm wants; ``swayed`` tells whether any call is a valid non-tie,
    ``asserted`` whether every trial's assertion held.
    """

    subset: str
    family: str | None
    wanted: str | None
    calls: int = 0
    correct: int = 0
    swayed: bool = False
    asserted: bool = True

    def count(self, trial: Trial, *, correct: bool) -> None:
        """Add one trial."""
        self.calls += 1
        self.correct += correct
        self.swayed |= trial.winner in {"first", "second"}
        self.asserted &= trial.outcome == "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """
    A cell's counts.

    ``counts`` are of calls (of labelled answers, where each task is one call, ``wrong`` is the other
    ruling), but ``adverse`` of clone and equivalent cells, which is of tasks. ``by_order``
    maps an order to (correct, calls). ``disagreeing`` are the presentations whose assertion and verdict say
    different things.
    """

    tasks: Mapping[str, TaskTally]
    counts: Mapping[str, int]
    by_order: Mapping[str, tuple[int, int]]
    patterns: Mapping[str, int]
    disagreeing: tuple[Presentation, ...]

    @property
    def adverse_tasks(self) -> int:
        """Count the tasks of which any call is not what the arm wants (RULES R4)."""
        return sum(task.correct < task.calls for task in self.tasks.values())

    @property
    def successes(self) -> int:
        """Count the tasks whose every assertion held (RULES R20)."""
        return sum(task.asserted for task in self.tasks.values())


def tally(cell: Observed) -> Tally:
    """Count one cell's sound trials; linear in their number."""
    arm = cell.plan.arm
    tasks: dict[str, TaskTally] = {}
    right: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    disagreeing = []
    for presentation, trial in cell.trials.items():
        task = tasks.get(trial.task)
        if task is None:
            task = tasks[trial.task] = _blank(cell.task(trial.task), arm)
        asserted, judged = trial.outcome == "success", task.wanted in {None, trial.winner}
        correct = asserted and judged
        task.count(trial, correct=correct)
        if asserted != judged and task.wanted is not None:
            disagreeing.append(presentation)
        right[trial.order] += correct
        shown[trial.order] += 1
        kinds[_kind(trial, correct=correct)] += 1
    return Tally(
        tasks=tasks,
        counts=_counts(kinds, tasks, arm),
        by_order={order: (right[order], shown[order]) for order in sorted(shown)},
        patterns=_patterns(cell),
        disagreeing=tuple(disagreeing),
    )


def _blank(task: Task, arm: str) -> TaskTally:
    wanted = "tie" if arm in NULL_ARMS else task.target if arm == "signal" else WANTED.get(arm)
    return TaskTally(subset=task.subset or NO_SUBSET, family=task.family, wanted=wanted)


def _counts(kinds: Counter[str], tasks: Mapping[str, TaskTally], arm: str) -> dict[str, int]:
    counts = {kind: kinds[kind] for kind in KINDS}
    if arm in NULL_ARMS:
        adverse = sum(task.correct < task.calls for task in tasks.values())
        return {**counts, "tie": counts["tie"] + counts["correct"], "adverse": adverse}
    return {**counts, "adverse": sum(kinds.values()) - counts["correct"]}


def _kind(trial: Trial, *, correct: bool) -> str:
    """Return what a call counts as."""
    if correct:
        return "correct"
    return trial.winner if trial.winner in {"invalid", "tie"} else "wrong"


def _patterns(cell: Observed) -> Mapping[str, int]:
    """Decompose the two orders of each task and replicate; empty where one order was shown (RULES R18)."""
    if cell.plan.arm not in PAIRED_ARMS:
        return {}
    shown: dict[tuple[str, int], dict[str, Winner]] = defaultdict(dict)
    for (task, order, replicate), trial in cell.trials.items():
        if trial.winner is not None:
            shown[task, replicate][order] = cast("Winner", trial.winner)
    pairs = [(both["AB"], both["BA"]) for both in shown.values() if len(both) == 2]
    if not pairs:
        return {}
    try:
        return dict(decomposition(pairs).counts)
    except ArithmeticError as error:
        raise JudgeAuditError(
            f"{cell.plan.id}: a fault of pytest-judgeaudit: {error}. Report it."
        ) from error
