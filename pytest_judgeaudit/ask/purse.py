"""
What a run may spend on a judge, counted for all local processes of a run in one small file.

A call begins only if its expected cost still fits beside what was spent and what calls in flight are
expected to cost. Expected is the mean of the calls whose usage is known, before there is one a length: a
token for every four bytes of the messages. A call that does not fit waits for those in flight, which may
turn out cheaper; if it does not fit beside what was spent, that ends the asking for good.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from filelock import FileLock

from pytest_judgeaudit.ask.flights import UNWATCHED, Flight
from pytest_judgeaudit.ask.usage import length, used_by
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.errors import BudgetSpent, CampaignStopped, Refused, Unanswered
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.verdicts import Usage

_POLL_S, _WAIT_S = 0.005, 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one judge: tokens, money, or both. ``prompt`` and ``completion`` are prices per million."""

    judge: str
    tokens: int | None = None
    money: float | None = None
    prompt: float = 0.0
    completion: float = 0.0

    def cost(self, used: Usage) -> tuple[float, float]:
        """What a usage takes of both limits: tokens, and money."""
        return (
            float(used.prompt + used.completion),
            (used.prompt * self.prompt + used.completion * self.completion) / 1e6,
        )

    def exceeded_by(self, tokens: float, money: float) -> str | None:
        """Name the limit that would be exceeded; None if both hold."""
        if self.tokens is not None and tokens > self.tokens:
            return f"{self.tokens:,} tokens (limits.budget_tokens)"
        if self.money is not None and money > self.money * (1 + 1e-12):
            return f"{self.money:g} (limits.budget)"
        return None


@dataclass(slots=True)
class _Account:
    """The file's content: what was spent in all, what calls with a known usage took, and what is open."""

    tokens: float = 0.0
    money: float = 0.0
    known: int = 0
    known_tokens: float = 0.0
    known_money: float = 0.0
    spent: str | None = None
    open: dict[str, list[float]] = field(default_factory=dict)


class Purse:
    """
    One judge's budget in one folder, which belongs to one run; safe to use from several threads.

    ``folder`` returns the folder; it is asked for at the first call. A call that is open for longer than
    ``patience_s`` is waited for no longer: its process may have died.
    """

    def __init__(
        self,
        folder: Callable[[], Path],
        name: str,
        budget: Budget,
        *,
        patience_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._name, self._budget = folder, name, budget
        self._patience_s, self._clock = patience_s, clock
        self._stopping = threading.Event()
        self._guard = threading.Lock()
        self._lock: FileLock | None = None

    def open(self, request: Request) -> str:
        """Set aside what a call is expected to cost, once it fits. BudgetSpent: nothing will any more."""
        ticket = uuid.uuid4().hex
        while True:
            account = self._change(lambda account: self._set_aside(account, ticket, request))
            if ticket in account.open:
                return ticket
            if account.spent is not None:
                raise BudgetSpent(
                    f"{self._budget.judge}: the budget of this run is spent: {account.spent}. "
                    "Raise it, or repeat the run: it goes on where this one stopped."
                )
            if self._stopping.wait(_WAIT_S):
                raise Unanswered(f"{self._budget.judge}: the run was stopped before an answer came")

    def stop(self) -> None:
        """Let nobody wait any more."""
        self._stopping.set()

    def close(self, ticket: str, used: Usage, *, known: bool) -> None:
        """Book what a call did cost; ``known`` is whether the service said so."""
        self._change(lambda account: self._book(account, ticket, used, known=known))

    def _set_aside(self, account: _Account, ticket: str, request: Request) -> None:
        expected = [*self._budget.cost(Usage(prompt=length(m.content for m in request.messages)))]
        if account.known:
            expected = [account.known_tokens / account.known, account.known_money / account.known]
        tokens = account.tokens + sum(one[0] for one in account.open.values()) + expected[0]
        money = account.money + sum(one[1] for one in account.open.values()) + expected[1]
        exceeded, now = self._budget.exceeded_by(tokens, money), self._clock()
        if account.spent is not None:
            return
        if exceeded is None:
            account.open[ticket] = [*expected, now]
        elif all(now - one[2] >= self._patience_s for one in account.open.values()):
            account.spent = exceeded

    def _book(self, account: _Account, ticket: str, used: Usage, *, known: bool) -> None:
        account.open.pop(ticket, None)
        tokens, money = self._budget.cost(used)
        account.tokens += tokens
        account.money += money
        if known:
            account.known += 1
            account.known_tokens += tokens
            account.known_money += money

    def _change(self, change: Callable[[_Account], None]) -> _Account:
        file = self._folder() / f"{self._name}.purse"
        with self._guard:
            if self._lock is None:
                self._lock = FileLock(f"{file}.lock", thread_local=False)
            try:
                with self._lock.acquire(poll_interval=_POLL_S):
                    account = _read(file)
                    change(account)
                    file.write_text(json.dumps(asdict(account)), encoding="ascii")
            except OSError as error:
                raise Refused(f"{file}: cannot be written: {error.strerror or error}") from None
        return account


class Asker(Protocol):
    """Whatever brings a reply."""

    def ask(self, request: Request, flight: Flight = UNWATCHED) -> Reply:
        """Return the reply; Unanswered where there is none, CampaignStopped where it may not leave."""

    def stop(self) -> None:
        """Begin no new try."""

    def close(self) -> None:
        """Let go of connections."""


class Paid:
    """An asker that asks as long as a purse allows, and books what each call used, answered or not."""

    def __init__(self, asker: Asker, purse: Purse) -> None:
        self._asker, self._purse = asker, purse
        self.close = asker.close

    def stop(self) -> None:
        """Begin no new try, and wait for nothing."""
        self._purse.stop()
        self._asker.stop()

    def ask(self, request: Request, flight: Flight = UNWATCHED) -> Reply:
        """Return the reply; BudgetSpent where the budget does not allow another call."""
        ticket = self._purse.open(request)
        reply: Reply | None = None
        attempts: Sequence[Attempt] = ()
        try:
            reply = self._asker.ask(request, flight)
            attempts = reply.attempts
        except (Unanswered, CampaignStopped) as error:
            attempts = [one for one in error.attempts if isinstance(one, Attempt)]
            raise
        finally:
            used, known = used_by(request, reply, attempts)
            self._purse.close(ticket, used, known=known)
        return reply


def _read(file: Path) -> _Account:
    try:
        return _Account(**json.loads(file.read_text(encoding="ascii")))
    except FileNotFoundError:
        return _Account()
    except ValueError:
        # Torn by a process that died while it wrote: nobody knows what was spent.
        return _Account(spent="its account was lost with a process that died")
