"""The plan of a run as a person reads it: calls to make, and which gates can pass at this size."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pytest_judgeaudit.audit.faults import check_gates
from pytest_judgeaudit.audit.numbers import counted, money, rate
from pytest_judgeaudit.audit.planning import TRUE_RATES, GateOutlook, JudgeOutlook, Key, Outlook, outlook
from pytest_judgeaudit.records.audits import Answers
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.report.layout import LONG, Section, shown
from pytest_judgeaudit.report.lines import Block, Line, columns, line, wrapped
from pytest_judgeaudit.report.text import safe

NONE = "–"
NARROW = 100
CHANCES = "gates, and their chance to pass at a true adverse rate of"
CAUTION = (
    "can pass is not will pass: the chances are those of one gate in the worst case of its Holm family, if "
    "tasks are independent and share one true adverse rate"
)


def render(
    plan: Plan,
    *,
    width: int = 80,
    verbose: bool = False,
    known: Mapping[Key, Answers] | None = None,
    usage: Mapping[str, Usage] | None = None,
    scored: Mapping[Key, int] | None = None,
) -> Iterator[Line]:
    """
    Yield the lines of ``--judge-plan``, at most 40 unless ``verbose``.

    ``known``, ``usage`` and ``scored`` are what the store knows of each judge and study, as :func:`outlook`
    takes them.
    """
    width = max(width, 60)
    found = outlook(plan, known=known, usage=usage, scored=scored)
    tail = [line(text) for text in wrapped(CAUTION, width, indent="", hanging="")] if _chancy(found) else []
    faults = [Block((line(f"  {fault}", red=True),), rank=0) for fault in check_gates(plan)]
    sections = [
        Section("calls", _calls(found.judges, width), "judge"),
        Section("controls, in the calls above", _controls(found.judges), "judge"),
        Section(CHANCES if _chancy(found) else "gates", _gates(found.gates, width), "gate"),
        Section("faults", faults, "fault"),
    ]
    yield _total(found)
    yield from shown(sections, room=None if verbose else LONG - 1 - len(tail))
    yield from tail


def _chancy(found: Outlook) -> bool:
    return any(gate.chances for gate in found.gates)


def _total(found: Outlook) -> Line:
    calls = sum(judge.calls for judge in found.judges)
    to_ask = sum(judge.to_ask for judge in found.judges)
    short = sum(not gate.can_pass for gate in found.gates)
    most = "at most " if any(judge.at_most and judge.to_ask for judge in found.judges) else ""
    asked = f", {most}{to_ask:,} of them to ask" if to_ask != calls else ""
    text = f"PLAN · {counted(calls, 'call')}{asked} · {counted(len(found.gates), 'gate')}"
    return line(f"{text}, {short} of them cannot pass" if short else text, bold=True)


def _calls(judges: Sequence[JudgeOutlook], width: int) -> list[Block]:
    who = "judge or agent" if any(found.at_most for found in judges) else "judge"
    rows = [(who, "study", "calls", "stored", "to ask", "tokens to pay for", "cost")]
    for found in judges:
        stored = NONE if found.stored is None else f"{found.stored:,}"
        tokens = "unknown" if found.prompt is None else f"{found.prompt:,} + {found.completion or 0:,}"
        rows.append(
            (
                safe(found.judge, shown=60),
                safe(found.study, shown=80),
                f"{'≤ ' if found.at_most else ''}{found.calls:,}",
                NONE if found.direct else stored,
                "none"
                if found.direct
                else f"{'≤ ' if found.at_most and found.to_ask else ''}{found.to_ask:,}",
                NONE if found.direct or not found.to_ask else tokens,
                "" if found.cost is None or not found.to_ask else money(found.cost),
            )
        )
    return _table(rows, right={2, 3, 4, 5, 6}, flexible=(1, 0), width=width, short=[False] * len(judges))


def _controls(judges: Sequence[JudgeOutlook]) -> list[Block]:
    """Say of labelled answers what their controls cost; a marker can leave them out."""
    return [
        Block(
            (
                line(
                    f"  {safe(found.judge, shown=60)}: "
                    + ", ".join(f"{count:,} {name}" for name, count in found.controls.items())
                    + f" of {counted(found.calls, 'call')}; controls=() on the marker leaves them out"
                ),
            ),
            rank=1,
        )
        for found in judges
        if found.controls
    ]


def _gates(gates: Sequence[GateOutlook], width: int) -> list[Block]:
    rates = TRUE_RATES if any(gate.chances for gate in gates) else ()
    names = [(gate.kind.removesuffix("_gate"), _seat(gate)) for gate in gates]
    tests = width >= NARROW or len(set(names)) < len(names)
    rows = [("gate", "", "test" if tests else "", "tasks", "family", "passes", *map(rate, rates))]
    for (kind, seat), gate in zip(names, gates, strict=True):
        rows.append(
            (
                kind,
                seat,
                safe(gate.id.partition("::")[2].rpartition("::")[0], shown=80) if tests else "",
                f"{gate.tasks:,}"
                if gate.tasks == gate.declared
                else f"{gate.tasks:,} of {gate.declared:,}",
                f"{gate.m}" if gate.kind == "clone_gate" else "",
                _passes(gate),
                *(f"{gate.chances[true]:.2f}" if gate.chances else "" for true in rates),
            )
        )
    short = [not gate.can_pass for gate in gates]
    return _table(rows, right={3, 4, 6, 7, 8, 9}, flexible=(2, 1), width=width, short=short)


def _seat(gate: GateOutlook) -> str:
    if gate.judge is None:
        return gate.id.rpartition("[")[2].removesuffix("]")
    return safe(" ".join(filter(None, (gate.judge, gate.criterion, gate.arm))), shown=60)


def _passes(gate: GateOutlook) -> str:
    """Say what a gate of this size needs, or that nothing would do."""
    if gate.tasks < gate.declared:
        return "not evaluated: a part"
    if not gate.can_pass:
        more = f"needs {gate.needed} tasks" if gate.needed > gate.tasks else "needs more in each stratum"
        return f"never, {more}"
    if gate.allowed is None:
        return "can"
    return f"with up to {gate.allowed} adverse" if gate.allowed else "with 0 adverse"


def _table(
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int],
    flexible: Sequence[int],
    width: int,
    short: Sequence[bool],
) -> list[Block]:
    """Make one block a row, those that fall short in red and kept longest; nothing without rows."""
    texts = list(columns(rows, right=right, flexible=flexible, width=width)) if short else []
    head = [Block((line(text, bold=True),), rank=-1, stands_for=0) for text in texts[:1]]
    marked = zip(texts[1:], short, strict=True)
    return head + [
        Block((line(text, **({"red": True} if bad else {})),), rank=1 - bad) for text, bad in marked
    ]
