"""Expected losses of judges under declared losses: an illustration of consequences, not a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TypedDict

import numpy as np

from pytest_judgeaudit.stats._checks import check_finite, check_rate
from pytest_judgeaudit.stats.strata import Scores

ARM_RATES: Mapping[str, tuple[str, ...]] = {
    "clone": ("dark_current", "invalid_clone"),
    "signal": ("wrong", "tie", "invalid_signal"),
    "equivalent": ("efp", "invalid_equivalent"),
}
"""By arm, the rates that its tasks bring."""

RATES = ("dark_current", "invalid_clone", "wrong", "tie", "invalid_signal")
EQUIVALENCE = ("efp", "invalid_equivalent")
LOSSES = ("pi_c", "lambda_c", "lambda_w", "lambda_t", "lambda_i")
OPTIONAL = {"pi_e": 0.0, "lambda_e": 0.0}

Rates = Mapping[str, float]
Losses = Mapping[str, float]

ArmTasks = Mapping[str, Sequence[Sequence[float]]]
"""
One arm's tasks by stratum: for each task its rates, those of :data:`ARM_RATES` of the first cell, then of
the second, and so on.
"""


class Scenario(TypedDict):
    """One scenario of the grid: its losses, each cell's risk, and the cells with the lowest."""

    pi_c: float
    pi_e: float
    lambda_c: float
    lambda_e: float
    lambda_w: float
    lambda_t: float
    lambda_i: float
    risk: dict[str, float]
    cheapest: list[str]


def source_grid() -> list[dict[str, float]]:
    """
    Return the source's 96 scenarios, which it chose after its outcomes, as an illustration.

    π_c ∈ {0, .01, .05}, λ_c ∈ {.5, 1, 2, 5}, λ_W = 1, λ_T ∈ {.1, .25, .5, 1}, λ_I ∈ {1, 5}.

    >>> len(source_grid()), source_grid()[0]
    (96, {'pi_c': 0.0, 'lambda_c': 0.5, 'lambda_w': 1.0, 'lambda_t': 0.1, 'lambda_i': 1.0})
    """
    axes = ((0.0, 0.01, 0.05), (0.5, 1.0, 2.0, 5.0), (1.0,), (0.1, 0.25, 0.5, 1.0), (1.0, 5.0))
    return [dict(zip(LOSSES, point, strict=True)) for point in product(*axes)]


def risk_grid(cells: Mapping[str, Rates], *, scenarios: Sequence[Losses] | None = None) -> list[Scenario]:
    """
    Compute the expected loss of each cell in each scenario, and which cells have the lowest.

    A cell maps ``dark_current``, ``invalid_clone``, ``wrong``, ``tie`` and ``invalid_signal`` to rates over
    *scheduled* units; cells on HOLD are left out by the caller. Its risk is π_c{λ_c·DC + λ_I·P(inv|clone)}
    + (1 − π_c − π_e){λ_W·P(wrong) + λ_T·P(tie) + λ_I·P(inv|signal)} + π_e{λ_e·EFP + λ_I·P(inv|e)}. The
    last term needs a certified equivalence stratum, with ``efp`` and ``invalid_equivalent`` of every cell,
    and is absent otherwise. ``scenarios`` map ``pi_c``, ``lambda_c``, ``lambda_w``, ``lambda_t`` and
    ``lambda_i``, and optionally ``pi_e`` and ``lambda_e``, to numbers; the default is :func:`source_grid`.

    Ties for the lowest are listed together: lowest expected loss under these losses, with no uncertainty
    attached. Raises ValueError for a missing or unknown key, and for impossible rates or losses.

    Two published neutral cells of 204 signal calls each, where ties cost as much as wrong choices:

    >>> valid = {"invalid_clone": 0, "invalid_signal": 0}
    >>> qwen = {"dark_current": 0, "wrong": 18 / 204, "tie": 1 / 204, **valid}
    >>> gpt = {"dark_current": 2 / 102, "wrong": 10 / 204, "tie": 12 / 204, **valid}
    >>> losses = {"pi_c": 0, "lambda_c": 1, "lambda_w": 1, "lambda_t": 1, "lambda_i": 1}
    >>> [found] = risk_grid({"Qwen3.8": qwen, "gpt-oss": gpt}, scenarios=[losses])
    >>> {name: round(risk, 4) for name, risk in found["risk"].items()}, found["cheapest"]
    ({'Qwen3.8': 0.0931, 'gpt-oss': 0.1078}, ['Qwen3.8'])
    """
    for name, rates in cells.items():
        _check_cell(name, rates)
    chosen = source_grid() if scenarios is None else [dict(losses) for losses in scenarios]
    for losses in chosen:
        _check_losses(losses)
    return [_scenario(cells, {**OPTIONAL, **losses}) for losses in chosen]


def _check_cell(name: str, rates: Rates) -> None:
    if missing := [key for key in RATES if key not in rates]:
        raise ValueError(f"cell {name!r} must state {', '.join(RATES)}; {', '.join(missing)} is missing")
    if unknown := sorted(set(rates) - {*RATES, *EQUIVALENCE}):
        raise ValueError(
            f"cell {name!r}: unknown rate {unknown[0]!r}; there are {', '.join(RATES + EQUIVALENCE)}"
        )
    for key, rate in rates.items():
        check_rate(f"{key} of cell {name!r}", rate)


def _check_losses(losses: Losses) -> None:
    names = (*LOSSES, *OPTIONAL)
    if missing := [key for key in LOSSES if key not in losses]:
        raise ValueError(f"a scenario must state {', '.join(LOSSES)}; {', '.join(missing)} is missing")
    if unknown := sorted(set(losses) - set(names)):
        raise ValueError(f"unknown loss {unknown[0]!r} in a scenario; there are {', '.join(names)}")
    for key, value in losses.items():
        check_finite(key, value)
        if value < 0:
            raise ValueError(f"{key} must not be negative, got {value!r}")
    shares = losses["pi_c"] + losses.get("pi_e", 0.0)
    if shares > 1:
        raise ValueError(f"pi_c and pi_e are shares of one whole, got {shares!r} together")


def _scenario(cells: Mapping[str, Rates], losses: Losses) -> Scenario:
    risks = {name: expected_loss(rates, losses) for name, rates in cells.items()}
    lowest = min(risks.values(), default=0.0)
    return Scenario(
        pi_c=losses["pi_c"],
        pi_e=losses["pi_e"],
        lambda_c=losses["lambda_c"],
        lambda_e=losses["lambda_e"],
        lambda_w=losses["lambda_w"],
        lambda_t=losses["lambda_t"],
        lambda_i=losses["lambda_i"],
        risk=risks,
        # Rates that differ by rounding alone tie.
        cheapest=[name for name, risk in risks.items() if risk <= lowest + 1e-12],
    )


def expected_loss(rates: Rates, losses: Losses) -> float:
    """Return the risk of one cell under one scenario, by the formula of :func:`risk_grid`."""
    pi_c, pi_e, invalid = losses["pi_c"], losses.get("pi_e", 0.0), losses["lambda_i"]
    clone = losses["lambda_c"] * rates["dark_current"] + invalid * rates["invalid_clone"]
    signal = losses["lambda_w"] * rates["wrong"] + losses["lambda_t"] * rates["tie"]
    signal += invalid * rates["invalid_signal"]
    risk = pi_c * clone + (1 - pi_c - pi_e) * signal
    if not pi_e:
        return risk
    if "efp" not in rates or "invalid_equivalent" not in rates:
        raise ValueError("a scenario with pi_e above 0 needs efp and invalid_equivalent of every cell")
    return risk + pi_e * (losses["lambda_e"] * rates["efp"] + invalid * rates["invalid_equivalent"])


def risk_agreement(
    arms: Mapping[str, ArmTasks],
    cells: Sequence[str],
    *,
    scenarios: Sequence[Losses],
    draws: int = 2000,
    seed: int = 0,
) -> list[float]:
    """
    Return, for each scenario, the share of task-bootstrap replicates in which the same cells are cheapest.

    ``arms`` holds ``clone``, ``signal`` and optionally ``equivalent`` tasks (:data:`ArmTasks`), with the
    rates of ``cells`` in that order. A replicate draws each stratum's tasks with replacement, its number
    kept; all cells are judged on the same drawn tasks. Cells tie where their risks differ by less than
    1e-12; a replicate agrees if exactly the cells that are cheapest in the data are cheapest in it. Raises
    ValueError where the rows do not fit, or a scenario needs an arm that is not there.
    """
    rng = np.random.default_rng(seed)
    weights = np.array([_weights({**OPTIONAL, **losses}) for losses in scenarios])
    means: list[tuple[Scores, Scores]] = []
    column = 0
    for arm, names in ARM_RATES.items():
        own = weights[:, column : column + len(names)]
        column += len(names)
        if arm in arms:
            found = _arm_means(arms[arm], len(cells) * len(names), draws=draws, rng=rng)
            means.append((found.reshape(draws + 1, len(cells), len(names)), own))
        elif own.any():
            raise ValueError(f"a scenario gives weight to {arm} tasks, and there are none")
    # One scenario at a time: the risks of all of them together are most of what an analysis holds.
    shape = (draws + 1, len(cells))
    return [
        _agreement(sum((rates @ own[number] for rates, own in means), start=np.zeros(shape)))
        for number in range(len(scenarios))
    ]


def _agreement(risks: Scores) -> float:
    """Return the share of later rows whose lowest risks are in the same columns as those of the first."""
    cheapest = risks <= risks.min(axis=1, keepdims=True) + 1e-12
    return float((cheapest[1:] == cheapest[0]).all(axis=1).mean())


def _weights(losses: Losses) -> list[float]:
    """Return what one unit of each rate costs, in the order of :data:`ARM_RATES`."""
    pi_c, pi_e, invalid = losses["pi_c"], losses["pi_e"], losses["lambda_i"]
    signal = 1 - pi_c - pi_e
    return [
        pi_c * losses["lambda_c"],
        pi_c * invalid,
        signal * losses["lambda_w"],
        signal * losses["lambda_t"],
        signal * invalid,
        pi_e * losses["lambda_e"],
        pi_e * invalid,
    ]


def _arm_means(strata: ArmTasks, width: int, *, draws: int, rng: np.random.Generator) -> Scores:
    """Return the mean rates of an arm: the data's in row 0, then one row a replicate."""
    total = np.zeros((draws + 1, width))
    count = 0
    for name in sorted(strata):
        rows = np.asarray(strata[name], dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(f"every task of stratum {name!r} must hold {width} rates")
        # Tasks of one profile are exchangeable, and there are few profiles.
        profiles, times = np.unique(rows, axis=0, return_counts=True)
        drawn = rng.multinomial(len(rows), times / len(rows), size=draws)
        total[0] += times @ profiles
        total[1:] += drawn @ profiles
        count += len(rows)
    if not count:
        raise ValueError("an arm must hold at least one task")
    return total / count
