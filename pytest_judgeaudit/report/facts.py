"""What a report says, as texts for a page: read from schema 1, whoever wrote it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_judgeaudit.audit.numbers import bare_p, money, rate
from pytest_judgeaudit.report.totals import summed_up

Report = Mapping[str, Any]
"""A report of schema 1."""

Entry = Mapping[str, Any]
"""One entry of a list of a report."""

NONE = "–"
FLOOR = "blind_floor"

WORDS: Mapping[str, str] = {
    "PASS": "supported by this evidence",
    "MISS": "not supported by this evidence",
    "HOLD": "could not be measured",
    "PARTIAL": "only a part was run, not evaluated",
    "REPORTED": "reported, without a limit",
}
"""What the state of a gate means, in a few words."""


def verdict(report: Report) -> tuple[str, str]:
    """Word the outcome, and the gates in a phrase."""
    return summed_up(report["state"], [(gate["state"], gate["outcome"]) for gate in report["gates"]])


def frozen(report: Report) -> str:
    """Say what was fixed, and when."""
    protocol = report["protocol"]
    when = f" at {protocol['frozen_at']}" if protocol.get("frozen_at") else ""
    return f"{protocol['state']}{when}"


def answers(report: Report) -> str:
    """Say where the answers came from; what is zero is left out but for the first."""
    found = report["answers"]
    shown = [name for name in found if found[name] or name == "hit"]
    return ", ".join(f"{found[name]:,} {name}" for name in shown)


def served(configuration: Entry) -> str:
    """Say what the service declared, or how else the model is known."""
    names = ", ".join(f"{name} ×{count:,}" for name, count in configuration["served"].items())
    if configuration["identity"] == "construction":
        return "in the process"
    if configuration["identity"] == "undeclared log":
        return "not stated by the log"
    return names or "not stated"


def tokens(configuration: Entry) -> str:
    """Say the tokens in and out; unknown is not 0."""
    usage = configuration["usage"]
    known = f"{usage['prompt']:,} + {usage['completion']:,}"
    if not usage["prompt"] + usage["completion"]:
        return "unknown" if usage["unknown_calls"] else NONE
    return f"{known} + unknown" if usage["unknown_calls"] else known


def cost(configuration: Entry) -> str:
    """Say what the known tokens cost."""
    found = configuration.get("cost")
    return NONE if found is None else money(found)


def bound(gate: Entry) -> str:
    """Word a gate's bound so that it never reads as its threshold."""
    if gate["bound"] is None:
        return NONE
    if gate["kind"] == FLOOR:
        return f"{gate['bound']:.1f} of 100"
    return rate(gate["bound"], apart_from=gate["threshold"])


def share(value: float | None) -> str:
    """Word a rate that may be missing."""
    return NONE if value is None else rate(value)


def p_text(value: float | None) -> str:
    """Word a p-value that may be missing."""
    return NONE if value is None else bare_p(value)


def limit(gate: Entry) -> str:
    """Word a gate's threshold: the most or the least that it allows, where that is known."""
    if gate["kind"] == FLOOR and gate["threshold"] >= 100:
        return "none"
    above = at_most(gate)
    sign = "" if above is None else "≤ " if above else "≥ "
    shown = f"{gate['threshold']:g}" if gate["kind"] == FLOOR else rate(gate["threshold"])
    return f"{sign}{shown}"


def at_most(gate: Entry) -> bool | None:
    """Whether a gate's threshold is the most that it allows; None where an older report does not say."""
    stated = gate.get("limit")
    if stated is None and gate["kind"] != "rate_gate":
        return bool(gate["kind"] != "utility_gate")
    return None if stated is None else bool(stated == "most")


def test_of(entry: Entry) -> str:
    """Return the test of a gate or cell, without its module."""
    return str(entry["eval"]).partition("::")[2] or str(entry["eval"])


def seat(entry: Entry) -> str:
    """Return agent, judge and criterion as far as there are any."""
    return " · ".join(filter(None, map(entry.get, ("agent", "judge", "criterion")))) or "all"


def arm(cell: Entry) -> str:
    """Return a cell's arm, or the edge stratum that it is."""
    return str(cell["arm"] if cell["stratum"] in {None, "core"} else cell["stratum"])


def cell_names(cells: Iterable[Entry]) -> Mapping[str, str]:
    """Name each cell as shortly as tells it apart from the others, by id."""
    cells = list(cells)
    longer: Sequence[Mapping[str, str]] = (
        {cell["id"]: f"{seat(cell)}: {arm(cell)}" for cell in cells},
        {cell["id"]: f"{seat(cell)}: {arm(cell)}, {test_of(cell)}" for cell in cells},
        {cell["id"]: cell["id"] for cell in cells},
    )
    names: dict[str, str] = {}
    for choice in longer:
        times = Counter(choice.values())
        names |= {key: text for key, text in choice.items() if times[text] == 1 and key not in names}
    return names


def gates_of(report: Report) -> Mapping[str, Sequence[Entry]]:
    """Return the gates of each cell."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for gate in report["gates"]:
        found[gate["cell"]].append(gate)
    return found


def threshold(gates: Sequence[Entry], kind: str) -> float | None:
    """Return the threshold of the first gate of a kind."""
    return next((gate["threshold"] for gate in gates if gate["kind"] == kind), None)


def against(report: Report) -> Sequence[Entry]:
    """Return the comparisons with an earlier report."""
    return [one for one in report["contrasts"] if one["kind"] == "baseline"]
