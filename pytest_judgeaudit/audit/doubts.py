"""Findings about rubric scores: each a symptom with what to check, and never a cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from pytest_judgeaudit.audit.floors import name_of, reversals
from pytest_judgeaudit.audit.numbers import counted, share, some
from pytest_judgeaudit.audit.spreads import patterns
from pytest_judgeaudit.records.floors import CellMeans, Comprehension, Floor, Noise, Spread
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.scores import DIMENSIONS

SEVERAL = 2
"""In how many runs a sign must come again before it is called constant."""


def doubts(found: Comprehension) -> Comprehension:
    """Return the same with its findings."""
    return replace(found, findings=tuple(_doubts(found)))


def _doubts(found: Comprehension) -> Iterator[Finding]:
    for floor in found.floors:
        yield from _of_floor(floor)
    yield from reversals(found.floors)
    for spread in found.spreads:
        yield from _of_spread(spread)
    yield from _diverging(found)
    noise = found.noise
    if noise is not None:
        yield from _of_noise(noise)
        for cell in found.means:
            yield from _of_means(cell, noise)
    yield from _of_exclusions(found)
    yield from _of_refusals(found)
    yield from _of_designs(found)


def _of_floor(floor: Floor) -> Iterator[Finding]:
    where, symptom = name_of(floor), "; ".join(floor.reasons) or floor.state
    match floor.state:
        case "blind floor not reported":
            check = 'the scores with care: run the blind arm (arms=("sighted", "blind"))'
            yield Finding(code="blind-floor-not-reported", where=where, symptom=symptom, check=check)
        case "not verified":
            check = "what the blind agent could reach; its scores are no floor, and nothing is adjusted"
            yield Finding(code="blind-not-verified", where=where, symptom=symptom, check=check)
        case "one family":
            check = "judges of a second family: one family's answer to an open question looks firm"
            yield Finding(code="one-family", where=where, symptom=symptom, check=check)
        case _:
            return


def _of_spread(spread: Spread) -> Iterator[Finding]:
    flagged = [of for of, flag in spread.under_determined.items() if flag]
    if flagged:
        said = (f"{of} {spread.blind[of]:+.2f} blind, {spread.sighted[of]:+.2f} sighted" for of in flagged)
        yield Finding(
            code="under-determined",
            where=_place(spread),
            symptom=f"{spread.minuend} − {spread.subtrahend}: {some(said)}",
            check="each family's score by itself: their mean hides that the answer leaves the score open",
        )


def _place(spread: Spread) -> str:
    test = spread.eval.rpartition("::")[2]
    return " ".join(filter(None, (test, spread.condition, spread.corpus, spread.agent)))


def _diverging(found: Comprehension) -> Iterator[Finding]:
    agents = dict.fromkeys(one.agent for one in found.spreads)
    for agent, (dimension, highest) in product(agents, DIMENSIONS.items()):
        for one in patterns((spread for spread in found.spreads if spread.agent == agent), dimension):
            if one.runs >= SEVERAL and one.crossed:
                yield Finding(
                    code="families-diverge",
                    where=f"{one.minuend} and {one.subtrahend}" + (f" on {agent}" if agent else ""),
                    symptom=f"{dimension} differs by {_between(one.blind)} of {highest} blind and by "
                    f"{_between(one.sighted)} sighted, with opposite signs in all {one.runs} runs",
                    check="each family by itself wherever there is little evidence",
                )


def _between(ends: tuple[float, float]) -> str:
    return f"{ends[0]:+.1f} to {ends[1]:+.1f}"


def _of_noise(noise: Noise) -> Iterator[Finding]:
    if noise.state == "not measured":
        yield Finding(
            code="noise-not-measured",
            where="rubric scores",
            symptom=f"the noise floor is not measured: {noise.reason}",
            check="replicates=2 on four cells or more, before any difference is called one",
        )
    elif not noise.floors and noise.differences:
        yield Finding(
            code="floor-not-replicated",
            where="rubric scores",
            symptom="no blind arm was replicated: the run-to-run variance of the floor is not measured",
            check="replicates=2 on the blind arm too",
        )


def _of_means(cell: CellMeans, noise: Noise) -> Iterator[Finding]:
    if cell.span is not None and noise.total is not None and cell.span > noise.total:
        said = ", ".join(f"{kind} {value:.2f}" for kind, value in cell.means.items())
        yield Finding(
            code="means-differ",
            where=" ".join(
                filter(None, (cell.eval.rpartition("::")[2], cell.corpus, cell.agent, cell.arm))
            ),
            symptom=f"its three means differ by {cell.span:.2f}, more than the noise floor of "
            f"{noise.total:.2f}: {said}",
            check="what was excluded there, and by which judge",
        )


def _of_exclusions(found: Comprehension) -> Iterator[Finding]:
    gone = found.exclusions
    if gone is None or not gone.excluded:
        return
    by_judge = ", ".join(f"{judge} {count}" for judge, count in gone.by_judge.items())
    skew = f" ({gone.skew:.3g}:1)" if gone.skew is not None and gone.skew > 1 else ""
    pushed = [cell for cell in found.means if cell.direction and any(cell.excluded.values())]
    worst = max(pushed, key=lambda cell: sum(cell.excluded.values()), default=None)
    told = ""
    if worst is not None:
        place = " ".join(filter(None, (worst.corpus, worst.agent, worst.arm)))
        told = f"; most in {place}, where the losses push pooled means {worst.direction}"
    yield Finding(
        code="excluded-judgements",
        where="rubric scores",
        symptom=f"{share(gone.excluded, gone.judgements)} judgements are no score: {by_judge}{skew}{told}",
        check="why they failed; they are in no mean, and what is lost unevenly biases what is left",
    )


def _of_refusals(found: Comprehension) -> Iterator[Finding]:
    for cell in found.means:
        refused = sum(cell.refused.values())
        if refused:
            yield Finding(
                code="refused-answers",
                where=" ".join(filter(None, (cell.corpus, cell.agent, cell.arm))),
                symptom=f"{counted(refused, 'judgement')} are of a refusal, and in no mean",
                check="these answers: a refusal is an outcome of its own, and no low score",
            )


def _of_designs(found: Comprehension) -> Iterator[Finding]:
    for design in found.designs:
        if design.design == "rename" and design.readable is False:
            moved = next(one for one in design.figures if one.name == "rename sighted")
            yield Finding(
                code="rename-unreadable",
                where=" ".join(filter(None, (*design.corpora, design.agent, design.levels[1]))),
                symptom=f"the rename moved sighted scores by {moved.value:+.2f}, beyond the noise floor",
                check="whether the renamed questions can still be answered from the renamed code",
            )
    for one in found.predictions:
        if one.outcome == "not decided":
            yield Finding(
                code="prediction-undecided",
                where=one.id,
                symptom=f"“{one.expects}” is not decided: {one.reason}",
                check="the arms, corpora and replicates that it needs",
            )
