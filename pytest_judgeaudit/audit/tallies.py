"""From trials to counts: what each call was, what each task came to, and how the orders fit together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_judgeaudit.audit.observations import PAIRED_ARMS, Observed
from pytest_judgeaudit.records.errors import JudgeAuditError
from pytest_judgeaudit.records.items import NO_SUBSET
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

    ``correct`` of ``calls`` are what the arm wants; ``swayed`` tells whether any call is a valid non-tie,
    ``asserted`` whether every trial's assertion held.
    """

    subset: str
    family: str | None
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

    ``counts`` are of calls, but ``adverse`` of clone and equivalent cells, which is of tasks. ``by_order``
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
    orders: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    kinds: Counter[str] = Counter()
    disagreeing = []
    for presentation, trial in cell.trials.items():
        known = cell.task(trial.task)
        task = tasks.setdefault(
            trial.task, TaskTally(subset=known.subset or NO_SUBSET, family=known.family)
        )
        wanted = _wanted(arm, known)
        asserted = trial.outcome == "success"
        judged = wanted is None or trial.winner == wanted
        task.count(trial, correct=asserted and judged)
        if wanted is not None and asserted != judged:
            disagreeing.append(presentation)
        orders[trial.order][0] += asserted and judged
        orders[trial.order][1] += 1
        kinds.update(_kinds(trial, arm, correct=asserted and judged))
    adverse = (
        sum(task.correct < task.calls for task in tasks.values())
        if arm in NULL_ARMS
        else len(cell.trials) - kinds["correct"]
    )
    return Tally(
        tasks=tasks,
        counts={**{kind: kinds[kind] for kind in KINDS}, "adverse": adverse},
        by_order={order: (right, calls) for order, (right, calls) in sorted(orders.items())},
        patterns=_patterns(cell),
        disagreeing=tuple(disagreeing),
    )


def _wanted(arm: str, task: Task) -> str | None:
    """Return the verdict that the arm wants; None where only the assertion counts."""
    return "tie" if arm in NULL_ARMS else task.target if arm == "signal" else None


def _kinds(trial: Trial, arm: str, *, correct: bool) -> Iterator[str]:
    if correct:
        yield "correct"
    if trial.winner == "invalid":
        yield "invalid"
    elif trial.winner == "tie":
        if arm in NULL_ARMS or not correct:
            yield "tie"
    elif not correct:
        yield "wrong"


def _patterns(cell: Observed) -> Mapping[str, int]:
    """Decompose the two orders of each task and replicate; empty where one order was shown (RULES R18)."""
    if cell.plan.arm not in PAIRED_ARMS:
        return {}
    shown: dict[tuple[str, int], dict[str, Winner]] = defaultdict(dict)
    for (task, order, replicate), trial in cell.trials.items():
        if trial.winner is not None:
            shown[task, replicate][order] = trial.winner
    pairs = [(both["AB"], both["BA"]) for both in shown.values() if len(both) == 2]
    if not pairs:
        return {}
    try:
        return dict(decomposition(pairs).counts)
    except ArithmeticError as error:
        raise JudgeAuditError(
            f"{cell.plan.id}: a fault of pytest-judgeaudit: {error}. Report it."
        ) from error
