"""Guards for the arguments of statistics, each worded once; a caller's mistake is a one-line ValueError."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Integral


def check_whole(name: str, value: object, *, least: int) -> None:
    """Refuse anything but an integer from ``least`` upwards."""
    if not isinstance(value, Integral) or int(value) < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")


def check_counts(name: str, count: object, n: int) -> None:
    """Refuse a number of trials below 1 and a count outside of 0 to n."""
    check_whole("n", n, least=1)
    if not isinstance(count, Integral) or not 0 <= int(count) <= n:
        raise ValueError(f"{name} must be an integer from 0 to n = {n}, got {count!r}")


def check_level(name: str, value: float) -> None:
    """Refuse a level that is not strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value!r}; write 0.95 for 95 %")


def check_rate(name: str, value: float) -> None:
    """Refuse a rate outside of [0, 1], and one that is not a number."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}")


def check_finite(name: str, value: float) -> None:
    """Refuse infinities and what is not a number."""
    if not isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")


def check_weights(weights: Mapping[str, float], strata: Mapping[str, object]) -> None:
    """Refuse weights that do not name the strata, one each, or do not sum to 1."""
    if odd := sorted(set(weights) ^ set(strata)):
        raise ValueError(f"weights must name every stratum once; these differ: {', '.join(map(repr, odd))}")
    for name, weight in weights.items():
        check_rate(f"the weight of {name!r}", weight)
    if abs(sum(weights.values()) - 1) > 1e-9:
        raise ValueError(f"weights must sum to 1, got {sum(weights.values()):.6g}")
