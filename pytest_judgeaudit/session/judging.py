"""The judge that a test holds: it compares or accepts, and notes what it saw in the item's trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.judge.campaign import Campaign, Place, Reader
from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import (
    BudgetSpent,
    CampaignStopped,
    JudgeAuditError,
    JudgeFault,
    MissingAnswer,
    PluginFault,
    StaleAnswer,
    Void,
)
from pytest_judgeaudit.records.grades import ChecklistVerdict
from pytest_judgeaudit.records.items import Pair, short_digest
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.records.trials import AnswerState
from pytest_judgeaudit.records.verdicts import Acceptance, Ruling, Verdict, Winner
from pytest_judgeaudit.session.trial import Seat, Slot, said_of

if TYPE_CHECKING:
    from pytest_judgeaudit.judge.direct import Decision, DirectJudge
    from pytest_judgeaudit.judge.instruments import Instrument
    from pytest_judgeaudit.judge.pointwise import Pointwise
    from pytest_judgeaudit.session.scoring import Scorers
    from pytest_judgeaudit.settings.models import JudgeSettings

Read = Callable[[Reply], Verdict | Acceptance]
"""Reads what a judge replied."""

BENCH = pytest.StashKey["Bench"]()


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """
    What is known of one call without making it.

    ``fresh`` tells whether the stored answer is one to this very request. ``problem`` says why there is no
    verdict.
    """

    request: Request | None = None
    stored: StoredAnswer | None = None
    fresh: bool = False
    verdict: Verdict | Acceptance | None = None
    problem: str | None = None


class Bench:
    """
    All judges of this process: those that answer in it, and those that are recalled or asked.

    ``scorers`` makes those that judge answers, when the first answer is judged.
    """

    def __init__(
        self,
        *,
        judges: Mapping[str, JudgeSettings],
        instruments: Mapping[Seat, Instrument],
        direct: Mapping[str, DirectJudge],
        campaign: Campaign,
        pointwise: Mapping[Seat, Pointwise] | None = None,
        scorers: Callable[[], Scorers] | None = None,
    ) -> None:
        self._make_scorers = scorers
        self.judges = judges
        self._instruments = instruments
        self._pointwise = pointwise or {}
        self._direct = direct
        self._campaign = campaign

    def judge(self, seat: Seat, slot: Slot) -> Judge:
        """Seat a judge in an item."""
        return Judge(seat, slot, self)

    def panel(self, slot: Slot) -> tuple[Judge, ...]:
        """Seat the judges of an item's answer."""
        return tuple(Judge(Seat(name, ""), slot, self) for name in slot.judges)

    @cached_property
    def scorers(self) -> Scorers:
        """The judges of answers."""
        if self._make_scorers is None:
            raise JudgeFault("no judge of answers is seated. Mark the test with questions.")
        return self._make_scorers()

    def stored(self, slot: Slot) -> Reply | None:
        """Return the stored reply that an item would use; None where it would ask, or never asks."""
        called = self._call(slot)
        if called is None:
            return None
        reader, request, _ = called
        return self._campaign.stored(reader, request, Place(module=slot.module, name=slot.name))

    def _call(self, slot: Slot) -> tuple[Reader, Request, Read] | None:
        """Return who reads an item's reply, its request, and how the reply is read; None without a call."""
        seat, pair, item = slot.seat, slot.pair, slot.item
        if seat is None:
            return None
        if pair is not None and seat in self._instruments:
            instrument = self._instruments[seat]
            request = instrument.request(pair, replicate=slot.replicate)
            return instrument, request, lambda reply: instrument.read(reply, pair)
        if item is not None and seat in self._pointwise:
            pointwise = self._pointwise[seat]
            return pointwise, pointwise.request(item), pointwise.read
        return None

    def looked_up(self, slot: Slot) -> Looked:
        """Return what is known of an item's call, asking nothing: its request, and what is stored."""
        if slot.seat is None or slot.shown is None:
            return Looked()
        try:
            if slot.seat.judge in self._direct:
                return Looked(verdict=self._decided(slot, slot.seat).verdict)
            called = self._call(slot)
            if called is None:
                return Looked()
            reader, request, read = called
            stored = self._campaign.kept(reader, request, Place(module=slot.module, name=slot.name))
            verdict = read(stored.reply) if stored else None
        except JudgeAuditError as error:
            return Looked(problem=str(error))
        if stored is None:
            return Looked(request=request, problem=f"no stored answer for {slot.name}")
        fresh = stored.fingerprint == request.fingerprint()
        return Looked(request=request, stored=stored, fresh=fresh, verdict=verdict)

    def _decided(self, slot: Slot, seat: Seat) -> Decision:
        """Let a judge that answers in the process decide."""
        direct = self._direct[seat.judge]
        if slot.item is not None:
            return direct.rule(slot.item, criterion=seat.criterion)
        if slot.pair is None:
            raise JudgeFault("this item has neither a pair nor an answer of a source.")
        return direct.decide(slot.pair, criterion=seat.criterion, replicate=slot.replicate)

    def said_first(self, slot: Slot) -> Winner | Ruling | None:
        """Return what the first call of a repeated one said, as far as it is stored; asks nothing."""
        if slot.item is None or slot.item.control != "repeated" or slot.seat is None:
            return None
        first = replace(slot, arm=slot.item.label, replicate=1, item=slot.item.shown(""))
        try:
            if slot.seat.judge in self._direct:
                return said_of(self._decided(first, slot.seat).verdict)
            called, reply = self._call(first), self.stored(first)
            return None if called is None or reply is None else said_of(called[2](reply))
        except JudgeAuditError:
            return None

    def verdict(self, slot: Slot, seat: Seat) -> Verdict | Acceptance:
        """Obtain the verdict on what an item shows, and note in the slot where it came from."""
        if seat.judge in self._direct:
            decision = self._decided(slot, seat)
            slot.answer, slot.duplicated = "direct", decision.duplicated
            return decision.verdict
        called = self._call(slot)
        if called is None:
            raise JudgeFault(f"the judge {seat.judge} is not seated for what this item shows.")
        reader, request, read = called
        obtained = self._campaign.obtain(reader, request, Place(module=slot.module, name=slot.name))
        attempts = obtained.reply.attempts
        slot.answer, slot.attempts = obtained.state, len(attempts)
        slot.unkept = obtained.unkept
        slot.asked_at = attempts[0].started if attempts else None
        return read(obtained.reply)


class Judge:
    """
    One judge under one criterion, for one item.

    ``name``, ``criterion`` and ``family`` are those of the configuration.
    """

    __slots__ = ("_bench", "_slot", "criterion", "family", "name")

    def __init__(self, seat: Seat, slot: Slot, bench: Bench) -> None:
        self.name, self.criterion = seat
        self.family = bench.judges[seat.judge].family
        self._slot = slot
        self._bench = bench

    def __repr__(self) -> str:
        return f"<judge {self.name}, criterion {self.criterion}>"

    def compare(self, pair: Pair) -> Verdict:
        """
        Judge the item's pair in the order in which it is shown.

        One item is one call: asked again, the same verdict comes back. Raises Void, which is never an
        observation, when no verdict could be obtained.
        """
        verdict = self._once(lambda: self._check_pair(pair))
        if not isinstance(verdict, Verdict):
            raise JudgeFault(f"{self.name}: found {verdict!r}, expected a verdict on a pair")
        return verdict

    def accepts(self, item: LabelledAnswer) -> Acceptance:
        """Accept or reject the item's answer; otherwise as :meth:`compare`."""
        said = self._once(lambda: self._check_item(item))
        if not isinstance(said, Acceptance):
            raise JudgeFault(f"{self.name}: found {said!r}, expected a ruling on an answer")
        return said

    def _check_pair(self, pair: Pair) -> None:
        if self._slot.pair is None:
            raise JudgeFault("judge.compare needs a pair of a source. Mark the test with clone_pairs, say.")
        if pair is not self._slot.pair and pair != self._slot.pair:
            raise JudgeFault("judge.compare was given another pair than the item's. Pass `pair` itself.")

    def _check_item(self, item: LabelledAnswer) -> None:
        if self._slot.item is None:
            raise JudgeFault(
                "judge.accepts needs an answer of a source. Mark the test with labelled_answers."
            )
        if item is not self._slot.item and item != self._slot.item:
            raise JudgeFault("judge.accepts was given another answer than the item's. Pass `item` itself.")

    def _once(self, check: Callable[[], None]) -> Verdict | Acceptance:
        """Obtain what the judge says of what the item shows, once; ``check`` refuses anything else."""
        slot = self._slot
        if slot.void is not None:
            raise slot.void
        if slot.verdict is None:
            try:
                check()
                slot.verdict = self._verdict()
            except Void as error:
                slot.problem, slot.answer, slot.void = str(error), state_of(error), error
                raise
            slot.digest = short_digest(slot.verdict.raw)
            slot.first = self._bench.said_first(slot)
        return slot.verdict

    def _verdict(self) -> Verdict | Acceptance:
        try:
            return self._bench.verdict(self._slot, Seat(self.name, self.criterion))
        except JudgeAuditError as error:
            raise error if isinstance(error, Void) else JudgeFault(str(error)) from error
        except AssertionError as error:
            raise JudgeFault(f"{self.name}: an assertion failed inside the judge: {error}") from error

    def score(self, question: Question, answer: Answer) -> RubricScore:
        """
        Score the item's answer on the rubric.

        What has no score says why in ``state`` and ``reason``, and the item then fails after its body: a
        stale judge does not hide a good checklist. JudgeFault for another question or answer.
        """
        bench = self._on_answers("score")
        return bench.scorers.score(self._slot, bench.judges[self.name], question, answer)

    def check(self, question: Question, answer: Answer) -> ChecklistVerdict:
        """Check the item's answer against the question's checklist; otherwise as :meth:`score`."""
        bench = self._on_answers("check")
        return bench.scorers.check(self._slot, bench.judges[self.name], question, answer)

    def _on_answers(self, call: str) -> Bench:
        if self._slot.asked is None:
            raise JudgeFault(f"judge.{call} needs a question of a source. Mark the test with questions.")
        return self._bench


def state_of(error: Void) -> AnswerState:
    """Say where the answer stands that an error kept away."""
    for kind, state in _STATES.items():
        if isinstance(error, kind):
            return state
    return "failed"


_STATES: Mapping[type[Void], AnswerState] = {
    MissingAnswer: "missing",
    StaleAnswer: "stale",
    JudgeFault: "faulty",
    PluginFault: "faulty",
    BudgetSpent: "unfunded",
    CampaignStopped: "stopped",
}
