"""
A judge that is a function of the user's: ``api = "python"``, ``callable = "module:function"``.

The function gets the messages, a list of ``{"role": …, "content": …}``, and returns the reply's text, or a
mapping with ``text`` and, optionally, ``served`` (the model that answered), ``finish`` (``length`` for an
output that was cut) and ``usage`` (``{"prompt": …, "completion": …}`` in tokens).

The module is imported as pytest's own ``pythonpath`` would have it: the project's root goes to the front of
``sys.path``, and nothing else does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_judgeaudit.ask.flights import UNWATCHED, Flight
from pytest_judgeaudit.ask.functions import load_function as load_callable
from pytest_judgeaudit.ask.functions import worded
from pytest_judgeaudit.corpora.found import found
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.errors import JudgeFault, nearest
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.verdicts import Usage, is_count

if TYPE_CHECKING:  # pydantic is not needed to ask
    from pytest_judgeaudit.ask.limiter import Limiter
    from pytest_judgeaudit.settings.models import JudgeSettings

KEYS = ("text", "served", "finish", "usage")
USAGE = ("prompt", "completion")

Function = Callable[[list[dict[str, str]]], object]


class PythonAsker:
    """
    Asks the function of one judge; as safe to use from several threads as the function is.

    Refused: a ``callable`` that is missing, malformed, cannot be imported or is no function. ``limiter``
    bounds the calls of the whole run; ``clock`` gives seconds since the epoch.
    """

    def __init__(
        self,
        judge: JudgeSettings,
        *,
        root: Path,
        limiter: Limiter | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._function = load_function(judge.callable or "", judge=judge.name, root=root)
        self._who = f"judge {judge.name} ({judge.callable})"
        # Without a model of its own the judge is its function, and that is what serves.
        self._served = judge.model if judge.model == judge.name else None
        self._limiter = limiter
        self._clock = clock

    def stop(self) -> None:
        """Begin no new call; what is under way is not interrupted."""
        if self._limiter is not None:
            self._limiter.stop()

    def close(self) -> None:
        """Do nothing: a function holds no connection of ours."""

    def ask(self, request: Request, flight: Flight = UNWATCHED) -> Reply:
        """
        Call the function once.

        Raises JudgeFault, in one line, for whatever the function raises and for a result of another form.
        An assertion that fails in there is no observation about the judge. Unanswered after :meth:`stop`.
        """
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        with self._limiter or nullcontext():
            flight.departs(())
            reply = self._ask(messages)
            flight.landed(reply.attempts, reply.served)
            return reply

    def _ask(self, messages: list[dict[str, str]]) -> Reply:
        started = self._clock()
        try:
            result = self._function(messages)
        except KeyboardInterrupt:
            raise
        # pytest.fail and pytest.skip are no Exceptions, and a SystemExit would end the whole run.
        except BaseException as error:
            raise JudgeFault(f"{self._who} raised {worded(error)}") from error
        attempt = Attempt(started=started, ended=self._clock(), outcome="answered")
        return self._reply(result, attempt)

    def _reply(self, result: object, attempt: Attempt) -> Reply:
        fields = {"text": result} if isinstance(result, str) else result
        if not isinstance(fields, Mapping):
            raise JudgeFault(
                f"{self._who} returned {_kind(result)}, expected a text or a mapping with text"
            )
        unknown = next((key for key in fields if key not in KEYS), None)
        if unknown is not None:
            hint = nearest(str(unknown), KEYS)
            raise JudgeFault(
                f"{self._who} returned the key {found(unknown)}; there are {', '.join(KEYS)}.{hint}"
            )
        text, served = self._text(fields, "text"), self._text(fields, "served")
        if text is None:
            raise JudgeFault(f"{self._who} returned no text")
        return Reply(
            text=text,
            served=self._served if served is None else served,
            finish=self._text(fields, "finish"),
            usage=self._usage(fields.get("usage")),
            attempts=(attempt,),
        )

    def _text(self, fields: Mapping[Any, Any], key: str) -> str | None:
        value = fields.get(key)
        if value is None or isinstance(value, str):
            return value
        raise JudgeFault(f"{self._who} returned {key} {_kind(value)}, expected a text")

    def _usage(self, usage: object) -> Usage | None:
        if usage is None:
            return None
        counts = usage if isinstance(usage, Mapping) else {}
        numbers = {key: counts.get(key, 0) for key in USAGE}
        whole = all(map(is_count, numbers.values()))
        if not counts or not whole or any(key not in USAGE for key in counts):
            raise JudgeFault(
                f"{self._who} returned usage {_kind(usage)}, expected prompt and completion in tokens"
            )
        return Usage(**numbers)


def load_function(path: str, *, judge: str, root: Path) -> Function:
    """Import a judge's ``module:function``; Refused as :func:`ask.functions.load_function` says."""
    return load_callable(path, who=f'judge "{judge}"', root=root)


def _kind(value: object) -> str:
    if hasattr(value, "__await__"):
        close = getattr(value, "close", None)
        if callable(close):
            close()  # a coroutine that nobody awaits would warn
        return "a coroutine; write a plain function"
    return found(value)
