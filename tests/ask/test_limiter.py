"""Slots for all threads and processes of a run, with real threads and processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from filelock import FileLock

from pytest_judgeaudit.ask.limiter import Limiter
from pytest_judgeaudit.records.errors import Refused, Unanswered


class Crowd:
    """Counts how many are inside at once."""

    def __init__(self):
        self.inside = self.most = 0
        self._lock = threading.Lock()

    def visit(self, limiter, seconds):
        with limiter:
            with self._lock:
                self.inside += 1
                self.most = max(self.most, self.inside)
            time.sleep(seconds)
            with self._lock:
                self.inside -= 1


def test_threads_never_exceed_the_slots_and_fill_them(tmp_path):
    crowd, limiter = Crowd(), Limiter(tmp_path, "q", 3)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: crowd.visit(limiter, 0.01), range(60)))
    assert crowd.most == 3


def test_two_limiters_of_one_name_share_the_slots(tmp_path):
    crowd, limiters = Crowd(), [Limiter(tmp_path, "q", 2), Limiter(tmp_path, "q", 2)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: crowd.visit(limiters[number % 2], 0.01), range(40)))
    assert crowd.most == 2


def test_limiters_of_other_names_do_not(tmp_path):
    with Limiter(tmp_path, "a", 1), Limiter(tmp_path, "a.b", 1):
        pass


def test_a_slot_is_free_again_after_an_error(tmp_path):
    limiter = Limiter(tmp_path, "q", 1)
    for _ in range(3):
        with pytest.raises(KeyError), limiter:
            raise KeyError
    with limiter:
        pass


def test_a_slot_is_free_again_after_a_wait_for_a_turn_was_broken_off(tmp_path, monkeypatch):
    limiter = Limiter(tmp_path, "q", 1, per_minute=1)
    with limiter:
        pass

    def broken_off(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(limiter._stopping, "wait", broken_off)
        with pytest.raises(KeyboardInterrupt), limiter:
            pass
    with Limiter(tmp_path, "q", 1):
        pass


def test_a_slot_that_was_just_left_is_taken_again_without_a_lock(tmp_path, monkeypatch):
    limiter, locked = Limiter(tmp_path, "q", 2), []
    acquire = FileLock.acquire
    monkeypatch.setattr(
        FileLock, "acquire", lambda lock, *args, **more: locked.append(lock) or acquire(lock, *args, **more)
    )
    for _ in range(5):
        with limiter:
            pass
    assert len(locked) == 1


def test_whoever_waits_where_no_other_process_has_a_slot_locks_nothing(tmp_path, monkeypatch):
    limiter, locked, entered = Limiter(tmp_path, "q", 2), [], []
    acquire = FileLock.acquire
    monkeypatch.setattr(
        FileLock, "acquire", lambda lock, *args, **more: locked.append(lock) or acquire(lock, *args, **more)
    )

    def come():
        with limiter:
            entered.append(len(locked))

    with limiter, limiter:
        threads = [threading.Thread(target=come) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        assert not entered
    for thread in threads:
        thread.join(timeout=10)
    assert entered == [2, 2, 2]


def test_a_slot_that_nobody_needs_is_free_for_others(tmp_path):
    idle, other = Limiter(tmp_path, "q", 2, monotonic=lambda: 0.0), Limiter(tmp_path, "q", 2)
    with idle, idle:
        pass
    begun = time.monotonic()
    with other, other:
        assert time.monotonic() - begun < 5


def test_slots_are_put_back_while_another_call_goes_on(tmp_path):
    busy, other = Limiter(tmp_path, "q", 2, monotonic=lambda: 0.0), Limiter(tmp_path, "q", 2)
    with busy:
        with busy:
            pass
        begun = time.monotonic()
        with other:
            assert time.monotonic() - begun < 5


def test_a_limiter_that_stopped_keeps_no_slot(tmp_path):
    limiter = Limiter(tmp_path, "q", 1)
    with limiter:
        pass
    limiter.stop()
    assert FileLock(tmp_path / "q.slot-0.lock").acquire(blocking=False).lock


WORKER = """
import sys, time
from pathlib import Path
from pytest_judgeaudit.ask.limiter import Limiter

folder, slots, calls, pause = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
limiter = Limiter(folder, "q", slots)
for _ in range(calls):
    with limiter:
        print("in", time.monotonic(), flush=True)
        time.sleep(pause)
        out = time.monotonic()
    print("out", out, flush=True)
"""


def start(folder, slots, calls, pause):
    command = [sys.executable, "-c", WORKER, str(folder), str(slots), str(calls), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def most_inside(outputs):
    """The largest number of processes that were inside at once, from their own notes."""
    events = []
    for output in outputs:
        for line in output.splitlines():
            what, at = line.split()
            events.append((float(at), 1 if what == "in" else -1))
    inside = most = 0
    for _, step in sorted(events):
        inside += step
        most = max(most, inside)
    return most


@pytest.mark.parametrize("slots", [1, 2])
def test_processes_share_the_slots(tmp_path, slots):
    workers = [start(tmp_path, slots, 8, 0.02) for _ in range(3)]
    outputs = [worker.communicate(timeout=60)[0] for worker in workers]
    assert [output.count("out") for output in outputs] == [8, 8, 8]
    assert most_inside(outputs) <= slots


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_the_slot_of_a_killed_process_is_free(tmp_path):
    worker = start(tmp_path, 1, 1, 600)
    with worker:
        assert worker.stdout.readline().startswith("in")
        os.kill(worker.pid, signal.SIGKILL)
    with Limiter(tmp_path, "q", 1):
        pass


def test_a_process_that_is_always_busy_leaves_others_their_turn(tmp_path):
    """Its threads hand slots to each other, but not for ever."""
    busy, ended, waited = Limiter(tmp_path, "q", 1), threading.Event(), []

    def work():
        while not ended.is_set():
            with busy:
                time.sleep(0.005)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        other = Limiter(tmp_path, "q", 1)
        for _ in range(2):
            begun = time.monotonic()
            with other:
                waited.append(time.monotonic() - begun)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert max(waited) < 10


@pytest.mark.parametrize("waiting", [1, 3])
def test_after_its_turn_a_process_leaves_the_slot_to_one_that_waits(tmp_path, waiting):
    now = [0.0]
    ours, theirs = Limiter(tmp_path, "q", 1, monotonic=lambda: now[0]), Limiter(tmp_path, "q", 1)
    order, leave = [], threading.Event()

    def visit(limiter, name):
        with limiter:
            order.append(name)
            leave.wait(10)

    visits = [(ours, "ours")] * waiting + [(theirs, "theirs")]
    threads = [threading.Thread(target=visit, args=args) for args in visits]
    with ours:
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        now[0] = 1.5
    time.sleep(0.3)
    assert order == ["theirs"]
    now[0] = 1.7
    leave.set()
    for thread in threads:
        thread.join(timeout=10)
    assert order == ["theirs"] + ["ours"] * waiting


def test_within_its_turn_a_process_keeps_the_slot(tmp_path):
    ours, theirs = Limiter(tmp_path, "q", 1, monotonic=lambda: 0.0), Limiter(tmp_path, "q", 1)
    order = []

    def visit(limiter, name):
        with limiter:
            order.append(name)

    threads = [threading.Thread(target=visit, args=args) for args in ((theirs, "theirs"), (ours, "ours"))]
    with ours:
        for thread in threads:
            thread.start()
        time.sleep(0.3)
    for thread in threads:
        thread.join(timeout=10)
    assert order == ["ours", "theirs"]


def test_calls_above_the_limit_wait_for_a_window(tmp_path, monkeypatch):
    monkeypatch.setattr("pytest_judgeaudit.ask.rate.WINDOW_S", 0.4)
    limiters = [Limiter(tmp_path, "q", 4, 3), Limiter(tmp_path, "q", 4, 3)]
    begun = []
    for number in range(7):
        with limiters[number % 2]:
            begun.append(time.monotonic())
    assert all(later - earlier >= 0.39 for earlier, later in zip(begun, begun[3:], strict=False))
    assert begun[2] - begun[0] < 0.4 <= begun[-1] - begun[0]


def test_who_waits_for_a_slot_is_sent_home_by_stop(tmp_path):
    limiter, errors = Limiter(tmp_path, "q", 1), []

    def come():
        try:
            with limiter:
                pass
        except Unanswered as error:
            errors.append(str(error))

    with limiter:
        threads = [threading.Thread(target=come) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        limiter.stop()
        for thread in threads:
            thread.join(timeout=10)
    assert errors == ["q: the run was stopped before an answer came"] * 3
    with Limiter(tmp_path, "q", 1):
        pass


def test_who_waits_for_a_minute_is_sent_home_by_stop(tmp_path):
    limiter = Limiter(tmp_path, "q", 1, 1)
    with limiter:
        pass
    threading.Timer(0.1, limiter.stop).start()
    with pytest.raises(Unanswered), limiter:
        pass
    with Limiter(tmp_path, "q", 1):
        pass


def test_a_folder_that_is_missing_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("", encoding="ascii")
    with pytest.raises(Refused, match="nothing can be locked there"), Limiter(file, "q", 1):
        pass
