"""SIGTERM: ours for the length of a session, and given back when everything is written."""

from __future__ import annotations

import signal

import pytest

from pytest_judgeaudit.session.signals import Termination


def finished(termination):
    """Finish a session, up to what the other plug-ins do and beyond it."""
    finishing = termination.pytest_sessionfinish()
    next(finishing)
    yield
    with pytest.raises(StopIteration):
        next(finishing)
    yield


def test_the_signal_is_given_back_when_everything_is_written():
    before = signal.getsignal(signal.SIGTERM)
    termination = Termination()
    try:
        termination.pytest_sessionstart()
        ours = signal.getsignal(signal.SIGTERM)
        finishing = finished(termination)
        next(finishing)
        writing = signal.getsignal(signal.SIGTERM)
        next(finishing)
        assert before != ours == writing
        assert signal.getsignal(signal.SIGTERM) == before
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_session_that_never_finished_gives_it_back_too():
    before = signal.getsignal(signal.SIGTERM)
    termination = Termination()
    try:
        termination.pytest_sessionstart()
        termination.pytest_unconfigure()
        assert signal.getsignal(signal.SIGTERM) == before
    finally:
        signal.signal(signal.SIGTERM, before)
