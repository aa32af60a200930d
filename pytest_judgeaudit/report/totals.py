"""The first and the last line: what came of the gates, and where the answers came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.audits import Audit, GateState
from pytest_judgeaudit.report.lines import Line, line

STATES: Sequence[GateState] = ("PASS", "MISS", "HOLD", "PARTIAL", "REPORTED")
COLOURS = {"PASS": "green", "MISS": "red", "FAILED": "red"}


def verdict(audit: Audit) -> Line:
    """Sum up the gates and the protocol in one line; what was not evaluated is no pass."""
    word, total = summed_up(audit.state, [(gate.state, gate.outcome) for gate in audit.gates])
    markup = {"bold": True, COLOURS.get(word, "yellow"): True}
    return line(f"{word} · {total} · protocol {audit.protocol.state}", **markup)


def summed_up(state: str, gates: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """
    Word the outcome of a run, and its gates in a phrase, from their states and outcomes.

    >>> summed_up("pass", [("PASS", "passed"), ("PARTIAL", "skipped")])
    ('PARTIAL', '2 gates: 1 PASS, 1 PARTIAL')
    """
    found = Counter(one for one, _ in gates)
    states = ", ".join(f"{found[one]} {one}" for one in STATES if found[one])
    expected = sum(one in {"MISS", "HOLD"} and outcome == "passed" for one, outcome in gates)
    wanted = f" ({expected} as expected)" if expected else ""
    total = f"{counted(len(gates), 'gate')}: {states}{wanted}" if gates else "no gate was run"
    word = state.upper()
    if word == "MISS" and not found["MISS"]:
        # Something else failed: moved grades, an item without an answer, a published figure.
        word = "FAILED"
    if word in {"PASS", "PARTIAL"} and (found["PARTIAL"] or not gates):
        word = "PARTIAL" if gates else "NO GATE"
    elif word == "PASS" and found["REPORTED"] == len(gates):
        word = "REPORTED"
    return word, total


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
