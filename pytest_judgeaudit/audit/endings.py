"""How a run ended, as one word that fits the session's exit status."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pytest_judgeaudit.records.audits import Audit

OK, FAILED, HELD = 0, 1, 10
"""Exit statuses of a run of ours; the others are pytest's own."""


def ended(audit: Audit, exit_status: int) -> Audit:
    """
    Return the audit with the session's exit status, and with a state that does not contradict it.

    A pass says that every gate was evaluated and passed: where a part was run, or no gate, nothing failed
    and nothing was claimed (``partial``). Where something else failed than a gate, the run did.
    """
    return replace(audit, exit=exit_status, state=_state(audit, exit_status))


def _state(audit: Audit, exit_status: int) -> Literal["pass", "miss", "hold", "partial"]:
    if audit.state not in {"pass", "partial"}:
        return audit.state
    if exit_status == FAILED:
        return "miss"
    whole = bool(audit.gates) and all(gate.state != "PARTIAL" for gate in audit.gates)
    return "pass" if whole and exit_status == OK else "partial"
