"""Calls and tokens by time."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.report.details import Detail
from pytest_judgeaudit.report.plots.traffic import traffic

NOON = 1_796_040_000.0  # 2026-11-30 12:00 UTC


def call(second, **tokens):
    return Detail(
        trial=Trial(cell="c", task="t", order="AB", outcome="success", asked_at=NOON + second, **tokens)
    )


def test_without_a_call_there_is_no_picture():
    assert traffic([]) is None
    assert traffic([Detail(trial=Trial(cell="c", task="t", order="AB", outcome="success"))]) is None


def test_calls_and_tokens_are_counted_by_time():
    found = traffic([call(second, prompt_tokens=100, completion_tokens=5) for second in (0, 1, 1.5, 40)])
    assert found.rows == [("12:00:00", "3", "300", "15"), ("12:00:40", "1", "100", "5")]
    assert "UTC from 2026-11-30 12:00, 2 s a bar" in found.says


def test_unknown_tokens_are_no_bar_and_not_zero():
    found = traffic([call(0), call(5)])
    assert {row[2:] for row in found.rows} == {("unknown", "unknown")}
    mixed = traffic([call(0, prompt_tokens=9, completion_tokens=1), call(0.1)])
    assert mixed.rows == [("12:00:00", "2", "9 + unknown", "1 + unknown")]
    assert "traffic-calls" in found.svg
    assert "traffic-tokens" not in found.svg


@pytest.mark.parametrize("span", [0, 1, 59, 3600, 86_400 * 3, 86_400 * 900])
def test_however_long_a_run_took_every_call_is_in_a_bar(span):
    found = traffic([call(span * part / 10, prompt_tokens=1) for part in range(11)])
    assert sum(int(row[1]) for row in found.rows) == 11
    assert sum(int(row[2]) for row in found.rows) == 11
    assert len(found.rows) <= 26
