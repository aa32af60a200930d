"""The place where one item's observation gathers, from its collection to its report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import pytest

from pytest_judgeaudit.records.errors import Void
from pytest_judgeaudit.records.items import Pair, slug
from pytest_judgeaudit.records.trials import AnswerState, Outcome, Trial
from pytest_judgeaudit.records.verdicts import Verdict


class Seat(NamedTuple):
    """A judge under one criterion, as a parameter of an item."""

    judge: str
    criterion: str

    @property
    def id(self) -> str:
        """The seat's part of a node id."""
        return f"{slug(self.judge)}-{slug(self.criterion)}"


@lru_cache(maxsize=2**10)
def test_name(eval_id: str, variant: str) -> str:
    """
    Name a test within its module, with the parameters that are not ours.

    >>> test_name("evals/test_a.py::TestB::test_c", "calm")
    'TestB.test_c[calm]'
    """
    return eval_id.partition("::")[2].replace("::", ".") + (f"[{slug(variant)}]" if variant else "")


def answer_name(test: str, seat: Seat | None, task: str, arm: str, order: str, replicate: int) -> str:
    """Name one call: TEST-JUDGE-CRITERION-TASK-ARM-ORDER-REPLICATE."""
    judge = seat.id if seat else "none"
    return f"{test}-{judge}-{slug(task)}-{arm}-{order}-{replicate}"


@dataclass(slots=True, kw_only=True)
class Slot:
    """
    One item's trial: what was declared, and what has been observed so far.

    ``ahead`` is whether its body runs ahead of its turn. ``called`` is whether the call phase is running:
    reports made while it runs are those of subtests.
    """

    cell: str
    module: str
    test: str
    arm: str
    task: str
    order: str = "AB"
    replicate: int = 1
    seat: Seat | None = None
    pair: Pair | None = None
    verdict: Verdict | None = None
    answer: AnswerState | None = None
    digest: str | None = None
    attempts: int = 0
    asked_at: float | None = None
    duplicated: bool = False
    unkept: str | None = None
    void: Void | None = None
    problem: str | None = None
    called: bool = False
    subtest_failed: bool = False
    ahead: bool = False

    def reset(self) -> None:
        """Forget what an earlier run of the same item observed."""
        self.verdict = self.answer = self.digest = self.problem = self.unkept = self.void = None
        self.attempts = 0
        self.asked_at = None
        self.duplicated = self.called = self.subtest_failed = False

    @property
    def unheard(self) -> bool:
        """Whether the item has a judge and a pair, and no verdict: then no assertion is about the judge."""
        return self.seat is not None and self.pair is not None and self.verdict is None

    @property
    def name(self) -> str:
        """The name under which the item's answer is stored."""
        return answer_name(self.test, self.seat, self.task, self.arm, self.order, self.replicate)

    def trial(self, outcome: Outcome, reason: str | None) -> Trial:
        """Freeze what was observed."""
        verdict = self.verdict
        usage = verdict.usage if verdict else None
        if outcome != "void" and verdict is not None and not verdict.valid:
            reason = verdict.reason
        return Trial(
            cell=self.cell,
            task=self.task,
            order=self.order,
            replicate=self.replicate,
            outcome=outcome,
            winner=verdict.winner if verdict else None,
            reason=reason[:300] if reason else None,
            answer=self.answer,
            answer_name=self.name if self.answer not in (None, "direct") else None,
            digest=self.digest,
            served=verdict.served if verdict else None,
            attempts=self.attempts,
            asked_at=self.asked_at,
            prompt_tokens=usage.prompt if usage else None,
            completion_tokens=usage.completion if usage else None,
            duplicated=self.duplicated,
            unkept=self.unkept,
        )


SLOT = pytest.StashKey[Slot]()
