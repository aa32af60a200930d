"""Crossed designs over blind scores: corpus × genre, corpus × rename, and what they leave open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from pytest_judgeaudit.audit.arms import Arms, arms
from pytest_judgeaudit.audit.noise import figure
from pytest_judgeaudit.records.floors import TOTAL, Design, Figure, MeanKind, Noise
from pytest_judgeaudit.records.grades import GradedRow
from pytest_judgeaudit.stats.designs import Pair, RenameFigures, interaction, rename_figures

PLAIN = "as it is"
"""How a corpus that is not renamed is called beside renamed ones."""

ON_RECALL = (
    "a rename removes recall of this repository's identifiers; that general knowledge contributes nothing "
    "is not shown, and one seed cannot tell the rename from its particular tokens"
)
ON_GENRE = "the corpus with the higher floor comes first; above the noise is no test"

Means = Mapping[str, float]


def designs(
    rows: Iterable[GradedRow], *, noise: Noise, kind: MeanKind = "question-balanced"
) -> tuple[Design, ...]:
    """
    Return every design whose cells were scored, by agent.

    Of one corpus: the effect of each rename and of each two genres. Of two: the gap of their blind scores
    with its strata by category, the interaction with genre, and what each rename makes of the gap. Means
    before and after a rename are over the same questions. Every figure in points stands beside the noise
    floor; nothing is tested.
    """
    found: list[Design] = []
    for corpora in arms(rows, kind=kind).values():
        for one in corpora:
            found += _genres_of(one, noise)
            found += _renames_of(one, noise)
        for high, low in combinations(corpora, 2):
            found += _gap(high, low, noise)
            found += _by_genre(high, low, noise)
            found += _by_rename(high, low, noise)
    return tuple(found)


def _reasons(*corpora: Arms) -> tuple[str, ...]:
    return tuple(f"the blind arm on {one.corpus} is not verified" for one in corpora if one.exposed)


def _less(after: Means, before: Means) -> Means:
    return {of: after[of] - before[of] for of in after if of in before}


def _split(contrast: Means) -> Means:
    return {of: value for of, value in contrast.items() if of != TOTAL}


def _points(name: str, contrast: Means, noise: Noise, reason: str = "") -> Figure:
    return figure(name, contrast.get(TOTAL), noise=noise, by_dimension=_split(contrast), reason=reason)


def _share(name: str, value: float | None) -> Figure:
    return Figure(
        name=name,
        value=value,
        unit="share",
        reason="" if value is not None else "there is no gap to take it of, or a cell is not scored",
    )


def _in(genre: str) -> Callable[[GradedRow], bool]:
    return lambda row: row.question.genre == genre


def _of_category(name: str, *, inside: bool = True) -> Callable[[GradedRow], bool]:
    return lambda row: (row.question.category == name) is inside


def _genres_of(one: Arms, noise: Noise) -> Iterator[Design]:
    """Yield, for every two genres, what blind scores do from the first to the second."""
    for first, second in combinations(one.genres, 2):
        before, after = (one.profile(one.taken("", "blind", where=_in(g))) for g in (first, second))
        yield Design(
            design="genre",
            agent=one.agent,
            corpora=(one.corpus,),
            levels=(first, second),
            means={f"blind {first}": before[TOTAL], f"blind {second}": after[TOTAL]},
            figures=(_points("genre", _less(after, before), noise),),
            statement=f"from {first} to {second}, on one corpus: not told apart from these questions",
            reasons=_reasons(one),
        )


def _renames_of(one: Arms, noise: Noise) -> Iterator[Design]:
    """Yield what each rename does to the scores on one corpus, blind and sighted."""
    for condition in one.conditions:
        before, after = one.compared(condition, "blind")
        if not before:
            continue
        seen = one.compared(condition, "sighted")
        sighted = _points(
            "rename sighted",
            _less(seen[1], seen[0]),
            noise,
            reason="" if seen[0] else "no sighted answer to the same questions was scored",
        )
        means = {f"blind {PLAIN}": before[TOTAL], f"blind {condition}": after[TOTAL]}
        if seen[0]:
            means |= {f"sighted {PLAIN}": seen[0][TOTAL], f"sighted {condition}": seen[1][TOTAL]}
        yield Design(
            design="rename",
            agent=one.agent,
            corpora=(one.corpus,),
            levels=(PLAIN, condition),
            means=means,
            figures=(_points("rename", _less(after, before), noise), sighted),
            readable=sighted.within_noise,
            statement=ON_RECALL,
            reasons=(*_reasons(one), *_readability([sighted])),
        )


def _readability(sighted: Sequence[Figure]) -> Iterator[str]:
    """Say why a rename cannot be read as one of knowledge alone."""
    if any(one.within_noise is False for one in sighted):
        yield "the rename moved sighted scores beyond the noise: it may have broken the questions"
    elif any(one.within_noise is None for one in sighted):
        yield "whether the rename left the questions answerable is not known"


def _gap(high: Arms, low: Arms, noise: Noise) -> Iterator[Design]:
    """Yield the gap of two corpora as they are, and its strata by the questions' categories."""
    sides = [one.profile(one.taken("", "blind")) for one in (high, low)]
    if not all(sides):
        return
    categories = [
        {row.question.category for row in one.taken("", "blind") if row.question.category}
        for one in (high, low)
    ]
    within, without = {}, {}
    for name in sorted(categories[0] & categories[1]):
        within[name] = _between(high, low, _of_category(name))
        without[name] = _between(high, low, _of_category(name, inside=False))
    yield Design(
        design="corpus",
        agent=high.agent,
        corpora=(high.corpus, low.corpus),
        levels=(PLAIN,),
        means={f"{one.corpus} blind": mean[TOTAL] for one, mean in zip((high, low), sides, strict=True)},
        figures=(_points("gap", _less(sides[0], sides[1]), noise),),
        by_category={name: gap for name, gap in within.items() if gap is not None},
        without_category={name: gap for name, gap in without.items() if gap is not None},
        statement="different questions about different corpora: a gap alone names no cause",
        reasons=_reasons(high, low),
    )


def _between(high: Arms, low: Arms, where: Callable[[GradedRow], bool]) -> float | None:
    first, second = (one.mean("", "blind", where=where) for one in (high, low))
    return None if first is None or second is None else first - second


def _by_genre(high: Arms, low: Arms, noise: Noise) -> Iterator[Design]:
    """Yield, for every two genres that both corpora have, the swings and their interaction."""
    common = [genre for genre in high.genres if genre in low.genres]
    for first, second in combinations(common, 2):
        means = {
            (one.corpus, genre): one.mean("", "blind", where=_in(genre)) or 0.0
            for one in (high, low)
            for genre in (first, second)
        }
        pairs = [Pair(means[high.corpus, genre], means[low.corpus, genre]) for genre in (first, second)]
        yield Design(
            design="corpus × genre",
            agent=high.agent,
            corpora=(high.corpus, low.corpus),
            levels=(first, second),
            means={f"{corpus} blind {genre}": value for (corpus, genre), value in means.items()},
            figures=(
                figure(f"swing of {high.corpus}", pairs[0].high - pairs[1].high, noise=noise),
                figure(f"swing of {low.corpus}", pairs[0].low - pairs[1].low, noise=noise),
                figure("interaction", interaction(*pairs), noise=noise),
            ),
            statement=ON_GENRE,
            reasons=_reasons(high, low),
        )


def _by_rename(high: Arms, low: Arms, noise: Noise) -> Iterator[Design]:
    """Yield what each rename that both corpora have makes of their gap."""
    for condition in (name for name in high.conditions if name in low.conditions):
        blind = [one.compared(condition, "blind") for one in (high, low)]
        seen = [one.compared(condition, "sighted") for one in (high, low)]
        if not all(before for before, _ in blind):
            continue
        sighted = [
            _points(f"sighted effect on {one.corpus}", _less(after, before), noise)
            for one, (before, after) in zip((high, low), seen, strict=True)
        ]
        known = all(before for before, _ in seen)
        found = rename_figures(
            *_pairs(blind),
            **dict(zip(("sighted_before", "sighted_after"), _pairs(seen), strict=True)) if known else {},
        )
        named = zip((high, low), blind, seen, strict=True)
        yield Design(
            design="corpus × rename",
            agent=high.agent,
            corpora=(high.corpus, low.corpus),
            levels=(PLAIN, condition),
            means={name: value for row in named for name, value in _cells(*row, condition)},
            figures=(*_rename(high, low, blind, found, noise), *sighted),
            readable=None
            if any(one.within_noise is None for one in sighted)
            else all(one.within_noise for one in sighted),
            statement=ON_RECALL,
            reasons=(*_reasons(high, low), *_readability(sighted)),
        )


Compared = tuple[Means, Means]
"""Means as it is, and renamed."""


def _pairs(compared: Sequence[Compared]) -> tuple[Pair, Pair]:
    before, after = (Pair(*(one[when][TOTAL] for one in compared)) for when in (0, 1))
    return before, after


def _cells(one: Arms, blind: Compared, seen: Compared, condition: str) -> Iterator[tuple[str, float]]:
    for view, compared in (("blind", blind), ("sighted", seen)):
        for level, means in zip((PLAIN, condition), compared, strict=True):
            if means:
                yield f"{one.corpus} {view} {level}", means[TOTAL]


def _rename(
    high: Arms, low: Arms, blind: Sequence[Compared], found: RenameFigures, noise: Noise
) -> Iterator[Figure]:
    for one, (before, after) in zip((high, low), blind, strict=True):
        yield _points(f"effect on {one.corpus}", _less(after, before), noise)
    yield figure("differential", found.differential, noise=noise)
    yield figure("gap before", found.gap_before, noise=noise)
    yield figure("gap after", found.gap_after, noise=noise)
    yield _share("premium removed", found.premium_removed)
    yield _share("gap closed", found.gap_closed)
    yield figure("gap before against sighted", found.sighted_before, noise=noise)
    yield figure("gap after against sighted", found.sighted_after, noise=noise)
    yield figure("closed against sighted", found.sighted_closed_by, noise=noise)
    yield _share("gap closed against sighted", found.sighted_closed)
