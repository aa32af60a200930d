"""
Statistics of an audit: pure functions of numbers, data first and positional, the rest by name.

Nothing is imported before a name is used: numpy and scipy cost a plain pytest run nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_judgeaudit.records.lazily import lazily

if TYPE_CHECKING:
    from pytest_judgeaudit.stats.bootstrap import bootstrap_lower
    from pytest_judgeaudit.stats.bounds import clopper_pearson_lower, clopper_pearson_upper
    from pytest_judgeaudit.stats.context import context_audit
    from pytest_judgeaudit.stats.families import holm
    from pytest_judgeaudit.stats.floor import floor_adjusted
    from pytest_judgeaudit.stats.patterns import order_patterns
    from pytest_judgeaudit.stats.planning import minimum_n
    from pytest_judgeaudit.stats.randomization import randomization_p
    from pytest_judgeaudit.stats.risk import risk_grid

__all__ = [
    "bootstrap_lower",
    "clopper_pearson_lower",
    "clopper_pearson_upper",
    "context_audit",
    "floor_adjusted",
    "holm",
    "minimum_n",
    "order_patterns",
    "randomization_p",
    "risk_grid",
]

_HOMES = {
    "bootstrap_lower": "bootstrap",
    "clopper_pearson_lower": "bounds",
    "clopper_pearson_upper": "bounds",
    "context_audit": "context",
    "floor_adjusted": "floor",
    "holm": "families",
    "minimum_n": "planning",
    "order_patterns": "patterns",
    "randomization_p": "randomization",
    "risk_grid": "risk",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
