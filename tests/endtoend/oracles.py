"""Every bound once more: scipy.stats, statsmodels and plain convolution instead of the package's ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

Strata = Mapping[str, Sequence[float]]


def upper(adverse: int, n: int, *, confidence: float = 0.95) -> float:
    """The one-sided Clopper–Pearson upper bound, by inverting the binomial test."""
    test = stats.binomtest(adverse, n, alternative="less")
    return float(test.proportion_ci(confidence, method="exact").high)


def tail(adverse: int, n: int, *, rate: float = 0.05) -> float:
    """P(Bin(n, rate) ≤ adverse)."""
    return float(stats.binomtest(adverse, n, rate, alternative="less").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given."""
    return multipletests(p_values, method="holm")[1].tolist()


def scores(counts: Sequence[tuple[int, int, int]], names: Sequence[str]) -> dict[str, list[float]]:
    """Strata of task scores from counts of tasks with score 0, ½ and 1."""
    return {
        name: [0.0] * none + [0.5] * half + [1.0] * both
        for name, (none, half, both) in zip(names, counts, strict=True)
    }


def bootstrap_lower(strata: Strata, *, level: float = 0.05) -> float:
    """The smallest stratified bootstrap mean whose cumulative probability reaches the level."""
    mass, tasks = np.ones(1), 0
    for values in strata.values():
        weights = np.bincount([round(2 * value) for value in values], minlength=3) / len(values)
        for _ in values:
            mass = np.convolve(mass, weights)
        tasks += len(values)
    return int(np.argmax(np.cumsum(mass) >= level - 1e-9)) / (2 * tasks)


def checked_lower(strata: Strata, *, orders: int = 2, confidence: float = 0.95) -> float:
    """The Korn–Graubard bound as RULES R10 writes it, for at least 20 tasks in strata of two or more."""
    tasks = sum(map(len, strata.values()))
    share = {name: len(values) / tasks for name, values in strata.items()}
    mean = sum(share[name] * np.mean(values) for name, values in strata.items())
    variance = sum(share[name] ** 2 * np.var(v, ddof=1) / len(v) for name, v in strata.items())
    freedom = stats.t.ppf(confidence, tasks - 1) / stats.t.ppf(confidence, tasks - len(strata))
    effective = (mean * (1 - mean) / variance if variance else tasks) * freedom**2
    effective = min(max(effective, 1), tasks * orders)
    return float(stats.beta.ppf(1 - confidence, effective * mean, effective * (1 - mean) + 1))


def printed(value: float, as_published: str) -> bool:
    """Whether a figure, rounded to as many decimals, is the published one: ``printed(0.8235, ".824")``."""
    decimals = len(as_published.rpartition(".")[2])
    return float(f"{value:.{decimals}f}") == float(as_published)
