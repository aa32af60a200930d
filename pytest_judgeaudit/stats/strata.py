"""Strata of task scores: read once, in one order, and merged where a stratum has a single task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Strata: TypeAlias = Mapping[str, Sequence[float]]
Scores: TypeAlias = NDArray[np.float64]

SINGLETONS = "(singletons)"


def read_strata(strata: Strata) -> dict[str, Scores]:
    """
    Return the strata sorted by name with their scores sorted, so that no result depends on an order.

    Raises ValueError when there is no stratum, when one is empty, and for scores that are no finite
    numbers.
    """
    if not strata:
        raise ValueError("strata must hold at least one stratum of scores, got none")
    return {name: _scores(name, strata[name]) for name in sorted(strata)}


def _scores(name: str, values: Sequence[float]) -> Scores:
    try:
        scores = np.sort(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        scores = np.array([np.nan])
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise ValueError(f"stratum {name!r} must hold a flat sequence of finite numbers")
    if not scores.size:
        raise ValueError(f"stratum {name!r} must hold at least one score, got none")
    return scores


class MergedStrata(NamedTuple):
    """Strata in which nothing stands alone, and what was merged: old names to new ones."""

    strata: dict[str, list[float]]
    merged: dict[str, str]


def merged_strata(strata: Strata) -> MergedStrata:
    """
    Merge strata of one task, which have no variance of their own, into one stratum ``(singletons)``.

    If only one task stands alone it joins the smallest other stratum (the first by name among equals); a
    single task in all stays as it is. The order of the strata is kept. Raises ValueError as
    :func:`read_strata` does.

    >>> strata, merged = merged_strata({"a": [1.0, 0.5], "b": [1.0], "c": [0.0]})
    >>> strata, merged
    ({'a': [1.0, 0.5], '(singletons)': [1.0, 0.0]}, {'b': '(singletons)', 'c': '(singletons)'})
    """
    read_strata(strata)
    alone = [name for name, scores in strata.items() if len(scores) == 1]
    others = {name: list(scores) for name, scores in strata.items() if len(scores) > 1}
    if not alone or len(strata) == 1:
        return MergedStrata({name: list(scores) for name, scores in strata.items()}, {})
    home = SINGLETONS
    if len(alone) == 1 and SINGLETONS not in others:
        home = min(others, key=lambda name: (len(others[name]), name))
    others.setdefault(home, []).extend(strata[name][0] for name in alone)
    return MergedStrata(others, dict.fromkeys(alone, home))
