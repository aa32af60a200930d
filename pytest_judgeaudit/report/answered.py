"""Agents, what they scored, and the claims about that, for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from pytest_judgeaudit.audit.numbers import clipped, money
from pytest_judgeaudit.records.audits import AgentRecord, Audit
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.grounding import ClaimVolume
from pytest_judgeaudit.report.lines import Block, columns, line, wrapped
from pytest_judgeaudit.report.text import safe

NONE = "–"
TITLES = ("agent", "state", "served", "answers", "outcomes", "tools", "tokens", "cost")


def agents(audit: Audit, width: int) -> list[Block]:
    """Return one line an agent and study: what it cost stands beside the tools that it used."""
    if not audit.agents:
        return []
    rows = [TITLES, *(_agent(found) for found in audit.agents)]
    texts = list(columns(rows, right={3, 6, 7}, flexible=(2, 4, 5, 0), worded={4, 5}, width=width))
    blocks = [Block((line(texts[0], bold=True),), rank=-1, stands_for=0)]
    for text, found in zip(texts[1:], audit.agents, strict=True):
        held = found.state == "HOLD"
        markup = {"yellow": True} if held else {}
        blocks.append(Block((line(text, **markup),), rank=0 if held else 1))
    return blocks


def _agent(found: AgentRecord) -> tuple[str, ...]:
    usage = found.usage
    known = f"{usage['prompt']:,} + {usage['completion']:,}"
    unknown = usage.get("unknown_calls", 0)
    tokens = NONE if unknown == found.answers else known + (" + unknown" if unknown else "")
    served = ", ".join(found.served) or (NONE if found.kind != "tools" else "not stated")
    if found.served_as_requested is False:
        served += f" (requested {found.requested})"
    return (
        safe(found.agent, shown=60),
        found.state,
        safe(served),
        f"{found.answers:,}/{found.calls:,}",
        _counts(found.outcomes),
        _counts(found.tool_calls),
        tokens,
        "" if found.cost is None else money(found.cost),
    )


def _counts(found: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {safe(name, shown=20)}" for name, number in found.items()) or NONE


def scores(audit: Audit, width: int) -> list[Block]:
    """Return one line a cell of questions: its mean deterministic score, and what is in no mean."""
    groups: dict[tuple[str, str, str], list[GradedRow]] = {}
    for row in audit.grades:
        groups.setdefault((row.eval, row.agent, row.arm), []).append(row)
    if not groups:
        return []
    titles = ("agent", "arm", "test", "questions", "mean score", "claims", "few", "judges", "in no mean")
    volumes = {(one.eval, one.agent, one.arm): one for one in audit.claim_volumes}
    rows = [titles, *(_cell(*key, rows, volumes.get(key)) for key, rows in groups.items())]
    texts = list(
        columns(rows, right={3, 4, 5, 6}, flexible=(8, 7, 2, 0), spare=(6, 5), worded={7, 8}, width=width)
    )
    head = Block((line(texts[0], bold=True),), rank=-1, stands_for=0)
    return [head, *(Block((line(text),), rank=1) for text in texts[1:])]


def _cell(
    eval_: str, agent: str, arm: str, rows: Sequence[GradedRow], volume: ClaimVolume | None
) -> tuple[str, ...]:
    by_question: dict[str, list[float]] = {}
    for row in rows:
        if row.grade.score is not None and not row.excluded:
            by_question.setdefault(row.question.id, []).append(row.grade.score)
    mean = fmean(map(fmean, by_question.values())) if by_question else None
    void = Counter(
        row.outcome if row.outcome != "ok" else row.grade.state for row in rows if row.grade.score is None
    )
    void["excluded"] = sum(bool(row.excluded) and row.grade.score is not None for row in rows)
    void = +void
    said = Counter(one.state for row in rows for one in row.scores.values() if not one.valid)
    said.update(one.state for row in rows for one in row.checks.values() if not one.valid)
    return (
        safe(agent, shown=60),
        arm,
        safe(eval_.rpartition("::")[2], shown=60),
        f"{len({row.question.id for row in rows}):,}",
        NONE if mean is None else f"{mean:.3f}",
        "" if volume is None else f"{volume.claims_per_answer:.1f}",
        "" if volume is None else f"{volume.few / volume.answers:.0%}",
        _counts(dict(said.most_common())) if said else "",
        _counts(dict(void.most_common())) if void else "",
    )


def claims(audit: Audit, width: int) -> list[Block]:
    """Return one line a claim that does not hold or could not be checked, and one for all others."""
    states = Counter(result.state for result in audit.claims)
    if not states:
        return []
    told = ", ".join(f"{number} {state}" for state, number in states.most_common())
    blocks = [Block((line(f"  {told}"),), rank=1)]
    for result in audit.claims:
        if result.state != "verified":
            text = f"{result.state}: {safe(result.claim.text, shown=100)}: {'; '.join(result.reasons)}"
            markup = {"red" if result.state == "failed" else "yellow": True}
            lines = wrapped(clipped(text, 2 * max(width, 60)), max(width, 60))
            blocks.append(Block(tuple(line(text, **markup) for text in lines), rank=0))
    return blocks
