"""How a run ended: the word never contradicts the exit status."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.endings import ended
from pytest_judgeaudit.records.audits import Audit


@pytest.fixture
def gate(studies):
    """The gate of a cell of copies that passes."""
    known = studies.tasks(60)
    cell = studies.cell("clone", known)
    (found,) = studies.run(studies.plan([cell], known), studies.copies(cell)).gates
    assert found.state == "PASS"
    return found


@pytest.mark.parametrize(
    ("states", "found", "status", "word"),
    [
        (["PASS", "REPORTED"], "pass", 0, "pass"),
        (["PASS", "PARTIAL"], "pass", 0, "partial"),
        (["PARTIAL"], "pass", 0, "partial"),
        ([], "pass", 0, "partial"),
        # A test that is no gate failed.
        (["PASS"], "pass", 1, "miss"),
        (["PARTIAL"], "pass", 1, "miss"),
        ([], "pass", 1, "miss"),
        # Interrupted, an internal error, nothing collected.
        (["PASS"], "pass", 2, "partial"),
        ([], "pass", 5, "partial"),
        # A missing answer fails its item, and its gate could not measure.
        (["HOLD"], "hold", 1, "hold"),
        (["HOLD"], "hold", 10, "hold"),
        (["MISS", "HOLD"], "miss", 1, "miss"),
    ],
)
def test_the_state_fits_the_gates_and_the_exit_status(gate, states, found, status, word):
    gates = tuple(replace(gate, state=state) for state in states)
    audit = ended(Audit(state=found, gates=gates), status)
    assert (audit.state, audit.exit) == (word, status)
