"""Projects in a temporary folder, audited by a pytest of their own: files go in, a report comes out."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import pytest
from filelock import FileLock

import pytest_judgeaudit

STUDY = """
import pytest

@pytest.mark.clone_pairs("corpora/pairs.jsonl")
@pytest.mark.clone_gate(upper=0.05)
def test_exact_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs("corpora/pairs.jsonl")
@pytest.mark.utility_gate(lower=0.75)
def test_better_answer_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
"""Each task as an exact copy and as a signal pair, from one file: matched ids."""


# Settings of the surrounding run, which a pytest that a test starts would take for its own.
FOREIGN = ("BUILD_NUMBER", "CI", "GITHUB_STEP_SUMMARY", "PYTEST_")


def only(entries: Iterable[Mapping[str, Any]], **wanted: Any) -> Any:
    """The only entry with these values."""
    found = [entry for entry in entries if all(entry[key] == value for key, value in wanted.items())]
    assert len(found) == 1, f"{len(found)} entries match {wanted}"
    return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run left behind: its exit status, what it printed, its report."""

    code: int
    text: str
    report: Mapping[str, Any]

    def cell(self, **wanted: Any) -> Any:
        return only(self.report["cells"], **wanted)

    def gate(self, kind: str, **wanted: Any) -> Any:
        return only(self.report["gates"], kind=kind, **wanted)

    def verdicts(self, cell: Mapping[str, Any]) -> dict[str, dict[str, str]]:
        """The canonical winners of a cell by task and order."""
        found: dict[str, dict[str, str]] = {}
        for trial in self.report["trials"]:
            if trial["cell"] == cell["id"]:
                found.setdefault(trial["task"], {})[trial["order"]] = trial["winner"]
        return found

    def configuration(self, judge: str) -> Any:
        return only(self.report["configurations"], judge=judge)

    def label(self, **wanted: Any) -> str:
        return only(self.report["joint"], **wanted)["label"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project of a user's, in ``root``."""

    root: Path

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def jsonl(self, path: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self.write(path, "".join(json.dumps(row) + "\n" for row in rows))

    def judges(self, *tables: Mapping[str, Any]) -> None:
        """Write the configuration: one ``[[judge]]`` a table."""
        lines = [
            line
            for table in tables
            for line in ("[[judge]]", *(f"{key} = {toml(value)}" for key, value in table.items()), "")
        ]
        self.write("judgeaudit.toml", "\n".join(lines))

    def audit(self, *options: str) -> Run:
        """Run the audit and read its report."""
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--judge-audit", "--judge-report=report.json", *options],
            cwd=self.root,
            env={key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=900,
            check=False,
        )
        text = done.stdout + done.stderr
        assert report.exists(), f"no report (exit {done.returncode}):\n{text[-6000:]}"
        found = json.loads(report.read_text(encoding="utf-8"))
        assert (done.returncode, "Traceback" in text) == (found["exit"], False), text[-6000:]
        return Run(code=done.returncode, text=text, report=found)


Once = Callable[..., Run]


def toml(value: Any) -> str:
    """A value as TOML writes it: JSON but for tables."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(entry)}" for key, entry in value.items()) + " }"
    return json.dumps(value)


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Project]:
    """Return an empty project in a folder of that name."""
    return lambda name: Project(root=tmp_path_factory.mktemp(name))


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Once:
    """
    A run that serves all tests of a module, also when several workers share them.

    Called with a name, a builder that fills a project and audits it, and the name of another run whose
    project goes on.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "endtoend"

    def run(name: str, build: Callable[[Project], Run], *, after: str | None = None) -> Run:
        project, kept = Project(root=folder / (after or name)), folder / f"{name}.json"
        project.write("pytest.ini", "[pytest]\n")
        with FileLock(f"{kept}.lock"):
            if not kept.exists():
                kept.write_text(json.dumps(asdict(build(project))), encoding="ascii")
            return Run(**json.loads(kept.read_text(encoding="ascii")))

    return run


@pytest.fixture(scope="session")
def audited(once: Once) -> Callable[..., Run]:
    """Audit recorded judges on matched copies and signal pairs, with the tests of ``STUDY``."""

    def run(name: str, pairs: list[Any], rows: list[Any], *judges: Mapping[str, Any]) -> Run:
        def build(project: Project) -> Run:
            project.jsonl("corpora/pairs.jsonl", pairs)
            project.jsonl("verdicts.jsonl", rows)
            project.write("evals/test_study.py", STUDY)
            project.judges(*judges)
            return project.audit()

        return once(name, build)

    return run


def _loaded(name: str) -> ModuleType:
    """A module of this folder; it lies on no import path."""
    file = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"{name}_for_endtoend", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def logs() -> ModuleType:
    """The module ``logs.py``: published counts in, pair files and verdict logs out."""
    return _loaded("logs")


@pytest.fixture(scope="session")
def oracles() -> ModuleType:
    """The module ``oracles.py``: every bound once more, from its definition and by other means."""
    return _loaded("oracles")


@pytest.fixture(scope="session")
def scripted() -> ModuleType:
    """The module ``scripted.py``: projects with questions, and what their agents and judges say."""
    return _loaded("scripted")


@pytest.fixture(scope="session")
def _imported() -> None:
    """Import what runs in this process need: pytester forgets modules that were first imported in one."""
    importlib.import_module("scipy.special")
    for found in pkgutil.walk_packages(pytest_judgeaudit.__path__, "pytest_judgeaudit."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)


@pytest.fixture
def library(
    scripted: ModuleType,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    _imported: None,
) -> Iterator[Any]:
    """A project with a corpus and one reader, served by a chat server of its own."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with scripted.Chat() as chat:
        thread = Thread(target=chat.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield scripted.Library(pytester=pytester, chat=chat).start()
        chat.shutdown()
        thread.join()
