"""The garbage collector: kept away from what stays, and given back as it was found."""

import gc

import pytest

from pytest_judgeaudit.session.heap import keeping

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

def pytest_configure():
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


PARTED = """
import atexit
import gc
import weakref
import pytest

class Thing:
    def __del__(self):
        import fractions  # which needs that Python can still import
        print("ended")

KEPT = []

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.thing = Thing()
    hook, run = config.pluginmanager.rewrite_hook, weakref.ref(config)
    told = lambda where: print(f"{where}: {run() is not None and getattr(hook, 'config', None) is run()}")
    config.add_cleanup(lambda: told("cleaned up"))
    # Before that of the audit, so that it is called after it.
    atexit.register(told, "at exit")

@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    DONE
"""


def parted(project, done, *options):
    project.pairs(1)
    project.write("parted.py", PARTED.replace("DONE", done))
    project.evals()
    ran = project.audit(*options, plugins=("parted", "judgeaudit", "xdist", "syrupy"))
    return ran, ran.out.partition("cleaned up: ")[2].splitlines()


@pytest.mark.parametrize(("assertions", "keeps"), [("rewrite", "True"), ("plain", "False")])
def test_a_run_ends_when_python_ends_and_all_modules_are_there(project, assertions, keeps):
    ran, told = parted(project, "pass", f"--assert={assertions}")
    assert told == [keeps, "ended", "at exit: False"]
    assert ran.err == ""


@pytest.mark.parametrize("done", ["KEPT.append(config)", "gc.disable()"])
def test_a_run_that_is_kept_or_not_looked_for_ends_as_ever(project, done):
    _, told = parted(project, done)
    assert told[:2] == ["True", "at exit: True"]


RUNNING = """
import atexit
import sys

def pytest_runtest_setup(item):
    # As a test does of what a program leaves to its end.
    atexit._run_exitfuncs()
    print("kept:", sys.modules["syrupy"]._syrupy is item.config._syrupy)
"""


def test_nothing_is_let_go_of_while_pytest_runs(project):
    project.pairs(1)
    project.write("running.py", RUNNING)
    project.evals()
    ran = project.audit("-s", plugins=("running", "judgeaudit", "xdist", "syrupy"))
    assert "kept: True" in ran.out
    assert ran.err == ""
