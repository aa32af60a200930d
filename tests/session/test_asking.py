"""How judges are reached: in the process, within the limits of all workers."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.errors import Unanswered
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.session.asking import askers
from pytest_judgeaudit.settings.reading import read_configuration
from tests.session.conftest import CLONES

CONFIGURATION = """
[[judge]]
name = "mine"
family = "mine"
api = "python"
callable = "mine:ask"
"""


def test_a_function_is_asked_in_the_process_and_no_more_once_the_run_is_stopped(tmp_path):
    (tmp_path / "mine.py").write_text("def ask(messages):\n    return 'tie'\n")
    (tmp_path / "judgeaudit.toml").write_text(CONFIGURATION)
    (judge,) = read_configuration(tmp_path / "judgeaudit.toml", root=tmp_path).judges
    asker = askers(root=tmp_path, environ={}, limits=lambda: tmp_path)(judge)
    request = Request(messages=(), model="mine", endpoint="python", decoder={})
    assert asker.ask(request).text == "tie"
    asker.stop()
    with pytest.raises(Unanswered, match="the run was stopped before an answer came"):
        asker.ask(request)


SHORT = """
import pytest_judgeaudit.ask.rate

pytest_judgeaudit.ask.rate.WINDOW_S = 2.0
"""
TIMED = """
import os
import time

def ask(messages):
    with open("begun.txt", "a") as file:
        file.write(f"{time.monotonic()} {os.getpid()}\\n")
    return {"text": '{"winner": "tie"}'}
"""


def test_no_window_holds_more_calls_of_all_workers_than_per_minute(project):
    project.pairs(24)
    project.write("conftest.py", SHORT)
    project.write("mine.py", TIMED)
    project.evals(CLONES.replace("0.05", "0.9"))
    limits = {"in_flight": 6, "per_minute": 10}
    project.judges(mine={"api": "python", "callable": "mine:ask", "limits": limits})
    assert project.audit("--judge-live", "-n3").code == 0
    begun = [line.split() for line in (project.root / "begun.txt").read_text().splitlines()]
    times = sorted(float(at) for at, _ in begun)
    assert (len(times), len({worker for _, worker in begun}) > 1) == (24, True)
    # A call may begin a little after it was let in, and the one a window later at once.
    assert all(later - earlier > 1.8 for earlier, later in zip(times, times[10:], strict=False))
    assert times[9] - times[0] < 1.8
