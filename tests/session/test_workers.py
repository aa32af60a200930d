"""Workers of xdist that die."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.session.workers import Undelivered

KILLS = """
import os, signal, time
import pytest

class Killer:
    # Kills a worker at the last moment before it is sent its next items.
    def __init__(self):
        self.sent = 0

    @pytest.hookimpl(trylast=True)
    def pytest_testnodeready(self, node):
        send = node.channel.send

        def kill_and_send(message):
            given = message[0] in {"runtests", "steal"}
            self.sent += given
            if given and self.sent == %d:
                os.kill(int(open(f"pid-{node.gateway.id}").read()), signal.SIGKILL)
                time.sleep(0.5)
            send(message)

        node.channel.send = kill_and_send

def pytest_configure(config):
    worker = getattr(config, "workerinput", None)
    if worker is None:
        config.pluginmanager.register(Killer())
    else:
        with open(f"pid-{worker['workerid']}", "w") as file:
            file.write(str(os.getpid()))
"""


@pytest.mark.parametrize(("dist", "sending"), [("load", 2), ("load", 3), ("load", 4), ("worksteal", 2)])
def test_a_worker_that_dies_before_it_is_sent_its_next_items_ends_no_run(project, dist, sending):
    """The item that was running is the only one that is lost, and is named."""
    project.evals()
    project.write("conftest.py", KILLS % sending)

    ran = project.audit("-n2", f"--dist={dist}")
    assert "INTERNALERROR" not in ran.out
    assert ran.code == 1, ran.out
    assert "worker 'gw" in ran.out
    assert "crashed while running" in ran.out
    assert len(list(Path(project.root).glob("pid-*"))) == 3
    gate = ran.gate()
    if gate["state"] == "HOLD":  # it may die after the last report of its item, and then nothing is lost
        (reason,) = gate["reasons"]
        assert reason.startswith(("1 presentation without a trial: c", "1 trial measured nothing: c"))
    else:
        assert gate["state"] == "PASS"


DIES = """
import os, signal, time
import pytest

def die(nodeid):
    if "c003" in nodeid and os.environ.get("PYTEST_XDIST_WORKER"):
        time.sleep(0.3)  # until what was sent has gone
        os.kill(os.getpid(), signal.SIGKILL)

@pytest.hookimpl(trylast=True)
def pytest_runtest_%s
"""
TOLD = "1 trial measured nothing: c003 AB (its worker crashed before the item had ended)"


@pytest.mark.parametrize(
    ("hook", "state", "reasons"),
    [
        ("logreport(report):\n    if report.when == 'call':\n        die(report.nodeid)", "HOLD", [TOLD]),
        ("logfinish(nodeid):\n    die(nodeid)", "PASS", []),
    ],
    ids=["before its tear-down", "when it has ended"],
)
def test_a_trial_counts_when_its_item_has_ended(project, hook, state, reasons):
    project.evals()
    project.write("conftest.py", DIES % hook)
    ran = project.audit("-n2")
    assert ran.code == 1, ran.out
    assert "crashed while running" in ran.out
    assert (ran.gate()["state"], ran.gate()["reasons"]) == (state, reasons)


def gone(name, **arguments):
    raise OSError(f"cannot send {name} {arguments}")


@pytest.mark.parametrize("dist", ["loadscope", "loadfile", "loadgroup"])
def test_where_scopes_are_handed_out_xdist_ends_the_run_as_ever(dist):
    """There the worker in place of a dead one may wait for ever, and a run that hangs is worse."""
    config = SimpleNamespace(getoption={"dist": dist}.get)
    node = SimpleNamespace(config=config, sendcommand=gone)
    Undelivered().pytest_configure_node(node)
    with pytest.raises(OSError, match="cannot send runtests"):
        node.sendcommand("runtests", indices=[1])
