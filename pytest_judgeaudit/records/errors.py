"""What can go wrong, as one line for a person: where, what was found, what is expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class JudgeAuditError(Exception):
    """Base of all errors of this package; the message is complete and made for a person."""


class Refused(JudgeAuditError):  # noqa: N818 - reads as what happened: the input was refused
    """
    Input that a person wrote is wrong: a row, a configuration key, a marker argument, an option.

    ``doubts`` are warnings about what is not wrong, a line each: what was refused is mended in one go.
    """

    def __init__(self, message: str, *, doubts: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.doubts = tuple(doubts)


class Void(JudgeAuditError):  # noqa: N818 - reads as what happened: the trial is void
    """A trial could not be measured. Never an observation about a judge."""


class MissingAnswer(Void):
    """No stored answer, and asking was not allowed."""


class StaleAnswer(Void):
    """
    The stored answer belongs to another request; names the parts that moved.

    ``stored`` is that answer, for those who show it as what it was.
    """

    def __init__(self, message: str, stored: object = None) -> None:
        super().__init__(message)
        self.stored = stored


class Unanswered(Void):
    """The call was made and brought no usable answer; ``attempts`` tells what happened."""

    def __init__(self, message: str, attempts: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.attempts = attempts


class CampaignStopped(Void):
    """
    Nothing further is asked of this judge: another model was served than the requested one, say.

    ``attempts`` tells what had happened before, where a call was not tried again.
    """

    def __init__(self, message: str, attempts: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.attempts = attempts


class BudgetSpent(CampaignStopped):
    """Nothing further is asked of this judge: the budget of this run is spent."""


class JudgeFault(Void):
    """A judge's own code failed (an embedded, recorded or Python judge), or was used wrongly."""


class PluginFault(Void):
    """What another plug-in registered failed, or returned something else than it should."""


@contextmanager
def addressed(place: str) -> Iterator[None]:
    """Put the place (``file:line`` or ``file: key``) in front of a refusal raised inside."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{place}: {error}", doubts=error.doubts) from error


def nearest(word: str, choices: Iterable[str]) -> str:
    """
    Say which of the choices was probably meant; empty when none is near.

    >>> nearest("famly", ["family", "name"])
    ' Did you mean "family"?'
    """
    found = difflib.get_close_matches(word, list(choices), n=1, cutoff=0.5)
    return f' Did you mean "{found[0]}"?' if found else ""
