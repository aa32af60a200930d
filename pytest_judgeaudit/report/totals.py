"""The first and the last line: what came of the gates, and where the answers came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.audits import Audit, GateState
from pytest_judgeaudit.report.lines import Line, line

STATES: Sequence[GateState] = ("PASS", "MISS", "HOLD", "PARTIAL", "REPORTED")
COLOURS = {"PASS": "green", "MISS": "red"}


def verdict(audit: Audit) -> Line:
    """Sum up the gates and the protocol in one line; what was not evaluated is no pass."""
    found = Counter(gate.state for gate in audit.gates)
    states = ", ".join(f"{found[state]} {state}" for state in STATES if found[state])
    expected = sum(gate.state in {"MISS", "HOLD"} and gate.outcome == "passed" for gate in audit.gates)
    wanted = f" ({expected} as expected)" if expected else ""
    total = f"{counted(len(audit.gates), 'gate')}: {states}{wanted}" if audit.gates else "no gate was run"
    word = audit.state.upper()
    if word == "PASS" and (found["PARTIAL"] or not audit.gates):
        word = "PARTIAL" if audit.gates else "NO GATE"
    markup = {"bold": True, COLOURS.get(word, "yellow"): True}
    return line(f"{word} · {total} · protocol {audit.protocol.state}", **markup)


def answers(audit: Audit) -> Line:
    """Say where the answers came from."""
    found = audit.answers
    text = f"answers: {found.hit:,} hit, {found.stale:,} stale, {found.missing:,} missing"
    text += f", {found.asked:,} asked"
    if found.recovered:
        text += f", {found.recovered:,} recovered"
    if found.unused:
        text += f", {found.unused:,} unused"
    return line(text)
