"""Calls per minute, counted over all processes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.ask.rate import WINDOW_S, Rate
from pytest_judgeaudit.records.errors import Refused


def most_within(times, seconds):
    """The largest number of times in a stretch shorter than ``seconds``, counted one by one."""
    return max(sum(begin <= other < begin + seconds for other in times) for begin in times)


def test_as_many_pass_at_once_and_the_others_a_window_later(tmp_path):
    rate = Rate(tmp_path / "rate", 60, monotonic=lambda: 0.0)
    waits = [rate.reserve() for _ in range(130)]
    assert waits == [0.0] * 60 + [WINDOW_S] * 60 + [2 * WINDOW_S] * 10


def test_the_window_is_a_minute_and_a_little_for_the_way():
    assert 60.0 < WINDOW_S < 62.0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.integers(1, 7), st.lists(st.floats(0, 40, allow_nan=False), min_size=1, max_size=40))
def test_no_window_holds_more_calls_than_allowed(tmp_path_factory, per_minute, gaps):
    now = [1000.0]
    rate = Rate(tmp_path_factory.mktemp("rate") / "rate", per_minute, monotonic=lambda: now[0])
    times = []
    for gap in gaps:
        now[0] += gap
        times.append(now[0] + rate.reserve())
    assert times == sorted(times)
    assert most_within(times, WINDOW_S - 1e-6) <= per_minute


@given(st.integers(1, 5), st.integers(1, 30))
def test_nobody_waits_longer_than_the_limit_demands(tmp_path_factory, per_minute, calls):
    rate = Rate(tmp_path_factory.mktemp("rate") / "rate", per_minute, monotonic=lambda: 5.0)
    waits = [rate.reserve() for _ in range(calls)]
    assert waits == [WINDOW_S * (number // per_minute) for number in range(calls)]


def test_two_counters_of_one_file_share_it(tmp_path):
    rates = [Rate(tmp_path / "rate", 2, monotonic=lambda: 7.0) for _ in range(2)]
    assert [rate.reserve() for rate in rates * 2] == [0.0, 0.0, WINDOW_S, WINDOW_S]


def test_after_a_window_all_places_are_free(tmp_path):
    now = [0.0]
    rate = Rate(tmp_path / "rate", 2, monotonic=lambda: now[0])
    first = [rate.reserve(), rate.reserve()]
    now[0] = WINDOW_S
    assert [*first, rate.reserve(), rate.reserve()] == [0.0] * 4


def test_the_file_stays_small(tmp_path):
    rate = Rate(tmp_path / "rate", 3)
    for _ in range(100):
        rate.reserve()
    assert (tmp_path / "rate").stat().st_size == 4 * 8


WORKER = """
import sys
from pathlib import Path
from pytest_judgeaudit.ask.rate import Rate

rate = Rate(Path(sys.argv[1]), 10, monotonic=lambda: 3.0)
print(*[rate.reserve() for _ in range(20)])
"""


def test_processes_share_the_count(tmp_path):
    command = [sys.executable, "-c", WORKER, str(tmp_path / "rate")]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    waits = [float(wait) for one in workers for wait in one.communicate(timeout=60)[0].split()]
    assert sorted(waits) == [WINDOW_S * (number // 10) for number in range(60)]


def test_a_folder_that_is_missing_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("", encoding="ascii")
    with pytest.raises(Refused, match="cannot be written"):
        Rate(file / "rate", 2).reserve()
