"""The judge that a test holds: it compares, and notes what it saw in the item's trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.judge.campaign import Campaign, Place
from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import (
    BudgetSpent,
    CampaignStopped,
    JudgeAuditError,
    JudgeFault,
    MissingAnswer,
    StaleAnswer,
    Void,
)
from pytest_judgeaudit.records.grades import ChecklistVerdict
from pytest_judgeaudit.records.items import Pair, short_digest
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.records.trials import AnswerState
from pytest_judgeaudit.records.verdicts import Verdict
from pytest_judgeaudit.session.trial import Seat, Slot

if TYPE_CHECKING:
    from pytest_judgeaudit.judge.direct import DirectJudge
    from pytest_judgeaudit.judge.instruments import Instrument
    from pytest_judgeaudit.session.scoring import Scorers
    from pytest_judgeaudit.settings.models import JudgeSettings

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
    verdict: Verdict | None = None
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
        scorers: Callable[[], Scorers] | None = None,
    ) -> None:
        self._make_scorers = scorers
        self.judges = judges
        self._instruments = instruments
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
        if slot.seat is None or slot.pair is None or slot.seat not in self._instruments:
            return None
        instrument = self._instruments[slot.seat]
        request = instrument.request(slot.pair, replicate=slot.replicate)
        return self._campaign.stored(instrument, request, Place(module=slot.module, name=slot.name))

    def looked_up(self, slot: Slot) -> Looked:
        """Return what is known of an item's call, asking nothing: its request, and what is stored."""
        if slot.seat is None or slot.pair is None:
            return Looked()
        direct = self._direct.get(slot.seat.judge)
        try:
            if direct is not None:
                decision = direct.decide(slot.pair, criterion=slot.seat.criterion, replicate=slot.replicate)
                return Looked(verdict=decision.verdict)
            instrument = self._instruments[slot.seat]
            request = instrument.request(slot.pair, replicate=slot.replicate)
            stored = self._campaign.kept(instrument, request, Place(module=slot.module, name=slot.name))
            verdict = instrument.read(stored.reply, slot.pair) if stored else None
        except JudgeAuditError as error:
            return Looked(problem=str(error))
        if stored is None:
            return Looked(request=request, problem=f"no stored answer for {slot.name}")
        fresh = stored.fingerprint == request.fingerprint()
        return Looked(request=request, stored=stored, fresh=fresh, verdict=verdict)

    def verdict(self, slot: Slot, seat: Seat, pair: Pair) -> Verdict:
        """Obtain the verdict on a pair, and note in the slot where it came from."""
        direct = self._direct.get(seat.judge)
        if direct is not None:
            decision = direct.decide(pair, criterion=seat.criterion, replicate=slot.replicate)
            slot.answer, slot.duplicated = "direct", decision.duplicated
            return decision.verdict
        instrument = self._instruments[seat]
        request = instrument.request(pair, replicate=slot.replicate)
        obtained = self._campaign.obtain(instrument, request, Place(module=slot.module, name=slot.name))
        attempts = obtained.reply.attempts
        slot.answer, slot.attempts = obtained.state, len(attempts)
        slot.unkept = obtained.unkept
        slot.asked_at = attempts[0].started if attempts else None
        return instrument.read(obtained.reply, pair)


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
        slot = self._slot
        if slot.void is not None:
            raise slot.void
        if slot.verdict is None:
            try:
                slot.verdict = self._compare(pair)
            except Void as error:
                slot.problem, slot.answer, slot.void = str(error), state_of(error), error
                raise
            slot.digest = short_digest(slot.verdict.raw)
        return slot.verdict

    def _compare(self, pair: Pair) -> Verdict:
        if self._slot.pair is None:
            raise JudgeFault("judge.compare needs a pair of a source. Mark the test with clone_pairs, say.")
        if pair is not self._slot.pair and pair != self._slot.pair:
            raise JudgeFault("judge.compare was given another pair than the item's. Pass `pair` itself.")
        try:
            return self._bench.verdict(self._slot, Seat(self.name, self.criterion), pair)
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
    BudgetSpent: "unfunded",
    CampaignStopped: "stopped",
}
