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
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    hook = config.pluginmanager.rewrite_hook
    told = lambda where: print(f"{where}: {getattr(hook, 'config', 'nothing') is config}")
    config.add_cleanup(lambda: told("cleaned up"))
    # Before that of the audit, so that it is called after it.
    atexit.register(told, "at exit")
"""


@pytest.mark.parametrize(("assertions", "has_it"), [("rewrite", True), ("plain", False)])
def test_the_import_hook_lets_go_of_the_run_when_python_ends(project, assertions, has_it):
    project.pairs(1)
    project.write("parted.py", PARTED)
    project.evals()
    ran = project.audit(f"--assert={assertions}", plugins=("parted", "judgeaudit", "xdist", "syrupy"))
    assert f"cleaned up: {has_it}\nat exit: False" in ran.out
    assert ran.err == ""
