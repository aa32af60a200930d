"""Rubric scores for a person: floors and what stands above them, spreads, noise, contrasts, predictions."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_judgeaudit.audit.floors import name_of
from pytest_judgeaudit.audit.numbers import some
from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.floors import Design, Figure, Floor, Noise, PredictionOutcome, Spread
from pytest_judgeaudit.report.lines import Block, line, wrapped

SHOWN_OF = "accuracy"
"""The dimension whose spread has a line of its own: the one that pays for what nobody can check."""


def floors(audit: Audit, width: int) -> list[Block]:
    """Say what the blind floor of every scored agent and corpus is, or that it has none."""
    found = audit.comprehension
    blocks = [_block(_floor(one), width, urgent=one.state != "reported") for one in found.floors]
    blocks += [_block(text, width) for one in found.spreads if (text := _spread(one))]
    if found.floors and found.noise is not None:
        blocks.append(_block(_noise(found.noise), width))
    blocks += [_block(_prediction(one), width) for one in found.predictions]
    return blocks


def contrasts(audit: Audit, width: int) -> list[Block]:
    """Return a line for every design, with its figures as multiples of the noise floor."""
    return [_block(_design(one), width) for one in audit.comprehension.designs]


def _block(text: str, width: int, *, urgent: bool = False) -> Block:
    colour = {"yellow": True} if urgent else {}
    return Block(tuple(line(part, **colour) for part in wrapped(text, width)), rank=0 if urgent else 1)


def _floor(floor: Floor) -> str:
    name = name_of(floor)
    if floor.floor is None:
        return f"{name}: {'; '.join(floor.reasons)}"
    judges = ", ".join(f"{judge} {one['floor']:.1f}" for judge, one in floor.judges.items())
    above = "; ".join(_above(floor, arm, score) for arm, score in floor.scores.items())
    state = "" if floor.state == "reported" else f"{floor.state}: "
    doubts = f"; {state}{some(floor.reasons, shown=2)}" if state or floor.reasons else ""
    return f"{name}: blind floor {floor.floor:.1f} of 100 ({judges}){'; ' + above if above else ''}{doubts}"


def _above(floor: Floor, arm: str, score: float) -> str:
    if arm not in floor.adjusted:
        return f"{arm} {score:.1f}"
    return f"{arm} {score:.1f}, {floor.adjusted[arm]:.1%} of what is left above it"


def _spread(spread: Spread) -> str:
    views = {"blind": spread.blind, "sighted": spread.sighted}
    said = ", ".join(f"{view} {found[SHOWN_OF]:+.1f}" for view, found in views.items() if found)
    flagged = ", under-determined" if spread.under_determined.get(SHOWN_OF) else ""
    name = " ".join(
        part
        for part in (spread.eval.rpartition("::")[2], spread.condition, spread.corpus, spread.agent)
        if part
    )
    return f"{name}: {SHOWN_OF} {spread.minuend} − {spread.subtrahend}: {said}{flagged}" if said else ""


def _noise(noise: Noise) -> str:
    if noise.total is None:
        return f"noise floor: not measured ({noise.reason})"
    chance = (
        "" if noise.chance is None else f"; a contrast of nothing exceeds it in {noise.chance:.0%} of cases"
    )
    return f"noise floor: {noise.total:.2f} points over {noise.cells} replicated cells{chance}"


def _prediction(found: PredictionOutcome) -> str:
    value = "" if found.value is None else f" ({found.value:+.3g})"
    reason = f": {found.reason}" if found.reason else ""
    return f"predicted {found.id}: “{found.expects}”: {found.outcome}{value}{reason}"


def _design(design: Design) -> str:
    name = " ".join(part for part in (design.agent, " and ".join(design.corpora)) if part)
    levels = f", {' → '.join(design.levels)}" if len(design.levels) > 1 else ""
    doubts = f"; {some(design.reasons, shown=2)}" if design.reasons else ""
    return f"{design.design} ({name}{levels}): {', '.join(_figures(design))}{doubts}"


def _figures(design: Design) -> Iterator[str]:
    for one in design.figures:
        if one.value is not None:
            yield f"{one.name} {_worded(one)}"


def _worded(figure: Figure) -> str:
    value = figure.value or 0.0
    if figure.unit == "share":
        return f"{value:.0%}"
    if figure.within_noise:
        return f"{value:+.2f} (within noise)"
    return f"{value:+.2f}" + ("" if figure.multiple is None else f" ({figure.multiple:.1f} × noise)")
