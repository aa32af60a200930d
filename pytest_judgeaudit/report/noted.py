"""Findings and warnings as sentences: the same code once, with what it happened to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pytest_judgeaudit.audit.numbers import counted, some
from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.report.lines import Block, Line, line, wrapped

MEANINGS: Mapping[str, str] = {
    "few-tasks": "fewer than 40 tasks",
    "small-strata": "strata of fewer than 10 tasks, or many strata",
    "degenerate": "constant outcomes observed",
    "bound-sensitive": "the two bounds disagree",
    "few-clusters": "fewer than 20 template families",
}

URGENT = (
    "uncertified-passed",
    "nothing-evaluated",
    "weak-subset",
    "underpowered",
    "ambiguous",
    "assertion-disagrees",
    "stale-verdicts",
    "pending-verdicts",
)
"""Codes that come right after what is on HOLD."""


def findings(audit: Audit, width: int, *, verbose: bool) -> list[Block]:
    """
    Return the findings, HOLD first.

    Findings of one code and check are one block, worded by the first of them, unless ``verbose``.
    """
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for index, finding in enumerate(audit.findings):
        key = (finding.code, finding.check, str(index) if verbose else "")
        groups.setdefault(key, []).append(finding)
    ranked = sorted(groups.values(), key=lambda group: _rank(group[0]))
    return [_block(group, width) for group in ranked]


def _rank(finding: Finding) -> int:
    if finding.symptom.startswith("HOLD"):
        return 0
    return 1 if finding.code in URGENT else 2


def _block(group: Sequence[Finding], width: int) -> Block:
    first = group[0]
    others = (
        f" (and {len(group) - 1} more: {some((f.where for f in group[1:]), shown=2)})" if group[1:] else ""
    )
    text = f"{first.code}: {first.where}: {first.symptom}{others} → check {first.check}"
    rank = _rank(first)
    colour = {"yellow": True} if rank < 2 else {}
    return Block(
        tuple(line(text, **colour) for text in wrapped(text, width)), rank=rank, stands_for=len(group)
    )


def warnings(audit: Audit, width: int) -> Iterator[Line]:
    """Yield what is to be said of the bounds, in two lines at most."""
    found = Counter(warning for cell in audit.cells for warning in cell.warnings)
    if found:
        listed = "; ".join(
            f"{name} in {counted(times, 'cell')} ({MEANINGS.get(name, name)})"
            for name, times in found.items()
        )
        yield from map(line, wrapped(f"warnings: {listed}", width, indent="", hanging="  ")[:3])
