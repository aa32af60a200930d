"""Who may still be asked: looked at before each try leaves, and settled before its slot is free again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from pytest_judgeaudit.judge.stalls import Denial, Silence, Stalls
from pytest_judgeaudit.records.answers import Attempt
from pytest_judgeaudit.records.errors import CampaignStopped


class Brake(Protocol):
    """What all processes of a run know of judges that must not be asked further."""

    def pull(self, judge: str, why: str) -> None:
        """Let nobody ask this judge any more."""

    def pull_all(self, why: str) -> None:
        """Let nobody ask anything any more."""

    def pulled(self, judge: str) -> str | None:
        """Return why this judge, or any, must not be asked; None if it may be."""


class Watch:
    """
    Pulls the brake when asking a judge, or anyone, is in vain or would mislead. Safe to use from threads.

    That is: a judge that another model serves, one out of reach, one whose key is refused, one whose budget
    is spent, and anybody on a machine that stands still.
    """

    def __init__(self, brake: Brake) -> None:
        self._brake = brake
        self._stalls, self._silence, self._denial = Stalls(), Silence(), Denial()

    def admit(self, owner: str, attempts: Sequence[object] = ()) -> None:
        """Let a try leave after those; CampaignStopped, with them, where the brake was pulled."""
        why = self._brake.pulled(owner)
        if why is not None:
            raise CampaignStopped(why, tuple(attempts))

    def stop(self, owner: str, why: str) -> None:
        """Let nobody ask this judge any more."""
        self._brake.pull(owner, why)

    def heed(self, owner: str, attempts: Sequence[object]) -> None:
        """Let nobody ask any more where the machine stands still, or this one where that is in vain."""
        why = self._stalls.ended(attempts)
        if why is not None:
            self._brake.pull_all(why)
        gone = self._silence.ended(owner, attempts) or self._denial.ended(owner, attempts)
        if gone is not None:
            self._brake.pull(owner, gone)


class WatchedFlight:
    """
    One call on its way, see :class:`~pytest_judgeaudit.ask.flights.Flight`.

    ``intent`` is called before the first try; ``substituted`` says that another model answered than the
    requested one. What an end means is taken in once, whoever tells it first.
    """

    __slots__ = ("_intent", "_owner", "_substituted", "_watch", "departed", "ended")

    def __init__(
        self,
        owner: str,
        watch: Watch,
        *,
        intent: Callable[[], None],
        substituted: Callable[[str], str | None],
    ) -> None:
        self._owner, self._watch = owner, watch
        self._intent, self._substituted = intent, substituted
        self.departed = self.ended = False

    def departs(self, attempts: Sequence[Attempt]) -> None:
        """Note the intent and let a try leave; CampaignStopped where nothing may leave any more."""
        self._watch.admit(self._owner, attempts)
        if not self.departed:
            self._intent()
            self.departed = True

    def landed(self, attempts: Sequence[object], served: str | None = None) -> None:
        """Pull the brake where what came, or that nothing came, is a reason to."""
        if self.ended:
            return
        self.ended = True
        self._watch.heed(self._owner, attempts)
        other = None if served is None else self._substituted(served)
        if other is not None:
            self._watch.stop(self._owner, other)
