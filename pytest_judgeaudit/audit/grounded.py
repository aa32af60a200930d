"""Claim volume: how much of what answers say could be checked, beside every accuracy (METHODS 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pytest_judgeaudit.audit.numbers import share
from pytest_judgeaudit.audit.scores import by_cell, cell_name
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.grounding import FEW, GROUND_STATES, ClaimVolume, Grounding
from pytest_judgeaudit.records.plans import Finding

MOSTLY = 0.5
"""The share of answers with few claims from which on an accuracy over them is flagged."""


def claim_volumes(rows: Iterable[GradedRow]) -> tuple[ClaimVolume, ...]:
    """Return a volume for each eval, agent and arm of which answers were grounded, in their order."""
    return tuple(
        _volume(cell, group)
        for cell, group in by_cell(row for row in rows if row.grounding is not None).items()
    )


def _volume(cell: tuple[str, str, str], rows: Sequence[GradedRow]) -> ClaimVolume:
    found: list[Grounding] = [row.grounding for row in rows if row.grounding is not None]
    states = Counter(one.state for grounding in found for one in grounding.claims)
    eval_, agent, arm = cell
    return ClaimVolume(
        eval=eval_,
        agent=agent,
        arm=arm,
        answers=len(found),
        claims_per_answer=states.total() / len(found),
        few=sum(grounding.few for grounding in found),
        states={state: states[state] for state in GROUND_STATES},
    )


def thin(volumes: Iterable[ClaimVolume]) -> Iterator[Finding]:
    """Yield the cells most of whose answers say next to nothing that can be checked."""
    for found in volumes:
        if found.few > MOSTLY * found.answers:
            yield Finding(
                code="few-claims",
                where=cell_name((found.eval, found.agent, found.arm)),
                symptom=f"{share(found.few, found.answers)} answers hold {FEW} checkable claims or fewer "
                f"({found.claims_per_answer:.1f} an answer): their accuracy says nearly nothing",
                check="what these answers say at all, before their scores are compared with others",
            )
