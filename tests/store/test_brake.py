"""The brake: who pulled it is heard by every process, and without a disk at least by this one."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.store.brake import FileBrake


@pytest.fixture
def brakes(tmp_path):
    """Two processes of a run."""
    return FileBrake(lambda: tmp_path), FileBrake(lambda: tmp_path)


def test_all_hear_of_it_and_the_first_reason_stays(brakes):
    one, other = brakes
    one.pull("opus", "served gpt")
    other.pull("opus", "served haiku")
    assert [brake.pulled("opus") for brake in brakes] == ["served gpt"] * 2
    assert other.pulled("gpt") is None


def test_what_stops_everybody_stops_each(brakes):
    one, other = brakes
    one.pull_all("the machine stands still")
    assert other.pulled("opus") == "the machine stands still"


def test_a_run_of_one_process_keeps_it_in_mind(tmp_path):
    shared = []
    brake = FileBrake(lambda: tmp_path if shared else None)
    brake.pull("opus", "served gpt")
    brake.pull("opus", "served haiku")
    assert (brake.pulled("opus"), brake.pulled("gpt")) == ("served gpt", None)
    assert list(tmp_path.iterdir()) == []
    shared.append(True)
    brake.pull("gpt", "out of reach")
    assert [brake.pulled(name) for name in ("opus", "gpt")] == ["served gpt", "out of reach"]
    assert [path.name for path in tmp_path.iterdir()] == ["gpt.brake"]


def test_where_nothing_can_be_written_this_process_stops_all_the_same(tmp_path):
    brake = FileBrake(lambda: tmp_path / "gone")
    brake.pull("opus", "served gpt")
    brake.pull("opus", "served haiku")
    assert (brake.pulled("opus"), brake.pulled("gpt")) == ("served gpt", None)
    brake.pull_all("interrupted")
    assert brake.pulled("gpt") == "interrupted"
