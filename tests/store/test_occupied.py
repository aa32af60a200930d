"""Two live runs in one folder would pay twice: the second one is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.occupied import occupy
from pytest_judgeaudit.store.recovery import read_journals


def is_free(folder, *judges, shard=None):
    try:
        occupy(folder, judges, shard=shard)()
    except Refused:
        return False
    return True


def test_a_second_run_is_refused_in_one_line(folder):
    end = occupy(folder, ["qwen"])
    with pytest.raises(Refused) as refused:
        occupy(folder, ["qwen"])
    assert str(refused.value).count("\n") == 0
    assert 'another live run is asking "qwen" into this folder' in str(refused.value)
    end()


def test_when_it_has_ended_the_next_one_may_ask(folder):
    occupy(folder, ["qwen"])()
    assert is_free(folder, "qwen")


def test_judges_are_held_apart(folder):
    end = occupy(folder, ["qwen", "other"])
    assert is_free(folder, "qwen2", "qw", "qwen.x")
    assert not is_free(folder, "third", "other")
    end()


def test_a_refused_run_holds_nothing(folder):
    end = occupy(folder, ["qwen"])
    assert not is_free(folder, "other", "qwen")
    assert is_free(folder, "other")
    end()


@pytest.mark.parametrize(
    ("first", "second", "free"),
    [
        ("1/2", "2/2", True),
        ("1/2", "1/2", False),
        ("1/2", "2/3", False),
        ("1/2", "2/12", False),
        ("1/2", None, False),
        (None, "1/2", False),
        ("11/12", "1/12", True),
    ],
)
def test_shards_of_one_division_run_side_by_side(folder, first, second, free):
    end = occupy(folder, ["qwen"], shard=first)
    assert is_free(folder, "qwen", shard=second) is free
    end()


def test_a_replay_reads_on(folder):
    end = occupy(folder, ["qwen"])
    assert read_journals(folder).files == ()
    end()


HOLDER = """
import sys, time
from pathlib import Path
from pytest_judgeaudit.store.occupied import occupy

end = occupy(Path(sys.argv[1]), ["qwen"])
print("held", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_killed_run_holds_nothing(folder):
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "held\n"
        assert not is_free(folder, "qwen")
        os.kill(run.pid, signal.SIGKILL)
    assert is_free(folder, "qwen")


def test_a_folder_that_cannot_be_written_is_not_held(tmp_path):
    file = tmp_path / "file"
    file.write_text("", encoding="ascii")
    occupy(file / "snapshots", ["qwen"])()
