"""The time that is left, counted by hand."""

from __future__ import annotations

import threading

import httpcore
import pytest

from pytest_judgeaudit.ask.deadlines import Deadline, DeadlineStream


class Recorder(httpcore.NetworkStream):
    """A connection that takes two seconds for everything and notes the limits it was given."""

    def __init__(self, clock):
        self.clock = clock
        self.limits = []
        self.written = []

    def take(self, timeout):
        self.limits.append(timeout)
        self.clock[0] += 2.0

    def read(self, _max_bytes, timeout=None):
        self.take(timeout)
        return b"x"

    def write(self, buffer, timeout=None):
        self.take(timeout)
        self.written.append(buffer)

    def start_tls(self, _context, _hostname=None, timeout=None):
        self.take(timeout)
        return self


@pytest.fixture
def clock():
    """The time, in a list."""
    return [100.0]


def test_what_is_left_shrinks_over_all_operations(clock):
    deadline, recorder = Deadline(lambda: clock[0]), Recorder(clock)
    stream = DeadlineStream(recorder, deadline)
    deadline.start(7.0)
    stream.write(b"x", timeout=7.0)
    encrypted = stream.start_tls(None, timeout=7.0)
    encrypted.read(1, timeout=7.0)
    encrypted.read(1, timeout=None)
    assert recorder.limits == [7.0, 5.0, 3.0, 1.0]
    with pytest.raises(httpcore.ReadTimeout):
        encrypted.read(1, timeout=7.0)


def test_what_is_written_leaves_in_one_piece_when_an_answer_is_waited_for(clock):
    recorder = Recorder(clock)
    stream = DeadlineStream(recorder, Deadline(lambda: clock[0]))
    stream.write(b"head ", timeout=7.0)
    stream.write(b"body", timeout=7.0)
    assert recorder.written == []
    stream.read(1, timeout=7.0)
    stream.read(1, timeout=7.0)
    assert recorder.written == [b"head body"]


def test_an_answer_is_read_though_not_all_was_taken(clock):
    class Refusing(Recorder):
        def write(self, buffer, timeout=None):
            raise httpcore.WriteError("broken pipe")

    stream = DeadlineStream(Refusing(clock), Deadline(lambda: clock[0]))
    stream.write(b"x" * 100, timeout=7.0)
    assert stream.read(1, timeout=7.0) == b"x"


def test_a_write_that_takes_too_long_is_a_time_out(clock):
    class Slow(Recorder):
        def write(self, buffer, timeout=None):
            raise httpcore.WriteTimeout("timed out")

    stream = DeadlineStream(Slow(clock), Deadline(lambda: clock[0]))
    stream.write(b"x", timeout=7.0)
    with pytest.raises(httpcore.WriteTimeout):
        stream.read(1, timeout=7.0)


def test_a_shorter_limit_of_one_operation_holds(clock):
    deadline = Deadline(lambda: clock[0])
    deadline.start(7.0)
    assert deadline.left(3.0) == 3.0


def test_before_the_first_call_nothing_is_bounded(clock):
    assert Deadline(lambda: clock[0]).left(3.0) == 3.0


def test_each_thread_has_a_deadline_of_its_own(clock):
    deadline = Deadline(lambda: clock[0])
    deadline.start(1.0)
    clock[0] += 2.0
    found = []
    thread = threading.Thread(target=lambda: (deadline.start(9.0), found.append(deadline.left(None))))
    thread.start()
    thread.join()
    assert found == [9.0]
    with pytest.raises(httpcore.ReadTimeout):
        deadline.left(None)
