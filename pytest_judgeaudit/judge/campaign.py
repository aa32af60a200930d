"""Recall or ask: where the answer to one call comes from, and what is kept of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_judgeaudit.judge.watch import Brake, Watch, WatchedFlight
from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import (
    BudgetSpent,
    JudgeAuditError,
    MissingAnswer,
    StaleAnswer,
    Void,
)
from pytest_judgeaudit.records.trials import AnswerState
from pytest_judgeaudit.store.files import DiskFailed

if TYPE_CHECKING:
    from pytest_judgeaudit.ask.flights import Flight
    from pytest_judgeaudit.records.requests import Request
    from pytest_judgeaudit.settings.models import JudgeSettings

Mode = Literal["replay", "live", "live-all"]


class Asker(Protocol):
    """Whatever brings a reply: an HTTP model, or a function of the user's."""

    def ask(self, request: Request, flight: Flight = ...) -> Reply:
        """Return the reply; raise :class:`Unanswered` when there is none."""

    def stop(self) -> None:
        """Begin no new try."""

    def close(self) -> None:
        """Let go of connections."""


class Recall(Protocol):
    """The stored answers."""

    def find(self, module: str, judge: str, name: str, *, fingerprint: str) -> StoredAnswer | None:
        """Return the answer under this name; that of this request where there are several."""


class Record(Protocol):
    """The journal of this process."""

    def intent(self, module: str, judge: str, name: str, fingerprint: str) -> None:
        """Note that a request is about to leave."""

    def answer(self, module: str, judge: str, stored: StoredAnswer) -> None:
        """Keep an answer."""

    def failed(self, module: str, judge: str, name: str, fingerprint: str, reason: str) -> None:
        """Note that a request brought no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Under which file and name one call is stored."""

    module: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Obtained:
    """A reply and where it came from; ``unkept`` says why a new one could not be stored."""

    reply: Reply
    state: AnswerState
    unkept: str | None = None


class Call(Protocol):
    """One call of a judge or an agent: under whose name it is stored, how it is asked, and what stands."""

    @property
    def owner(self) -> str:
        """The judge or agent."""

    @property
    def instrument(self) -> str:
        """The digest that is stored beside the answer: what reads it again without making it stale."""

    @property
    def fingerprint(self) -> str:
        """The digest of all that the answer depends on."""

    def parts(self) -> dict[str, str]:
        """Digest each part of it."""

    def refusal(self, stored: StoredAnswer | None, name: str) -> Void | None:
        """Say why a stored answer does not answer this call; None where it does."""

    def keeps(self, stored: StoredAnswer) -> bool:
        """Whether a live run keeps an answer to this very call, instead of asking again."""

    def ask(self, flight: Flight) -> Reply:
        """Bring a reply; raises Void where there is none."""

    def substituted(self, served: str | None) -> str | None:
        """Say that another model answered than the requested one; None where it did not."""


class Reader(Protocol):
    """Whatever reads a judge's replies: an instrument for pairs, or one for answers."""

    @property
    def judge(self) -> JudgeSettings:
        """The judge."""

    @property
    def digest(self) -> str:
        """The digest of what reads."""


class _JudgeCall:
    """A call of a judge, on a request that its instrument made."""

    __slots__ = ("_campaign", "_of", "_request", "fingerprint")

    def __init__(self, campaign: Campaign, of: Reader, request: Request) -> None:
        self._campaign, self._of, self._request = campaign, of, request
        self.fingerprint = request.fingerprint()

    @property
    def owner(self) -> str:
        return self._of.judge.name

    @property
    def instrument(self) -> str:
        return self._of.digest

    def parts(self) -> dict[str, str]:
        return self._request.parts()

    def refusal(self, stored: StoredAnswer | None, name: str) -> Void | None:
        if stored is not None and stored.fingerprint == self.fingerprint:
            return None
        return _not_stored(stored, self._request, name)

    def keeps(self, stored: StoredAnswer) -> bool:
        return self.substituted(stored.reply.served) is None

    def ask(self, flight: Flight) -> Reply:
        reply = self._campaign.asker_of(self._of.judge).ask(self._request, flight)
        report = self._request.ingredients.get("grounding")
        # What a judge was told of an answer's claims is kept beside what it said.
        return replace(reply, extra={**reply.extra, "grounding": report}) if report else reply

    def substituted(self, served: str | None) -> str | None:
        return self._campaign.substituted(self._of.judge, served)


class Campaign:
    """
    All calls of this process: recalled where they are stored, asked where that is allowed.

    A judge that is served by another model than the requested one is asked nothing further, and neither is
    one whose budget is spent or whose key is refused, nor anybody on a machine that stands still.
    ``requested`` names the model where more is known than the configuration says. Safe to use from several
    threads.
    """

    def __init__(  # noqa: PLR0913 - the seams of the only place that asks
        self,
        *,
        mode: Mode,
        recall: Recall,
        record: Record,
        asker: Callable[[JudgeSettings], Asker],
        redact: Callable[[Reply], Reply],
        same_model: Callable[[str, str | None], bool],
        brake: Brake,
        requested: Callable[[JudgeSettings], str] | None = None,
    ) -> None:
        self._requested = requested or (lambda judge: judge.requested)
        self._mode = mode
        self._recall = recall
        self._record = record
        self._asker = asker
        self._redact = redact
        self._same_model = same_model
        self._watch = Watch(brake)
        self._askers: dict[str, Asker] = {}
        self._lock = threading.Lock()

    def obtain(self, instrument: Reader, request: Request, place: Place) -> Obtained:
        """Bring what a judge says to a request, see :meth:`bring`."""
        return self.bring(_JudgeCall(self, instrument, request), place)

    def bring(self, call: Call, place: Place) -> Obtained:
        """
        Return the stored answer to this very call, else ask if the mode allows it.

        Raises MissingAnswer or StaleAnswer where asking is not allowed, CampaignStopped after a
        substituted model, Unanswered where the call brought nothing.
        """
        fingerprint = call.fingerprint
        stored = self._recall.find(place.module, call.owner, place.name, fingerprint=fingerprint)
        refusal = call.refusal(stored, place.name)
        if refusal is None and stored is not None and self._may_use(call, stored):
            return Obtained(reply=stored.reply, state="hit")
        if self._mode == "replay":
            raise refusal or MissingAnswer(f"no stored answer for {place.name}.")
        self._watch.admit(call.owner)
        return self._ask(call, fingerprint, place)

    def _may_use(self, call: Call, stored: StoredAnswer) -> bool:
        """Whether a stored answer stands: a live run asks again for what another model answered."""
        return self._mode == "replay" or (self._mode == "live" and call.keeps(stored))

    def stored(self, instrument: Reader, request: Request, place: Place) -> Reply | None:
        """Return the stored reply to this very request that a run would use, asking nothing."""
        return self.recalled(_JudgeCall(self, instrument, request), place)

    def recalled(self, call: Call, place: Place) -> Reply | None:
        """Return the stored reply to this very call that a run would use, asking nothing."""
        found = self._recall.find(place.module, call.owner, place.name, fingerprint=call.fingerprint)
        if found is None or call.refusal(found, place.name) or not self._may_use(call, found):
            return None
        return found.reply

    def kept(self, instrument: Reader, request: Request, place: Place) -> StoredAnswer | None:
        """Return what is stored under a call's name, be it an answer to another request; asks nothing."""
        fingerprint = request.fingerprint()
        return self._recall.find(place.module, instrument.judge.name, place.name, fingerprint=fingerprint)

    def _ask(self, call: Call, fingerprint: str, place: Place) -> Obtained:
        owner, flight = call.owner, self._flight(call, fingerprint, place)
        try:
            reply = self._redact(call.ask(flight))
        except JudgeAuditError as error:
            # A function's exception, say, may quote the key that it was given.
            error.args = (self._redact(Reply(text=str(error))).text,)
            if isinstance(error, BudgetSpent):
                self._watch.stop(owner, str(error))
            if flight.departed:
                flight.landed(getattr(error, "attempts", ()))
                self._record.failed(place.module, owner, place.name, fingerprint, str(error))
            raise
        stored = StoredAnswer(
            name=place.name,
            fingerprint=fingerprint,
            parts=call.parts(),
            instrument=call.instrument,
            reply=reply,
        )
        unkept = None
        try:
            self._record.answer(place.module, owner, stored)
        except DiskFailed as error:
            # The answer is paid for, and good for this run.
            unkept = str(error)
        flight.landed(reply.attempts, reply.served)  # of one that needs no slot, say
        return Obtained(reply=reply, state="asked", unkept=unkept)

    def _flight(self, call: Call, fingerprint: str, place: Place) -> WatchedFlight:
        return WatchedFlight(
            call.owner,
            self._watch,
            intent=lambda: self._record.intent(place.module, call.owner, place.name, fingerprint),
            substituted=lambda served: self._substituted(call, served),
        )

    def _substituted(self, call: Call, served: str) -> str | None:
        """Say so of a reply that nobody has redacted yet."""
        if call.substituted(served) is None:
            return None
        return call.substituted(self._redact(Reply(text="", served=served)).served)

    def asker_of(self, judge: JudgeSettings) -> Asker:
        """Return the way to a judge, opened once."""
        with self._lock:
            if judge.name not in self._askers:
                self._askers[judge.name] = self._asker(judge)
            return self._askers[judge.name]

    def stop(self) -> None:
        """Begin no new try of any call: the run is ending."""
        with self._lock:
            for asker in self._askers.values():
                asker.stop()

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            for asker in self._askers.values():
                asker.close()

    def substituted(self, judge: JudgeSettings, served: str | None) -> str | None:
        """Say that another model answered than the requested one; None where it did not."""
        own_function = judge.api == "python" and judge.model == judge.name
        if served is None or own_function or self._same_model(self._requested(judge), served):
            return None
        return other_model(judge.name, self._requested(judge), served)


def other_model(name: str, requested: str, served: str) -> str:
    """Word that nothing further is asked, since another model answered."""
    asked = f"asked for {requested!r}, was served {served!r}"
    check = "Check the endpoint, or declare the name under [aliases]."
    return f"{name}: {asked}: nothing further is asked. {check}"


def _not_stored(stored: StoredAnswer | None, request: Request, name: str) -> MissingAnswer | StaleAnswer:
    if stored is None:
        return MissingAnswer(f"no stored answer for {name}. Ask for it with --judge-live.")
    moved = request.moved(stored.parts)
    return StaleAnswer(
        f"the stored answer for {name} is stale: {', '.join(moved) or 'the request'} moved. "
        "Ask again with --judge-live.",
        stored,
    )
