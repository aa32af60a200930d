"""SIGTERM: ours until everything is written, the process' own while pytest looks for garbage."""

from __future__ import annotations

import pytest

WATCH = """
import signal
import pytest

def ours():
    found = signal.getsignal(signal.SIGTERM)
    return getattr(found, "__module__", "") == "pytest_judgeaudit.session.signals"

class Outermost:
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self):
        yield
        print(f"written: {ours()}")

def pytest_collection_finish(session):
    session.config.pluginmanager.register(Outermost())

def pytest_unconfigure():
    print(f"ending: {ours()}")
"""


@pytest.mark.parametrize(
    ("options", "ours"), [((), False), (("--judge-live",), True)], ids=["replay", "live"]
)
def test_the_signal_is_ours_until_a_live_run_has_written_everything(project, options, ours):
    project.pairs(2)
    project.evals()
    project.write("watch.py", WATCH)
    ran = project.audit(*options, "-s", plugins=("judgeaudit", "xdist", "syrupy", "watch"))
    assert f"written: {ours}" in ran.out
    assert "ending: False" in ran.out
