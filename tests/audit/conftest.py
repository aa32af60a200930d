"""The makers of plans, trials and graded rows, for the tests of this folder."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{name}_for_audit", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def studies() -> ModuleType:
    """The module ``tests/audit/studies.py``; it lies on no import path."""
    return _loaded("studies")


@pytest.fixture(scope="session")
def rubric() -> ModuleType:
    """The module ``tests/audit/rubric_rows.py``; it lies on no import path."""
    return _loaded("rubric_rows")


@pytest.fixture(scope="session")
def answers() -> ModuleType:
    """The module ``tests/audit/answer_trials.py``; it lies on no import path."""
    return _loaded("answer_trials")
