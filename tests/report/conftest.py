"""Makers of plans, trials and whole reports, for the tests of this folder."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def _loaded(file: Path, name: str) -> ModuleType:
    """A module that lies on no import path."""
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def studies() -> ModuleType:
    """The module ``tests/audit/studies.py``."""
    return _loaded(HERE.parent / "audit" / "studies.py", "studies_for_report")


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """The module ``tests/report/samples.py``; without the extra ``report`` its tests are skipped."""
    pytest.importorskip("jinja2", reason="the extra report is not installed")
    pytest.importorskip("matplotlib", reason="the extra report is not installed")
    return _loaded(HERE / "samples.py", "samples_for_report")


@pytest.fixture(scope="session")
def page(studies, samples):
    """A page with every section."""
    return samples.with_everything(samples.page(studies))
