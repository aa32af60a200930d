"""Adjustment of a family of p-values (Holm, Scandinavian Journal of Statistics 6, 1979)."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_judgeaudit.stats._checks import check_rate


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """
    Adjust a family of p-values so that any false rejection in it is rarer than the level.

    Valid under any dependence between the members. Equal p-values share an adjusted value; the order of
    the mapping is kept and does not matter. Members that could not be measured belong in the family with
    p = 1: dropping them would reward a failed campaign. Raises ValueError for a p outside of [0, 1].

    The published family of four cells with 102 tasks, one of which has two adverse:

    >>> adjusted = holm({"a": 0.005343, "b": 0.005343, "c": 0.11027, "d": 0.005343})
    >>> {name: round(p, 4) for name, p in adjusted.items()}
    {'a': 0.0214, 'b': 0.0214, 'c': 0.1103, 'd': 0.0214}
    """
    for name, p in p_values.items():
        check_rate(f"the p-value of {name!r}", p)
    adjusted, floor = {}, 0.0
    for rank, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = floor
    return {name: adjusted[name] for name in p_values}
