"""The place where one item's observation gathers, from its collection to its report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_judgeaudit.audit.graded import written
from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.errors import JudgeFault, Void
from pytest_judgeaudit.records.grades import ChecklistVerdict, GradedRow
from pytest_judgeaudit.records.items import Pair, slug
from pytest_judgeaudit.records.labelled import LabelledAnswer, call_arm
from pytest_judgeaudit.records.plans import Presentation
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.records.trials import AnswerState, JudgeCall, Outcome, Trial
from pytest_judgeaudit.records.verdicts import Acceptance, Ruling, Verdict, Winner

if TYPE_CHECKING:  # it compiles many patterns
    from pytest_judgeaudit.grade.guarding import Guard


class Seat(NamedTuple):
    """A judge under one criterion, as a parameter of an item; without one ("") it judges answers."""

    judge: str
    criterion: str

    @property
    def id(self) -> str:
        """The seat's part of a node id."""
        return f"{slug(self.judge)}-{slug(self.criterion)}" if self.criterion else slug(self.judge)


class Asked(NamedTuple):
    """One question to one agent in one arm, as a parameter of an item."""

    question: Question
    arm: str
    replicate: int
    agent: str
    corpus: str | None
    guard: Guard | None = None

    @property
    def id(self) -> str:
        """Its part of a node id."""
        again = f"-{self.replicate}" if self.replicate > 1 else ""
        return (
            "-".join(filter(None, (self.agent and slug(self.agent), slug(self.question.id), self.arm)))
            + again
        )


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


def shown_arm(arm: str, context: str, stratum: str | None = None) -> str:
    """Return the arm's part of a call's name: in a context audit with the context, never with a label."""
    return f"{arm}-{context}" if context else call_arm(arm, stratum)


def agent_answer_name(test: str, agent: str, question: str, arm: str, replicate: int) -> str:
    """Name an agent's answer: TEST-AGENT-QUESTION-ARM-REPLICATE."""
    return f"{test}-{slug(agent)}-{slug(question)}-{arm}-{replicate}"


def judged_name(answer: str, judge: str, what: str) -> str:
    """Name what a judge says of an agent's answer: ANSWER-JUDGE-WHAT."""
    return f"{answer}-{slug(judge)}-{what}"


def said_of(verdict: Verdict | Acceptance) -> Winner | Ruling:
    """Return what a judge said, in the word that a trial keeps."""
    return verdict.ruling if isinstance(verdict, Acceptance) else verdict.winner


@dataclass(slots=True, kw_only=True)
class Hearing:
    """
    What has come of one item's question so far.

    ``row`` is what was made of the ``answer``, ``scores`` and ``checks`` what judges say of it, ``calls``
    how they came to say it; ``late`` says why the item fails after its body.
    """

    answer: Answer | None = None
    row: GradedRow | None = None
    scores: dict[str, RubricScore] = field(default_factory=dict)
    checks: dict[str, ChecklistVerdict] = field(default_factory=dict)
    calls: list[JudgeCall] = field(default_factory=list)
    late: list[str] = field(default_factory=list)

    @property
    def unkept(self) -> str | None:
        """Why a judge's new answer could not be stored; None where all were."""
        return next((call.unkept for call in self.calls if call.unkept), None)

    def written(self) -> dict[str, Any] | None:
        """Write the graded row as plain values; None where nothing was graded."""
        if self.row is None:
            return None
        return written(replace(self.row, scores=dict(self.scores), checks=dict(self.checks)))


@dataclass(slots=True, kw_only=True)
class Slot:
    """
    One item's trial: what was declared, and what has been observed so far.

    ``ahead`` is whether its body runs ahead of its turn. ``called`` is whether the call phase is running:
    reports made while it runs are those of subtests. ``first`` is what the first call of a repeated one is
    known to have said. Of a question, ``judges`` may judge the answer, and
    ``hearing`` gathers what comes of it.
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
    item: LabelledAnswer | None = None
    asked: Asked | None = None
    judges: tuple[str, ...] = ()
    hearing: Hearing | None = None
    verdict: Verdict | Acceptance | None = None
    answer: AnswerState | None = None
    first: Winner | Ruling | None = None
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
    declared: Presentation | None = None

    @property
    def presentation(self) -> Presentation:
        """What is presented: the one that was declared, since there are as many as trials."""
        return self.declared or Presentation(self.task, self.order, self.replicate)

    def reset(self) -> None:
        """Forget what an earlier run of the same item observed."""
        self.verdict = self.answer = self.digest = self.problem = self.unkept = self.void = None
        self.first = None
        self.hearing = None if self.hearing is None else Hearing()
        self.attempts = 0
        self.asked_at = None
        self.duplicated = self.called = self.subtest_failed = False

    @property
    def heard(self) -> Hearing:
        """What has come of the item's question; JudgeFault where it has none."""
        if self.hearing is None:
            raise JudgeFault("this item has no question of a source. Mark the test with questions.")
        return self.hearing

    @property
    def unheard(self) -> bool:
        """Whether what is under test has said nothing yet: then no assertion is about it."""
        if self.hearing is not None:
            return self.hearing.answer is None
        return self.seat is not None and self.shown is not None and self.verdict is None

    @property
    def shown(self) -> Pair | LabelledAnswer | None:
        """What a judge is shown; None where the item has nothing of a source of ours, or a question."""
        return self.item if self.pair is None else self.pair

    @property
    def call(self) -> str:
        """The call that an item of this kind has to make."""
        if self.asked is not None:
            return "agent.answer(question, sandbox)"
        return "judge.compare(pair)" if self.item is None else "judge.accepts(item)"

    @property
    def owner(self) -> str:
        """The judge or the agent that is under test; "" where neither is."""
        if self.asked is not None:
            return self.asked.agent
        return self.seat.judge if self.seat else ""

    @property
    def name(self) -> str:
        """The name under which the item's answer is stored."""
        if self.asked is not None:
            return agent_answer_name(self.test, self.asked.agent, self.task, self.arm, self.replicate)
        context, stratum = self.pair.context if self.pair else "", self.item.stratum if self.item else None
        arm = shown_arm(self.arm, context, stratum)
        return answer_name(self.test, self.seat, self.task, arm, self.order, self.replicate)

    def trial(self, outcome: Outcome, reason: str | None) -> Trial:
        """Freeze what was observed."""
        verdict = self.verdict
        hearing = self.hearing
        answer = None if hearing is None else hearing.answer
        said = answer if verdict is None else verdict
        usage = None if said is None else said.usage
        if outcome != "void" and verdict is not None and not verdict.valid:
            reason = verdict.reason
        return Trial(
            cell=self.cell,
            task=self.task,
            order=self.order,
            replicate=self.replicate,
            outcome=outcome,
            winner=None if verdict is None else said_of(verdict),
            reason=reason[:300] if reason else None,
            answer=self.answer,
            answer_name=self.name if self.answer not in (None, "direct") else None,
            digest=self.digest,
            served=None if said is None else said.served,
            attempts=self.attempts,
            asked_at=self.asked_at,
            prompt_tokens=usage.prompt if usage else None,
            completion_tokens=usage.completion if usage else None,
            unknown_calls=(usage.unknown_calls or None) if usage else None,
            duplicated=self.duplicated,
            unkept=self.unkept or (hearing.unkept if hearing else None),
            graded=hearing.written() if hearing else None,
            judged=tuple(hearing.calls) if hearing else (),
        )


SLOT = pytest.StashKey[Slot]()
