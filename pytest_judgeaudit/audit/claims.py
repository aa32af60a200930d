"""
Published figures, recomputed from the rows (METHODS 5, "Arithmetic of claims").

A figure must follow from its rows to the digits in which it was published; mean × n must equal the sum; no
mean lies above the maximum; no effect counts below the noise floor; a question with two distinct scores has
no median; and a claimed absence needs the sample that could have seen it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from math import ceil, log
from statistics import median

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.audit.scores import REPEATED, summary
from pytest_judgeaudit.records.claims import Claim, ClaimResult, ClaimState
from pytest_judgeaudit.records.grades import GradedRow

POWER = 0.05
"""An absence is no finding while its chance at the pooled rate is above this."""

_SLACK = 1e-9


def absence_chance(seen: int, *, n: int, other: int) -> float:
    """
    Return the chance of 0 events among n, had both sides the pooled rate (RULES R27).

    ``seen`` events among ``other`` on the other side. 0 of 72 against 2 of 72:

    >>> round(absence_chance(2, n=72, other=72), 3)
    0.365
    """
    if n < 1 or other < 1 or not 0 <= seen <= other:
        raise ValueError(f"expected n and other of at least 1 and 0 to {other} seen, got {n} and {seen}")
    return float((1 - seen / (n + other)) ** n)


def absence_n(seen: int, *, n: int, other: int, chance: float = POWER) -> int:
    """
    Return the fewest observations whose zero has at most this chance at the pooled rate.

    >>> absence_n(2, n=72, other=72)
    215
    """
    return ceil(log(chance) / log(1 - seen / (n + other)) - _SLACK)


def half_digit(value: float) -> float:
    """
    Return how far a figure may lie from the truth that was rounded to it: half of its last digit.

    >>> half_digit(0.93), half_digit(43)
    (0.005, 0.5)
    """
    text = format(Decimal(repr(float(value))), "f")
    digits = len(text.partition(".")[2]) if not text.endswith(".0") else 0
    return float(Decimal(5).scaleb(-digits - 1))


def selected(rows: Iterable[GradedRow], cell: Mapping[str, str]) -> list[GradedRow]:
    """Return the rows of a cell: those whose fields have these values."""
    return [row for row in rows if all(row.fields.get(name) == value for name, value in cell.items())]


def check_claim(claim: Claim, rows: Sequence[GradedRow], *, noise: float | None = None) -> ClaimResult:
    """
    Recompute a claim from the rows; ``noise`` is the measured floor, None where none was measured.

    ``failed`` names what does not hold. Without rows, or without the noise floor that an effect needs, a
    claim is ``not verified``: what cannot be checked is not taken as checked.
    """
    impossible = list(_impossible(claim))
    chosen = selected(rows, claim.cell)
    if not any(row.grade.score is not None for row in chosen):
        reasons = (*impossible, f"no graded row has {_worded(claim.cell)}")
        return ClaimResult(claim=claim, state="failed" if impossible else "not verified", reasons=reasons)
    computed, reasons_, missing = _KINDS[claim.kind](claim, chosen, selected(rows, claim.against), noise)
    reasons = (*impossible, *reasons_)
    if reasons:
        return ClaimResult(claim=claim, state="failed", computed=computed, reasons=(*reasons, *missing))
    state: ClaimState = "not verified" if missing else "verified"
    return ClaimResult(claim=claim, state=state, computed=computed, reasons=tuple(missing))


def _impossible(claim: Claim) -> Iterable[str]:
    """Yield what cannot be, whatever the rows."""
    if claim.kind in {"mean", "median"} and not 0 <= claim.value <= claim.maximum:
        yield f"stated {claim.value:g} lies outside of 0 to {claim.maximum:g}"
    if claim.kind == "mean" and claim.n is not None and claim.sum is not None:
        product, slack = claim.value * claim.n, half_digit(claim.value) * claim.n + half_digit(claim.sum)
        if abs(product - claim.sum) > slack + _SLACK:
            yield f"stated {claim.value:g} × {claim.n} = {product:g}, against the stated sum {claim.sum:g}"


def _worded(cell: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value!a}" for name, value in cell.items()) or "any field"


def _scores(rows: Iterable[GradedRow]) -> list[float]:
    return [row.grade.score for row in rows if row.grade.score is not None]


Outcome = tuple[float | None, list[str], list[str]]
"""The figure computed, what does not hold, and what could not be checked."""


def _mean(claim: Claim, rows: Sequence[GradedRow], _: Sequence[GradedRow], __: float | None) -> Outcome:
    scores = _scores(rows)
    mean = sum(scores) / len(scores)
    reasons = _off("mean", mean, claim.value)
    if claim.n is not None and claim.n != len(scores):
        reasons.append(f"computed {counted(len(scores), 'graded row')}, stated {claim.n}")
    if claim.sum is not None:
        reasons += _off("sum", sum(scores), claim.sum)
    return mean, reasons, []


def _off(what: str, computed: float, stated: float) -> list[str]:
    if abs(computed - stated) <= half_digit(stated) + _SLACK:
        return []
    return [f"computed {what} {computed:.6g}, stated {stated:g}"]


def _sum(claim: Claim, rows: Sequence[GradedRow], _: Sequence[GradedRow], __: float | None) -> Outcome:
    total = sum(_scores(rows))
    return total, _off("sum", total, claim.value), []


def _count(claim: Claim, rows: Sequence[GradedRow], _: Sequence[GradedRow], __: float | None) -> Outcome:
    n = len(_scores(rows))
    return (
        float(n),
        [] if n == claim.value else [f"computed {counted(n, 'graded row')}, stated {claim.value:g}"],
        [],
    )


def _median(claim: Claim, rows: Sequence[GradedRow], _: Sequence[GradedRow], __: float | None) -> Outcome:
    scores = _scores(rows)
    counts = summary(scores).counts
    if len(scores) >= REPEATED and len(counts) == 2:
        seen = ", ".join(f"{times} × {score:g}" for score, times in counts.items())
        return (
            None,
            [f"the scores have two values ({seen}), so that {claim.value:g} is no median of anything"],
            [],
        )
    return median(scores), _off("median", median(scores), claim.value), []


def _effect(
    claim: Claim, rows: Sequence[GradedRow], other: Sequence[GradedRow], noise: float | None
) -> Outcome:
    here, there = _scores(rows), _scores(other)
    if not there:
        return None, [], [f"no graded row has {_worded(claim.against)}"]
    effect = sum(here) / len(here) - sum(there) / len(there)
    reasons = _off("effect", effect, claim.value)
    if noise is None:
        return (
            effect,
            reasons,
            ["the noise floor is not measured, so that no effect can be told from noise"],
        )
    if abs(effect) <= noise + _SLACK:
        reasons.append(
            f"computed {effect:+.3g}, stated {claim.value:+g}: within the noise floor {noise:.3g}"
        )
    return effect, reasons, []


def _absence(
    claim: Claim, rows: Sequence[GradedRow], other: Sequence[GradedRow], _: float | None
) -> Outcome:
    here = sum(_has(row, claim.event) for row in rows)
    there = sum(_has(row, claim.event) for row in other)
    reasons = [f"computed {here} of {len(rows)}, stated none"] if here else []
    if claim.value:
        reasons.append(f"stated {claim.value:g}, which is no absence")
    if not other:
        return (
            float(here),
            reasons,
            [f"no row has {_worded(claim.against)}, to say what rate could be seen"],
        )
    if not here and not there:
        return 0.0, reasons, ["the other side has none either: the rows show no difference"]
    if not here:
        chance = absence_chance(there, n=len(rows), other=len(other))
        if chance > POWER:
            needed = absence_n(there, n=len(rows), other=len(other))
            reasons.append(
                f"0 of {len(rows)} against {there} of {len(other)} would be seen with a chance of "
                f"{chance:.2f} at one common rate; an absence needs at least {needed} answers"
            )
    return float(here), reasons, []


def _has(row: GradedRow, event: str) -> bool:
    events: Mapping[str, bool] = {
        "hallucinated": row.grade.hallucinated,
        "contaminated": row.grade.contamination.contaminated,
        "abstained": bool(row.grade.abstained),
        "unavailable": row.grade.state == "unavailable",
    }
    return events.get(event, row.outcome == event)


_KINDS: Mapping[str, Callable[[Claim, Sequence[GradedRow], Sequence[GradedRow], float | None], Outcome]] = {
    "mean": _mean,
    "sum": _sum,
    "count": _count,
    "median": _median,
    "effect": _effect,
    "absence": _absence,
}
