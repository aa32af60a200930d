"""The maker of plans and trials, for the tests of this folder."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[1] / "audit" / "studies.py"


@pytest.fixture(scope="session")
def studies() -> ModuleType:
    """The module ``tests/audit/studies.py``; it lies on no import path."""
    spec = importlib.util.spec_from_file_location("studies_for_audit", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
