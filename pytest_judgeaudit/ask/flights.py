"""What is done for a call while it holds its slot: before each try leaves, and when the last has ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pytest_judgeaudit.records.answers import Attempt


class Flight(Protocol):
    """
    One call on its way.

    Whoever waits for a slot may wait for long. So what decides whether a try may leave is asked when it has
    its slot, and what its end means for others is known before the slot is theirs.
    """

    def departs(self, attempts: Sequence[Attempt]) -> None:
        """Let a try leave after those; CampaignStopped, with them, where nothing may leave any more."""

    def landed(self, attempts: Sequence[Attempt], served: str | None = None) -> None:
        """Take in that no try follows, and which model answered."""


class Unwatched:
    """A call that may leave whenever it has a slot, and that means nothing for others."""

    def departs(self, attempts: Sequence[Attempt]) -> None:
        """Let it leave."""

    def landed(self, attempts: Sequence[Attempt], served: str | None = None) -> None:
        """Do nothing."""


UNWATCHED = Unwatched()
