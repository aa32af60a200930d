"""A judge's number beside the checklist's, and beside the judge's own booleans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pytest_judgeaudit.grade.checklists import score_of
from pytest_judgeaudit.records.questions import Fact

THRESHOLD = 0.25
"""Judge and checklist further apart than this disagree (METHODS 5)."""

RUBRIC_SLACK = 0.05
"""A judge's number further than this from what its own booleans give does not follow from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """
    How a judge and the checklist compare.

    ``agree`` is None where either has no score: no comparison, and no disagreement. ``mirrored`` is the
    score that the judge's booleans give under the stated rule, None where one is missing.
    """

    agree: bool | None
    kind: Literal["judge_higher", "checklist_higher"] | None = None
    mirrored: float | None = None
    rubric_mismatch: bool | None = None


def reconcile(
    checklist: float | None,
    judge: float | None,
    *,
    threshold: float = THRESHOLD,
    facts: Sequence[Fact] = (),
    per_fact: Mapping[str, bool] | None = None,
    forbidden: Sequence[Fact] = (),
) -> Reconciliation:
    """
    Compare a judge's score with the checklist's; apart by exactly the threshold agrees, in decimals.

    >>> reconcile(0.55, 0.3).agree, reconcile(1, 0.74).kind
    (True, 'checklist_higher')
    """
    mirrored = _mirrored(facts, per_fact or {}, forbidden)
    mismatch = None if mirrored is None or judge is None else _apart(mirrored, judge, RUBRIC_SLACK)
    if judge == 0 and mismatch and any(fact.id not in (per_fact or {}) for fact in forbidden):
        mismatch = None  # a forbidden fact, of which the judge says nothing, explains a zero
    if checklist is None or judge is None:
        return Reconciliation(agree=None, mirrored=mirrored, rubric_mismatch=mismatch)
    if not _apart(checklist, judge, threshold):
        return Reconciliation(agree=True, mirrored=mirrored, rubric_mismatch=mismatch)
    kind: Literal["judge_higher", "checklist_higher"] = (
        "judge_higher" if judge > checklist else "checklist_higher"
    )
    return Reconciliation(agree=False, kind=kind, mirrored=mirrored, rubric_mismatch=mismatch)


def _mirrored(facts: Sequence[Fact], said: Mapping[str, bool], forbidden: Sequence[Fact]) -> float | None:
    if not facts or any(fact.id not in said for fact in facts):
        return None
    return 0.0 if any(said.get(fact.id) for fact in forbidden) else score_of(facts, said)


def _apart(one: float, other: float, limit: float) -> bool:
    # As printed: .55 and .3 are .25 apart, whatever binary fractions make of it.
    return abs(Decimal(f"{one:.9f}") - Decimal(f"{other:.9f}")) > Decimal(f"{limit:.9f}")
