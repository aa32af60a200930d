"""The package's public names: sorted, importable, and loaded only when used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_judgeaudit import stats

PUBLIC = [
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


def test_public_names_are_sorted_complete_and_callable():
    assert stats.__all__ == PUBLIC
    assert all(callable(getattr(stats, name)) for name in PUBLIC)
    assert set(PUBLIC) <= set(dir(stats))


EVERY_MODULE = """
import importlib, pkgutil, sys
from pytest_judgeaudit import stats
for module in pkgutil.iter_modules(stats.__path__):
    importlib.import_module(f"{stats.__name__}.{module.name}")
"""


def test_importing_every_module_leaves_the_functions_in_place():
    assert (
        _run(EVERY_MODULE + "print(all(callable(getattr(stats, name)) for name in stats.__all__))")
        == "True"
    )


def test_no_statistic_loads_scipy_stats():
    assert _run(EVERY_MODULE + "print('scipy.stats' in sys.modules)") == "False"


def test_importing_the_package_alone_loads_neither_numpy_nor_scipy():
    heavy = "print(sorted({'numpy', 'scipy', 'statsmodels'} & set(sys.modules)))"
    assert _run(f"import sys, pytest_judgeaudit.stats; {heavy}") == "[]"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'mean'"):
        _ = stats.mean


def _run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return done.stdout.strip()
