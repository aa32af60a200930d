"""Predictions beside their outcomes: decided by the figures of the designs, or by nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from pytest_judgeaudit.audit.numbers import some
from pytest_judgeaudit.audit.rubrics import condition_of
from pytest_judgeaudit.records.floors import (
    TOTAL,
    Design,
    Expectation,
    Figure,
    Noise,
    Prediction,
    PredictionOutcome,
)

Outcome = Literal["hit", "miss", "not decided"]

SHARES = {
    "premium removed": "corpus x rename",
    "gap closed": "corpus x rename",
    "gap closed against sighted": "corpus x rename",
}
"""Contrasts that are a figure of another design: share → the design."""

FIGURES = {
    "genre": "genre",
    "corpus": "gap",
    "corpus x genre": "interaction",
    "corpus x rename": "differential",
}
"""Design → the figure that a prediction about it is decided by; of a rename it depends on the view."""


class _Found(NamedTuple):
    """A figure that a prediction may be about, and its design."""

    design: Design
    figure: Figure


def outcomes(
    predictions: Iterable[Prediction], designs: Sequence[Design], *, noise: Noise
) -> tuple[PredictionOutcome, ...]:
    """
    Decide predictions by the designs of a run.

    A prediction that fits no figure, or several, is not decided: which one was meant may not be chosen once
    the outcome is known. Effects are after − before: of a rename, and from the first genre to the second.
    """
    return tuple(_outcome(one, designs, noise) for one in predictions)


def _outcome(prediction: Prediction, designs: Sequence[Design], noise: Noise) -> PredictionOutcome:
    found = [
        one for one in _figures(prediction, designs) if _value(prediction.expects, one.figure) is not None
    ]
    if len(found) != 1:
        reason = "no such contrast was measured in this run"
        if found:
            names = some(dict.fromkeys(_named(one.design) for one in found))
            reason = f"{len(found)} contrasts fit ({names}); name corpus, agent or arms"
        return PredictionOutcome(
            id=prediction.id,
            contrast=prediction.contrast,
            expects=prediction.text,
            outcome="not decided",
            reason=reason,
        )
    value = _value(prediction.expects, found[0].figure) or 0.0
    decided, reason = _decided(prediction.expects, value, noise)
    return PredictionOutcome(
        id=prediction.id,
        contrast=prediction.contrast,
        expects=prediction.text,
        outcome=decided,
        value=value,
        where=_named(found[0].design),
        reason=reason,
    )


def _figures(prediction: Prediction, designs: Sequence[Design]) -> Iterator[_Found]:
    kind = SHARES.get(prediction.contrast, prediction.contrast)
    if prediction.contrast == "rename":
        name = "rename sighted" if prediction.expects.arm == "sighted" else "rename"
    else:
        name = FIGURES.get(prediction.contrast, prediction.contrast)
    wanted = {condition_of(arm).name for arm in prediction.arms} - {""}
    for design in designs:
        if (
            design.design.replace("×", "x") == kind
            and prediction.agent in {None, design.agent}
            and (prediction.corpus is None or prediction.corpus in design.corpora)
            and wanted <= set(design.levels)
        ):
            yield from (_Found(design, one) for one in design.figures if one.name == name)


def _value(expects: Expectation, figure: Figure) -> float | None:
    return figure.value if expects.dimension == TOTAL else figure.by_dimension.get(expects.dimension)


def _named(design: Design) -> str:
    return " ".join(filter(None, (design.agent, *design.corpora, " → ".join(design.levels))))


def _decided(expects: Expectation, value: float, noise: Noise) -> tuple[Outcome, str]:
    size = {"falls": -value, "rises": value, "moves": abs(value), "is": value}[expects.verb]
    if expects.bound == "within noise":
        floor = noise.floor(expects.dimension)
        if floor is None:
            return "not decided", "the noise floor was not measured"
        return _hit(abs(value) <= floor), ""
    if expects.bound == "at most":
        # A fall by at most 3 is a fall.
        return _hit(size <= (expects.amount or 0.0) and (expects.verb == "is" or size >= 0)), ""
    if expects.bound == "at least":
        return _hit(size >= (expects.amount or 0.0)), ""
    return _hit(size > 0), ""


def _hit(holds: bool) -> Outcome:
    return "hit" if holds else "miss"
