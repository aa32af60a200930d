"""Each module imports alone under ``-W error``, and the entry point is light."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_judgeaudit"
HEAVY = {"numpy", "scipy", "httpx", "pydantic", "syrupy", "tomli", "regex"}
BUDGET = 30

# Forgets our modules between imports, so that each one finds none of its siblings loaded; what is not ours
# stays loaded, which makes one process a folder enough.
ALONE = """
import importlib, json, sys, traceback
failed = {}
for name in sys.argv[1:]:
    for loaded in [n for n in sys.modules if n.partition(".")[0] == "pytest_judgeaudit"]:
        del sys.modules[loaded]
    try:
        importlib.import_module(name)
    except BaseException:
        failed[name] = traceback.format_exc(limit=-2)
sys.stdout.write(json.dumps(failed))
"""
LOADED = """
import json, sys
{statement}
sys.stdout.write(json.dumps(sorted(sys.modules)))
"""
PLUGIN = LOADED.format(statement="import pytest_judgeaudit.plugin")
STAR = LOADED.format(statement="from pytest_judgeaudit import *")


def modules() -> dict[str, list[str]]:
    """Top-level folder or module -> the full names of its modules."""
    groups: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        groups.setdefault(parts[1] if len(parts) > 2 else "", []).append(name)
    return groups


MODULES = modules()


def fresh(script: str, *arguments: str) -> object:
    """Run a script in an interpreter of its own, in which every warning is an error; its JSON output."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("folder", MODULES, ids=lambda folder: folder or "top")
def test_every_module_imports_alone(folder):
    assert fresh(ALONE, *MODULES[folder]) == {}


def test_the_entry_point_brings_in_nothing_heavy_and_little_of_ours():
    loaded = fresh(PLUGIN)
    ours = [name for name in loaded if name.partition(".")[0] == "pytest_judgeaudit"]
    assert HEAVY.isdisjoint(loaded)
    assert len(ours) <= BUDGET, ours


def test_every_source_compiles_without_a_warning():
    # A warning of the compiler is not repeated when the module comes from its cache.
    for file in sorted(PACKAGE.rglob("*.py")):
        compile(file.read_text(encoding="utf-8"), str(file), "exec", dont_inherit=True)


@pytest.mark.parametrize("folder", MODULES, ids=lambda folder: folder or "top")
def test_public_names_are_sorted_and_importable(folder):
    for name in MODULES[folder]:
        module = importlib.import_module(name)
        public = list(getattr(module, "__all__", ()))
        assert public == sorted(set(public)), name
        assert [missing for missing in public if not hasattr(module, missing)] == [], name


def test_a_star_import_works_and_stays_light():
    loaded = fresh(STAR)
    assert HEAVY.isdisjoint(loaded)
