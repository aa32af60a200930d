"""The plausibility floor: what answers without access score, and what other scores are above it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

from pytest_judgeaudit.audit.numbers import counted, some
from pytest_judgeaudit.audit.rubrics import (
    all_means,
    condition_of,
    counts,
    is_scored,
    judgements,
    judges_of,
    lost,
    refusals,
)
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.floors import TOTAL, Floor, FloorDecision, FloorState, MeanKind
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.scores import UNASKED
from pytest_judgeaudit.stats.floor import floor_adjusted

NOT_REPORTED: FloorState = "blind floor not reported"
FEWEST_FAMILIES = 2
"""Judges of one family resolve what is under-determined in one way, and nobody sees that they did."""


class _Group(NamedTuple):
    """The rows of one floor: what was seen by arm, and the blind arm."""

    seen: Mapping[str, Sequence[GradedRow]]
    blind: Sequence[GradedRow]


def floors(
    rows: Iterable[GradedRow],
    *,
    families: Mapping[str, str],
    run: str,
    kind: MeanKind = "question-balanced",
) -> tuple[Floor, ...]:
    """
    Return a floor for every agent, corpus and condition of an eval whose answers were scored (RULES R25).

    ``families`` maps each judge to its family, ``run`` names the run that all rows belong to; ``kind`` is
    the mean. Floor and scores are of the judges that scored both arms. A floor is there for every scored
    group: one without a valid blind score says that it was not reported.
    """
    groups: dict[tuple[str, str, str, str], list[GradedRow]] = defaultdict(list)
    for row in rows:
        groups[row.eval, row.corpus, row.agent, condition_of(row.arm).name].append(row)
    found = []
    for (eval_, corpus, agent, condition), group in groups.items():
        if any(map(is_scored, group)):
            place = {"eval": eval_, "corpus": corpus, "agent": agent, "condition": condition, "run": run}
            found.append(_floor(place, _split(group), families, kind))
    return tuple(found)


def _split(rows: Sequence[GradedRow]) -> _Group:
    seen: dict[str, list[GradedRow]] = defaultdict(list)
    blind = []
    for row in rows:
        if condition_of(row.arm).view == "blind":
            blind.append(row)
        else:
            seen[row.arm].append(row)
    return _Group(seen, blind)


def _floor(place: Mapping[str, Any], group: _Group, families: Mapping[str, str], kind: MeanKind) -> Floor:
    waiting = tuple(_waiting(group))
    if waiting:
        # A mean over what happens to be there would be another one once the rest has come.
        return Floor(**place, state=NOT_REPORTED, reasons=waiting)
    scoring = {arm: judges_of(rows) for arm, rows in group.seen.items()}
    blind = judges_of(group.blind)
    both = [judge for judge in blind if all(judge in judges for judges in scoring.values() if judges)]
    used = both or list(blind)
    means = dict(all_means(group.blind, judges=used, kind=kind))
    total = means.pop(TOTAL, None)
    exposed = tuple(_exposed(group.blind))
    state, families_short = _state(total, exposed, {families.get(judge, judge) for judge in used})
    verified = bool(group.blind) and total is not None and not exposed
    scores = {arm: all_means(rows, judges=both, kind=kind) for arm, rows in group.seen.items() if both}
    raw = {arm: found[TOTAL] for arm, found in scores.items() if found}
    return Floor(
        **place,
        state=state,
        judges=_judges(group, blind, families, kind, verified=verified),
        by_dimension=means,
        floor=total,
        scores=raw,
        adjusted=_adjusted(raw, total) if verified else {},
        verified_blind=verified,
        reasons=(*_missing(group, total), *exposed, *_apart(group, both, scoring), *families_short),
    )


def _waiting(group: _Group) -> Iterator[str]:
    """Yield that scores are yet to come: stale ones, and such as were never given or never asked for."""
    rows = [*group.blind, *(row for rows in group.seen.values() for row in rows)]
    wanted = [score for row in rows for score in row.scores.values() if score.state != "not applicable"]
    unasked = sum(score.state == "pending" and score.reason == UNASKED for score in wanted)
    if unasked:
        yield (
            f"{NOT_REPORTED}: {unasked} of {counted(len(wanted), 'score')} were not asked for by the test; "
            "call judge.score before anything is asserted"
        )
    missing = sum(score.state in {"stale", "pending"} for score in wanted) - unasked
    if missing:
        yield (
            f"{NOT_REPORTED}: {missing} of {counted(len(wanted), 'score')} are stale or pending; "
            "--judge-live asks for just these"
        )


def _state(
    total: float | None, exposed: Sequence[str], families: Collection[str]
) -> tuple[FloorState, Sequence[str]]:
    """Return what a floor is worth, and what to say of its judges' families."""
    if total is None:
        return NOT_REPORTED, ()
    if exposed:
        return "not verified", ()
    if len(families) < FEWEST_FAMILIES:
        return "one family", [
            f"its judges are of one family, {some(families)}: name judges of a second one"
        ]
    return "reported", ()


def _missing(group: _Group, total: float | None) -> Iterator[str]:
    if total is not None:
        return
    if not group.blind:
        yield f'{NOT_REPORTED}: the run has no blind arm; add "blind" to the marker\'s arms'
    else:
        yield f"{NOT_REPORTED}: no valid score of {counted(len(group.blind), 'blind answer')}"


def _exposed(rows: Sequence[GradedRow]) -> Iterator[str]:
    """Yield why a blind arm is not verified to be blind, each reason once."""
    given = [row for row in rows if counts(row)]
    if rows and not given:
        yield "no answer of the blind arm"
    yield from dict.fromkeys(reason for row in given for reason in row.exposed)
    called = sum(row.tool_calls or 0 for row in given)
    if called and not any(row.exposed for row in given):
        yield f"{counted(called, 'call')} of tools in the blind arm"


def _apart(group: _Group, both: Sequence[str], scoring: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the judges that scored one arm only, and so are in neither mean; then uneven questions."""
    blind = judges_of(group.blind)
    if not blind:
        return
    known = dict.fromkeys([*blind, *(judge for judges in scoring.values() for judge in judges)])
    left = [judge for judge in known if judge not in both]
    if left and both:
        yield f"left out, because they did not score every arm: {some(left)}"
    elif left and any(scoring.values()):
        yield "no judge scored both arms: nothing is adjusted"
    yield from _unmatched(group, both)


def _unmatched(group: _Group, both: Sequence[str]) -> Iterator[str]:
    """
    Yield the arms whose mean is over other questions than the floor's, after refusals and losses.

    A mean over fewer questions is one of other questions: what was lost may be the hard ones.
    """
    blind = {one.question for one in judgements(group.blind, judges=both)}
    for arm, rows in group.seen.items() if blind else ():
        seen = {one.question for one in judgements(rows, judges=both)}
        if seen and seen != blind:
            yield (
                f"over different questions: blind {len(blind)}, {arm} {len(seen)}, "
                f"{len(blind & seen)} of them in both"
            )


def _judges(
    group: _Group, judges: Sequence[str], families: Mapping[str, str], kind: MeanKind, *, verified: bool
) -> Mapping[str, Mapping[str, Any]]:
    gone, refused = lost(group.blind), refusals(group.blind)
    found: dict[str, Mapping[str, Any]] = {}
    for judge in judges:
        means = dict(all_means(group.blind, judges=[judge], kind=kind))
        total = means.pop(TOTAL)
        seen = {arm: all_means(rows, judges=[judge], kind=kind) for arm, rows in group.seen.items()}
        raw = {arm: mean[TOTAL] for arm, mean in seen.items() if mean}
        found[judge] = {
            "family": families.get(judge, judge),
            "floor": total,
            "by_dimension": means,
            "scores": raw,
            "adjusted": _adjusted(raw, total) if verified else {},
            "judgements": len(judgements(group.blind, judges=[judge])),
            "excluded": gone[judge],
            "refused": refused[judge],
        }
    return found


def _adjusted(scores: Mapping[str, float], floor: float | None) -> Mapping[str, float]:
    if floor is None or floor >= 100:
        return {}
    return {arm: floor_adjusted(score, floor) for arm, score in scores.items()}


def adjusted_by(floor: Floor, score: float, *, run: str, corpus: str, condition: str = "") -> float:
    """
    Rescale a score by a floor of the same run and corpus.

    Refused: a floor of another run, corpus or condition, one that was not reported or not verified, and one
    of 100, above which there is no scale.
    """
    own, other = (floor.run, floor.corpus, floor.condition), (run, corpus, condition)
    if own != other:
        raise Refused(
            f"the floor of {_named(*own)} cannot adjust a score of {_named(*other)}: a floor belongs to "
            "one run and one corpus. Measure the blind arm there."
        )
    if floor.floor is None or not floor.verified_blind or floor.floor >= 100:
        why = "; ".join(floor.reasons) or "it is 100, above which there is no scale"
        raise Refused(f"the floor of {_named(*own)} cannot adjust a score: {why}")
    return floor_adjusted(score, floor.floor)


def _named(run: str, corpus: str, condition: str) -> str:
    return f"run {run!r} on {' '.join(filter(None, (condition, corpus))) or 'no corpus'}"


def name_of(floor: Floor) -> str:
    """Name a floor for a person: test, corpus, condition and agent."""
    test = floor.eval.rpartition("::")[2]
    return " ".join(filter(None, (test, floor.condition, floor.corpus, floor.agent)))


def blind_floor(found: Sequence[Floor], *, maximum: float | None = None) -> FloorDecision:
    """
    Decide a ``blind_floor`` gate over the floors of its eval (and agent, where there are several).

    REPORTED where every scored group has a verified blind arm scored by judges of two families; MISS where,
    beside that, a floor is above ``maximum``, a score of 0 to 100 that is compared with the point estimate;
    HOLD otherwise, with the reasons. It claims nothing about other runs, corpora or judges.
    """
    known = [floor.floor for floor in found if floor.floor is not None]
    bound = max(known, default=None)
    if not found or any(floor.state != "reported" for floor in found):
        reasons = [f"{name_of(floor)}: {reason}" for floor in _open(found) for reason in floor.reasons]
        return FloorDecision(
            state="HOLD",
            bound=bound,
            threshold=maximum,
            statement=f"the blind floor could not be measured{'' if found else f': {NOT_REPORTED}'}",
            reasons=tuple(reasons) or (f"{NOT_REPORTED}: nothing was scored",),
        )
    over = [floor for floor in found if maximum is not None and (floor.floor or 0.0) > maximum]
    statement = "; ".join(map(_statement, found))
    if over:
        return FloorDecision(
            state="MISS",
            bound=bound,
            threshold=maximum,
            statement=f"{statement}; above the limit of {maximum:g}",
            reasons=tuple(
                f"{name_of(floor)}: floor {floor.floor:.2f}, limit {maximum:g}" for floor in over
            ),
        )
    return FloorDecision(
        state="REPORTED",
        bound=bound,
        threshold=maximum,
        statement=statement,
        reasons=tuple(f"{name_of(floor)}: {reason}" for floor in found for reason in floor.reasons),
    )


def _open(found: Sequence[Floor]) -> Iterator[Floor]:
    return (floor for floor in found if floor.state != "reported")


def _statement(floor: Floor) -> str:
    judges = ", ".join(f"{name} {one['floor']:.2f}" for name, one in floor.judges.items())
    return (
        f"{name_of(floor)}: answers without access score {floor.floor:.2f} of 100 ({judges}); point "
        "estimate for these questions, judges and this run, no claim about others"
    )


def reversals(found: Sequence[Floor]) -> Iterator[Finding]:
    """
    Yield the pairs of floors between which adjusting turns comparisons of cells around.

    Within one floor it never does: it is affine. Cells are compared across, each of one with each of the
    other; the order of two reverses where raw and adjusted scores differ in sign.
    """
    for one, other in combinations(found, 2):
        turned, compared = [], 0
        for first, second in product(one.adjusted, other.adjusted):
            raw = other.scores[second] - one.scores[first]
            rescaled = other.adjusted[second] - one.adjusted[first]
            compared += 1
            if raw * rescaled < 0:
                turned.append(f"{name_of(one)} {first} / {name_of(other)} {second}")
        if turned:
            yield Finding(
                code="adjustment-reverses",
                where=some(turned, shown=2),
                symptom=f"{len(turned)} of {counted(compared, 'comparison')} across floors reverse once "
                f"both are adjusted (floors {one.floor:.2f} and {other.floor:.2f})",
                check="adjusted scores, before runs or corpora are compared: raw totals are on two scales",
            )
