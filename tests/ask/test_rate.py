"""Calls per minute, counted over all processes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.ask.rate import Rate, take
from pytest_judgeaudit.records.errors import Refused


def test_a_burst_passes_and_then_one_call_an_interval():
    full, waits = 0.0, []
    for _ in range(66):
        wait, full = take(full, now=0.0, per_minute=60)
        waits.append(wait)
    assert waits[:60] == [0.0] * 60
    assert waits[60:] == pytest.approx([1, 2, 3, 4, 5, 6])


@given(
    st.integers(1, 1000),
    st.lists(st.floats(0, 10, allow_nan=False), min_size=1, max_size=60),
)
def test_no_window_holds_more_than_the_bucket_and_what_flowed_in(per_minute, gaps):
    now, full, times = 0.0, 0.0, []
    for gap in gaps:
        now += gap
        wait, full = take(full, now=now, per_minute=per_minute)
        times.append(now + wait)
    assert times == sorted(times)
    for index, begin in enumerate(times):
        for end in range(index, len(times)):
            flowed = per_minute * (1 + (times[end] - begin) / 60)
            assert end - index + 1 <= flowed + 1e-6


def test_two_counters_of_one_file_share_the_bucket(tmp_path):
    rates = [Rate(tmp_path / "rate", 2, monotonic=lambda: 0.0) for _ in range(2)]
    assert [rate.reserve() for rate in rates * 2] == [0.0, 0.0, 30.0, 60.0]


def test_a_bucket_is_full_again_after_a_minute(tmp_path):
    now = [0.0]
    rate = Rate(tmp_path / "rate", 2, monotonic=lambda: now[0])
    first = [rate.reserve(), rate.reserve()]
    now[0] = 60.0
    assert [*first, rate.reserve(), rate.reserve()] == [0.0] * 4


def test_a_torn_file_counts_as_an_empty_bucket(tmp_path):
    (tmp_path / "rate").write_text("12.", encoding="ascii")
    (tmp_path / "torn").write_text("", encoding="ascii")
    assert Rate(tmp_path / "torn", 2, monotonic=lambda: 0.0).reserve() == 30.0


def test_a_folder_that_is_missing_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("", encoding="ascii")
    with pytest.raises(Refused, match="cannot be written"):
        Rate(file / "rate", 2).reserve()
