"""The garbage collector: kept away from what stays, and given back as it was found."""

import gc
import sys

import pytest

from pytest_judgeaudit.session.heap import ends_with_pytest, keeping

STATES = """
import gc
import pytest

def told(where):
    print(f"\\n{where}: enabled {gc.isenabled()}, frozen {gc.get_freeze_count() > 10_000}")

@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc):
    told("making")

def pytest_runtest_setup(item):
    told("running")
"""


def fail_within():
    with keeping():
        assert not gc.isenabled()
        raise ValueError("within")


@pytest.mark.parametrize("enabled", [True, False])
def test_it_is_left_as_it_was_found(enabled):
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(ValueError, match="within"):
            fail_within()
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()


LATE = """
import atexit, gc
import pytest

class Loud:
    def __del__(self):
        raise RuntimeError("told at the end")

class Louder:
    def __del__(self):
        raise RuntimeError("told of what came of it")

class Late:
    def __del__(self):
        ring = [Louder()]
        ring.append(ring)

# Older than what is set aside, and garbage only when all items have run.
RING = [Loud(), Late()]
RING.append(RING)

@pytest.hookimpl(wrapper=True)
def pytest_runtestloop():
    result = yield
    del globals()["RING"]
    return result

def pytest_sessionfinish():
    atexit.register(lambda: print(f"left frozen: {gc.get_freeze_count()}"))
"""


def test_what_was_set_aside_is_looked_at_and_taken_back(project):
    project.pairs(2)
    project.write("late.py", LATE)
    project.evals()
    ran = project.audit(plugins=("judgeaudit", "xdist", "syrupy", "late"), warn=True)
    for name in ("Loud", "Louder"):
        assert (
            f"PytestUnraisableExceptionWarning: Exception ignored in: <function {name}.__del__" in ran.err
        )
    assert "left frozen: 0" in ran.out


def test_items_are_made_without_it_and_run_with_it(project):
    project.pairs(2)
    project.write("states.py", STATES)
    project.evals()
    ran = project.audit("-s", plugins=("judgeaudit", "xdist", "syrupy", "states"))
    assert "making: enabled False, frozen False" in ran.out
    assert ran.out.count("running: enabled True, frozen True") == 2


LEFT_OPEN = """
import atexit, gc, sys
import pytest

class Holder:
    def __init__(self):
        self.me, self.file = self, open("left.txt", "w")
        self.file.write("all of it")

HOLDER = Holder()

# What is registered first runs last.
atexit.register(lambda: print(f"at the end: {gc.get_freeze_count() > 10_000}"))

def pytest_sessionfinish():
    atexit.register(lambda: print(f"before: {gc.get_freeze_count()}"))
"""


@pytest.mark.parametrize(("development", "set_aside"), [("", True), ("1", False)])
def test_the_end_of_the_process_walks_over_nothing_and_loses_no_file(
    project, monkeypatch, development, set_aside
):
    monkeypatch.setenv("PYTHONDEVMODE", development)
    project.pairs(2)
    project.write("left_open.py", LEFT_OPEN)
    project.evals()
    ran = project.audit(plugins=("left_open", "judgeaudit", "xdist", "syrupy"))
    assert f"before: 0\nat the end: {set_aside}" in ran.out
    assert (project.root / "left.txt").read_text() == "all of it"


# Were it at work on a file, with a pipe that nobody reads, to write the file out would wait for good.
AT_WORK = LEFT_OPEN + """
import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


def test_python_ends_as_ever_beside_a_thread_that_still_runs(project):
    project.pairs(2)
    project.write("at_work.py", AT_WORK)
    project.evals()
    ran = project.audit(plugins=("at_work", "judgeaudit", "xdist", "syrupy"))
    assert "before: 0\nat the end: False" in ran.out


@pytest.mark.parametrize(
    ("argv", "is_pytest"),
    [
        (["/usr/bin/pytest", "-q"], True),
        (["C:/env/Scripts/pytest.exe"], True),
        (["/lib/pytest/__main__.py"], True),
        (["/lib/ipykernel/__main__.py"], False),
        (["server.py"], False),
        (["-c"], False),
        ([], False),
    ],
)
def test_a_program_that_calls_pytest_ends_as_ever(monkeypatch, argv, is_pytest):
    monkeypatch.setattr(sys, "argv", argv)
    assert ends_with_pytest() is is_pytest
