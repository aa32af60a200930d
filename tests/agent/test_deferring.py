"""An agent's kind that is made when it is first asked."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.agent.deferring import Deferred
from pytest_judgeaudit.records.errors import Refused


def deferred():
    made = []

    def make():
        said = SimpleNamespace(
            enforcement=lambda sandbox: f"enforced in {sandbox}",
            attempt=lambda request, sandbox: (request, sandbox),
            stop=lambda: made.append("stopped"),
            close=lambda: made.append("closed"),
        )
        made.append("made")
        return said

    return Deferred(lambda sandbox: {"endpoint": sandbox}, make), made


def test_describing_and_ending_make_nothing():
    kind, made = deferred()
    assert kind.describe("box") == {"endpoint": "box"}
    kind.stop()
    kind.close()
    assert made == []


def test_it_is_made_once_and_ended_then():
    kind, made = deferred()
    kind.ready()
    assert made == ["made"]
    assert (kind.enforcement("box"), kind.attempt("q", "box")) == ("enforced in box", ("q", "box"))
    kind.stop()
    kind.close()
    assert made == ["made", "stopped", "closed"]


def test_what_is_refused_is_refused_each_time():
    def make():
        raise Refused("no such program")

    kind = Deferred(lambda _: {}, make)
    for _ in range(2):
        with pytest.raises(Refused, match="no such program"):
            kind.attempt("q", "box")
