"""Why trials measured nothing, worded so that many which failed alike read alike."""

from __future__ import annotations

import re

from pytest_judgeaudit.records.trials import Trial

UNKNOWN = "no verdict was obtained"
_ROW = re.compile(r"with id .{0,200}?, order (?:AB|BA)\b")
"""The row of a log that is not there."""


def cause(reason: str, *, name: str) -> str:
    """
    Return a reason in one line, without the name of the call that it happened to.

    ``name`` is that under which the answer is stored; what judges said of it is stored under longer ones.

    >>> cause("no stored answer for test_a-qwen-t1-clone-AB-1. Ask.", name="test_a-qwen-t1-clone-AB-1")
    'no stored answer. Ask.'
    """
    line = _ROW.sub("with its id and order", " ".join(reason.split("\n")))
    if not name or name not in line:
        return line
    return re.sub(rf"(?: for|:)? {re.escape(name)}[^\s:]*?(?=[.:]? |[.:]?$)", "", line)


def cause_of(trial: Trial) -> str:
    """Return why a trial measured nothing: the first line of its reason, see :func:`cause`."""
    return cause((trial.reason or UNKNOWN).partition("\n")[0], name=trial.answer_name or "")


def unanswered(trial: Trial) -> bool:
    """Whether a service owes an answer: it failed, or nothing further was asked in this run."""
    states = [trial.answer, *(call.answer for call in trial.judged if call.valid is None)]
    return any(state in {"failed", "stopped", "unfunded"} for state in states)


def unheard_of(trial: Trial) -> bool:
    """Whether nothing but asking is lacking: an answer that is not stored, or one to another request."""
    states = [trial.answer, *(call.answer for call in trial.judged if call.valid is None)]
    return any(state in {"missing", "stale"} for state in states)
