"""The agent that a test holds: it answers the item's question, and the answer is graded at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.agent.staleness import standing
from pytest_judgeaudit.judge.campaign import Campaign, Place, other_model
from pytest_judgeaudit.records.agents import AgentRequest, Answer
from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import JudgeAuditError, JudgeFault, MissingAnswer, StaleAnswer, Void
from pytest_judgeaudit.records.grades import Grade
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.traces import VOID
from pytest_judgeaudit.session.crew import Crew
from pytest_judgeaudit.session.judging import state_of
from pytest_judgeaudit.session.trial import Asked, Slot
from pytest_judgeaudit.session.workspaces import Workspaces

if TYPE_CHECKING:
    from pytest_judgeaudit.agent.answering import Agent
    from pytest_judgeaudit.agent.sandboxes import Sandbox
    from pytest_judgeaudit.ask.flights import Flight
    from pytest_judgeaudit.settings.models import AgentSettings

DESK = pytest.StashKey["Desk"]()

NOT_GRADED = ("contaminated", "unavailable")
"""States of a grade that void an item, whatever its body looked at."""


class Desk:
    """
    Where agents answer: the selected ones, the sandboxes, and the calls of this process.

    ``same_model`` compares a requested with a served name; ``requested`` names the model where more is
    known than the configuration says.
    """

    def __init__(
        self,
        *,
        crew: Crew,
        workspaces: Workspaces,
        campaign: Campaign,
        same_model: Callable[[str, str | None], bool],
        requested: Callable[[AgentSettings], str] | None = None,
    ) -> None:
        self.crew = crew
        self._workspaces = workspaces
        self._campaign = campaign
        self._same_model = same_model
        self._requested = requested or (lambda agent: agent.requested)

    def sandbox(self, asked: Asked) -> Sandbox:
        """Return what the agent of an item can see."""
        return self._workspaces.sandbox(asked.corpus, asked.arm)

    def substituted(self, agent: str, served: str | None) -> str | None:
        """Say that another model answered than the requested one; None where it did not."""
        requested = self._requested(self.crew.settings(agent))
        if served is None or not requested or self._same_model(requested, served):
            return None
        return other_model(agent, requested, served)

    def call(self, asked: Asked) -> AgentCall:
        """Return the call that an item makes."""
        return AgentCall(self, asked)

    def bring(self, slot: Slot, asked: Asked) -> Reply:
        """Recall or ask for the answer of an item, and note in the slot where it came from."""
        obtained = self._campaign.bring(self.call(asked), Place(module=slot.module, name=slot.name))
        attempts = obtained.reply.attempts
        slot.answer, slot.attempts, slot.unkept = obtained.state, len(attempts), obtained.unkept
        slot.asked_at = attempts[0].started if attempts else None
        return obtained.reply

    def stored(self, slot: Slot) -> Reply | None:
        """Return the stored answer that an item would use; None where it would ask."""
        if slot.asked is None:
            return None
        return self._campaign.recalled(self.call(slot.asked), Place(module=slot.module, name=slot.name))


class AgentCall:
    """One question to one agent, as a campaign brings it."""

    instrument = ""
    """Graders are no part of an answer: nothing reads it again but them."""

    def __init__(self, desk: Desk, asked: Asked) -> None:
        self._desk = desk
        self._asked = asked
        self.owner = asked.agent

    @cached_property
    def _agent(self) -> Agent:
        return self._desk.crew.agent(self.owner)

    @cached_property
    def _request(self) -> AgentRequest:
        asked = self._asked
        return self._agent.request(
            asked.question.prompt, self._desk.sandbox(asked), replicate=asked.replicate
        )

    @cached_property
    def fingerprint(self) -> str:
        """The digest of all that the answer depends on."""
        return self._request.fingerprint()

    def parts(self) -> dict[str, str]:
        """Digest each part of it."""
        return self._request.parts()

    def refusal(self, stored: StoredAnswer | None, name: str) -> Void | None:
        """Say why a stored answer does not answer this call; None where it does."""
        found = standing(stored, self._request)
        if found.usable:
            return None
        line = found.line(name)
        return MissingAnswer(line) if found.state == "missing" else StaleAnswer(line, stored)

    def keeps(self, stored: StoredAnswer) -> bool:
        """Whether a live run keeps an answer: one that measured nothing is asked for again."""
        again = standing(stored, self._request).asks_again
        return not again and self.substituted(stored.reply.served) is None

    def ask(self, flight: Flight) -> Reply:
        """Have the agent answer."""
        return self._agent.answer(self._request, self._desk.sandbox(self._asked), flight)

    def substituted(self, served: str | None) -> str | None:
        """Say that another model answered than the requested one; None where it did not."""
        return self._desk.substituted(self.owner, served)


class ItemAgent:
    """
    One agent, for one item.

    ``name`` and ``family`` are those of the configuration.
    """

    __slots__ = ("_desk", "_slot", "family", "name")

    def __init__(self, asked: Asked, slot: Slot, desk: Desk) -> None:
        self.name = asked.agent
        self.family = desk.crew.settings(asked.agent).family
        self._slot = slot
        self._desk = desk

    def __repr__(self) -> str:
        return f"<agent {self.name}>"

    def answer(self, question: Question, sandbox: object) -> Answer:
        """
        Answer the item's question in the item's sandbox.

        One item is one answer: asked again, the same one comes back. Raises Void, which is never an
        observation, when no answer could be obtained, or one that measured nothing.
        """
        slot = self._slot
        if slot.void is not None:
            raise slot.void
        answer = slot.heard.answer
        if answer is None:
            try:
                answer = slot.heard.answer = self._hear(question, sandbox)
            except Void as error:
                slot.problem, slot.void = str(error), error
                slot.answer = slot.answer or state_of(error)
                raise
        return answer

    def _hear(self, question: Question, sandbox: object) -> Answer:
        slot, asked = self._slot, self._slot.asked
        if asked is None:
            raise JudgeFault("agent.answer needs a question of a source. Mark the test with questions.")
        if question is not asked.question and question != asked.question:
            raise JudgeFault(
                "agent.answer was given another question than the item's. Pass `question` itself."
            )
        if sandbox is not self._desk.sandbox(asked):
            raise JudgeFault(
                "agent.answer was given another sandbox than the item's. Pass `sandbox` itself."
            )
        try:
            reply = self._desk.bring(slot, asked)
            answer = Answer.of(reply, grader=self._grade)
            slot.digest = short_digest(answer.text)
            # Here, because graders compile many patterns, which a run about pairs does without.
            from pytest_judgeaudit.session.grading import graded

            row = slot.heard.row = graded(asked, answer, traced=self._traced(answer))
        except JudgeAuditError as error:
            raise error if isinstance(error, Void) else JudgeFault(str(error)) from error
        except AssertionError as error:
            raise JudgeFault(f"{self.name}: an assertion failed inside the agent: {error}") from error
        if answer.outcome in VOID:
            told = answer.trace.error or "no reason was given"
            raise JudgeFault(f"{self.name}: the answer measured nothing ({answer.outcome}): {told}")
        if row.grade.state in NOT_GRADED:
            slot.heard.late.append(f"{self.name}: {row.grade.state}: {row.grade.reason}")
        return answer

    def _traced(self, answer: Answer) -> bool:
        """Whether a trace says which tools were used; a program or a function need not leave one."""
        settings = self._desk.crew.settings(self.name)
        return settings.kind == "tools" or bool(settings.trace) or bool(answer.tool_calls)

    def _grade(self, answer: Answer, question: Question) -> Grade | VoidGrade:
        row = self._slot.heard.row
        if row is None or question != row.question or answer != self._slot.heard.answer:
            raise JudgeFault(
                "answer.grade was given another question or answer than the item's. Pass `question` itself."
            )
        found = row.grade
        if row.outcome == "refusal":
            # It counts against the agent; in the report it is no low score, but an outcome of its own.
            return replace(found, score=0.0)
        return VoidGrade(found, where=f"{self.name}: {row.question.id}") if found.void else found


class VoidGrade:
    """A grade without a score: whoever asks for the score is told why there is none."""

    def __init__(self, found: Grade, *, where: str) -> None:
        self._found = found
        self._where = where

    @property
    def score(self) -> float:
        """Nothing: raises Void, which is never an observation."""
        found = self._found
        raise JudgeFault(f"{self._where}: the grade is void ({found.state}): {found.reason}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)
