"""What came back: one reply with its attempts, and the line that is stored of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_judgeaudit.records.tools import ToolUse
from pytest_judgeaudit.records.traces import Trace
from pytest_judgeaudit.records.verdicts import Usage

AttemptOutcome = Literal["answered", "refused", "failed", "timeout", "host_stalled", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """
    One try at one call, with its own window.

    ``started`` and ``ended`` are seconds since the epoch, ``status`` the HTTP status where one came.
    ``answered``: a reply; ``refused``: a status of 400 or above; ``failed``: no connection, or one that
    broke; ``unreadable``: a body that is no answer. ``load`` is what this machine carried at its end: the
    load average of the last minute over the number of processors, None where the system states none.
    """

    started: float
    ended: float
    outcome: AttemptOutcome
    status: int | None = None
    error: str | None = None
    usage: Usage | None = None
    load: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """
    A model's reply to one request, whatever the wire format.

    ``text`` holds no pair of surrogates that is one character: a stored line could not tell them apart.
    ``served`` is the model that the service declares, None when it declares none; ``finish`` its finish
    reason, with ``length`` for a truncated output whatever the format calls it. ``extra`` keeps small
    declared facts (``system_fingerprint``, ``provider``). ``trace`` is what an agent did; a judge's reply
    has none. ``tool_uses`` are calls of tools that the model waits for, ``turn`` its message as the service
    wrote it where the wire format wants that back; neither is stored.
    """

    text: str
    served: str | None = None
    finish: str | None = None
    usage: Usage | None = None
    attempts: tuple[Attempt, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    trace: Trace | None = None
    tool_uses: tuple[ToolUse, ...] = field(default=(), compare=False)
    turn: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Join the halves of characters, which arrive apart where a text is cut between them."""
        object.__setattr__(self, "text", _joined(self.text))


def _joined(text: Any) -> Any:
    if not isinstance(text, str) or text.isascii():
        return text  # a plug-in may hand over anything: who asked it refuses that by name
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """
    One line of a snapshot: a reply under its name and fingerprint.

    ``name`` is TEST-JUDGE-CRITERION-TASK-ARM-ORDER-REPLICATE and says which call it was; ``fingerprint``
    says of which request; ``parts`` digests the request's parts; ``instrument`` digests template and
    parser, which regrade but do not make an answer stale.
    """

    name: str
    fingerprint: str
    parts: Mapping[str, str]
    instrument: str
    reply: Reply
