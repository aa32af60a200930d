"""What is compared beside the gates: criteria and orders of one judge, and expected losses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from pytest_judgeaudit.audit.numbers import clipped, rate, some
from pytest_judgeaudit.records.audits import Audit, ContextEffect, Contrast, Ladder, StudyRisk
from pytest_judgeaudit.report.lines import Block, columns, line, wrapped
from pytest_judgeaudit.report.text import safe

RANKS = {"criterion": 1, "clone-criterion": 1, "order": 2, "interaction": 3}


def contrasts(audit: Audit, width: int) -> list[Block]:
    """Return a line for each pair of conditions that was compared; no line where all are alike."""
    groups: dict[tuple[str, ...], dict[str, Contrast]] = defaultdict(dict)
    for found in audit.contrasts:
        if found.difference is not None and found.kind != "baseline":
            place = (found.study, found.eval, found.judge, found.criterion or "", found.arm, found.kind)
            groups[*place, found.minuend, found.subtrahend][found.of] = found
    kept = {
        place: group for place, group in groups.items() if any(one.difference for one in group.values())
    }
    rows = [_row(place, group) for place, group in kept.items()]
    texts = columns(rows, titled=False, flexible=(0, 1), width=width)
    return [Block((line(text),), rank=RANKS[place[5]]) for text, place in zip(texts, kept, strict=True)]


def baseline(audit: Audit, width: int) -> list[Block]:
    """Say what differs from an earlier run: configurations first, then each cell with its flipped tasks."""
    found = [one for one in audit.contrasts if one.kind == "baseline"]
    changed = dict.fromkeys(
        ": ".join(filter(None, (one.judge, ", ".join(one.changed)))) for one in found if one.changed
    )
    texts = [(name, -1) for name in changed]
    texts += [(_against(one), 0 if one.flipped else 2) for one in found]
    return [
        Block(tuple(line(part) for part in wrapped(safe(text, shown=400), width)), rank=rank)
        for text, rank in texts
    ]


def _against(found: Contrast) -> str:
    test = found.eval.partition("::")[2]
    where = " ".join(filter(None, (test, found.judge, found.criterion, found.agent, found.arm)))
    told = found.statement if found.difference is not None else f"{found.statement} ({found.reason})"
    return f"{where}: {told}"


def _row(place: Sequence[str], group: dict[str, Contrast]) -> tuple[str, ...]:
    _, _, judge, criterion, arm, _, minuend, subtrahend = place
    shown = [
        f"{name} {_signed(group[of].difference or 0.0)}"
        for of, name in (("utility", "utility"), ("adverse", "adverse"), ("tie", "ties"))
        if of in group
    ]
    name = " ".join(filter(None, (judge, criterion, arm)))
    return safe(name, shown=60), safe(f"{minuend} − {subtrahend}", shown=60), ", ".join(shown)


def _signed(difference: float) -> str:
    sign = "+" if difference > 0 else "−" if difference < 0 else ""
    return f"{sign}{rate(abs(difference)).removesuffix(' %')} points"


def ladders(audit: Audit, width: int) -> list[Block]:
    """Say of each ladder how often the better text was preferred, by gap."""
    return [Block(tuple(line(text) for text in wrapped(_ladder(found), width))) for found in audit.ladders]


def _ladder(found: Ladder) -> str:
    name = " ".join(filter(None, (found.judge, found.criterion)))
    shares = ", ".join(f"{rate(share)} at gap {gap}" for gap, share in found.success.items())
    flat = "" if found.false_preference is None else f"; false preference {rate(found.false_preference)}"
    return f"{name}: right {shares}; smallest gap of 75 %: {found.smallest_gap}{flat}"


def contexts(audit: Audit, width: int) -> list[Block]:
    """Say of each context audit what the third candidate did."""
    return [Block(tuple(line(text) for text in wrapped(_effect(found), width))) for found in audit.contexts]


def _effect(found: ContextEffect) -> str:
    name = " ".join(filter(None, (found.judge, found.criterion, found.arm)))
    if found.difference is None or found.interval is None:
        return safe(f"{name}: not compared ({found.reason})", shown=200)
    low, high = map(_signed, found.interval)
    told = (
        f"{name}: success {rate(found.absent or 0.0)} → {rate(found.present or 0.0)}, "
        f"{_signed(found.difference)} [{low}, {high}], {found.adverse}/{found.tasks} tasks adverse"
    )
    return safe(told, shown=300)


def losses(audit: Audit, width: int) -> list[Block]:
    """Say, for each study with several cells, which of them lose least, and in how many scenarios."""
    return [
        Block(tuple(line(text) for text in wrapped(_sentence(found), width)))
        for found in audit.risk
        if len(found.cells) > 1
    ]


def _sentence(found: StudyRisk) -> str:
    sets = Counter(", ".join(scenario["cheapest"]) for scenario in found.scenarios)
    total = len(found.scenarios)
    said = some(f"{clipped(names, 60)} in {times}" for names, times in sets.most_common())
    agreements = [one["agreement"] for one in found.scenarios if one["agreement"] is not None]
    told = f"; task-bootstrap agreement at least {rate(min(agreements))}" if agreements else ""
    left = f"; left out: {some(found.left_out)}" if found.left_out else ""
    return f"of {total} scenarios: {said}{told}{left}"
