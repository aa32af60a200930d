"""Recall or ask: where the answer to one call comes from, and what is kept of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import (
    BudgetSpent,
    CampaignStopped,
    JudgeAuditError,
    MissingAnswer,
    StaleAnswer,
)
from pytest_judgeaudit.records.trials import AnswerState
from pytest_judgeaudit.store.files import DiskFailed

if TYPE_CHECKING:
    from pytest_judgeaudit.judge.instruments import Instrument
    from pytest_judgeaudit.records.requests import Request
    from pytest_judgeaudit.settings.models import JudgeSettings

Mode = Literal["replay", "live", "live-all"]


class Asker(Protocol):
    """Whatever brings a reply: an HTTP model, or a function of the user's."""

    def ask(self, request: Request) -> Reply:
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


class Brake(Protocol):
    """What all processes of a run know of judges that must not be asked further."""

    def pull(self, judge: str, why: str) -> None:
        """Let nobody ask this judge any more."""

    def pulled(self, judge: str) -> str | None:
        """Return why this judge, or any, must not be asked; None if it may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Obtained:
    """A reply and where it came from; ``unkept`` says why a new one could not be stored."""

    reply: Reply
    state: AnswerState
    unkept: str | None = None


class Campaign:
    """
    All calls of this process: recalled where they are stored, asked where that is allowed.

    A judge that is served by another model than the requested one is asked nothing further, and neither is
    one whose budget is spent. ``requested`` names the model where more is known than the configuration
    says. Safe to use from several threads.
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
        self._brake = brake
        self._askers: dict[str, Asker] = {}
        self._lock = threading.Lock()

    def obtain(self, instrument: Instrument, request: Request, place: Place) -> Obtained:
        """
        Return the stored answer to this very request, else ask if the mode allows it.

        Raises MissingAnswer or StaleAnswer where asking is not allowed, CampaignStopped after a
        substituted model, Unanswered where the call brought nothing.
        """
        judge = instrument.judge.name
        fingerprint = request.fingerprint()
        stored = self._recall.find(place.module, judge, place.name, fingerprint=fingerprint)
        if stored is not None and stored.fingerprint == fingerprint and self._may_use(instrument, stored):
            return Obtained(reply=stored.reply, state="hit")
        if self._mode == "replay":
            raise _not_stored(stored, request, place)
        why = self._brake.pulled(judge)
        if why is not None:
            raise CampaignStopped(why)
        return self._ask(instrument, request, fingerprint, place)

    def _may_use(self, instrument: Instrument, stored: StoredAnswer) -> bool:
        """Whether a stored answer stands: a live run asks again for what another model answered."""
        if self._mode == "replay":
            return True
        return self._mode == "live" and not self._substituted(instrument.judge, stored.reply.served)

    def stored(self, instrument: Instrument, request: Request, place: Place) -> Reply | None:
        """Return the stored reply to this very request that a run would use, asking nothing."""
        judge, fingerprint = instrument.judge.name, request.fingerprint()
        found = self._recall.find(place.module, judge, place.name, fingerprint=fingerprint)
        if found is None or found.fingerprint != fingerprint or not self._may_use(instrument, found):
            return None
        return found.reply

    def recalled(self, instrument: Instrument, request: Request, place: Place) -> StoredAnswer | None:
        """Return what is stored under a call's name, be it an answer to another request; asks nothing."""
        return self._recall.find(
            place.module, instrument.judge.name, place.name, fingerprint=request.fingerprint()
        )

    def _ask(self, instrument: Instrument, request: Request, fingerprint: str, place: Place) -> Obtained:
        judge = instrument.judge
        self._record.intent(place.module, judge.name, place.name, fingerprint)
        try:
            reply = self._redact(self._asker_of(judge).ask(request))
        except JudgeAuditError as error:
            if isinstance(error, BudgetSpent):
                self._brake.pull(judge.name, str(error))
            self._record.failed(place.module, judge.name, place.name, fingerprint, str(error))
            raise
        stored = StoredAnswer(
            name=place.name,
            fingerprint=fingerprint,
            parts=request.parts(),
            instrument=instrument.digest,
            reply=reply,
        )
        self._watch_served(judge, reply.served)
        try:
            self._record.answer(place.module, judge.name, stored)
        except DiskFailed as error:
            # The answer is paid for, and good for this run.
            return Obtained(reply=reply, state="asked", unkept=str(error))
        return Obtained(reply=reply, state="asked")

    def _asker_of(self, judge: JudgeSettings) -> Asker:
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

    def _watch_served(self, judge: JudgeSettings, served: str | None) -> None:
        if self._substituted(judge, served):
            asked = f"asked for {self._requested(judge)!r}, was served {served!r}"
            check = "Check the endpoint, or declare the name under [aliases]."
            self._brake.pull(judge.name, f"{judge.name}: {asked}: nothing further is asked. {check}")

    def _substituted(self, judge: JudgeSettings, served: str | None) -> bool:
        own_function = judge.api == "python" and judge.model == judge.name
        if served is None or own_function:
            return False
        return not self._same_model(self._requested(judge), served)


def _not_stored(stored: StoredAnswer | None, request: Request, place: Place) -> MissingAnswer | StaleAnswer:
    if stored is None:
        return MissingAnswer(f"no stored answer for {place.name}. Ask for it with --judge-live.")
    moved = _moved(stored.parts, request.parts())
    return StaleAnswer(
        f"the stored answer for {place.name} is stale: {', '.join(moved) or 'the request'} moved. "
        "Ask again with --judge-live."
    )


def _moved(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Name the parts whose digests differ."""
    return [name for name in {**now, **before} if before.get(name) != now.get(name)]
