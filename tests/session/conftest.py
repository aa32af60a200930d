"""Projects of a user's, run by a pytest of their own with few plug-ins: it starts in half the time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CLONES = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate(upper=0.05)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie
"""
"""An eval of 60 exact copies: 0 adverse passes, 1 misses (1 - 0.05^(1/60) = 4.87 %, then 7.66 %)."""

SIGNAL = """
import pytest

@pytest.mark.signal_pairs("corpora/rows.jsonl")
@pytest.mark.utility_gate(lower=0.75)
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
FOREIGN = ("BUILD_NUMBER", "CI", "GITHUB_STEP_SUMMARY", "PYTEST_")
PLUGINS = ("judgeaudit", "xdist", "syrupy")
EVAL = "evals/test_e.py"


def rows(count: int) -> str:
    """Pairs c001, c002, …: the better answer is the longer one."""
    made = (
        {"id": f"c{i:03}", "prompt": f"Ask {i}", "chosen": f"good {i} and more", "rejected": f"bad {i}"}
        for i in range(1, count + 1)
    )
    return "".join(json.dumps(row) + "\n" for row in made)


def table(name: str, **keys: Any) -> str:
    """A ``[[judge]]`` table; an embedded judge of the same name unless told otherwise."""
    keys = {"name": name, "family": name, "api": "embedded", "model": name, **keys}
    return "[[judge]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in keys.items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + " }"
    return json.dumps(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run: exit status, what it wrote to its two streams, and the report if there is one."""

    code: int
    out: str
    err: str
    report: Mapping[str, Any]

    @property
    def last(self) -> str:
        """The closing line."""
        return self.out.strip().splitlines()[-1].strip("= ")

    @property
    def errors(self) -> list[str]:
        """The usage errors, as pytest shows them."""
        lines = [line for line in self.err.splitlines() if line]
        assert all(line.startswith("ERROR: ") for line in lines), self.err
        return [line.removeprefix("ERROR: ") for line in lines]

    def gate(self, kind: str = "clone_gate") -> Any:
        """The only gate of a kind."""
        (found,) = (gate for gate in self.report["gates"] if gate["kind"] == kind)
        return found

    def states(self) -> dict[str, str]:
        """The state of each gate by the last part of its id."""
        return {gate["id"].rpartition("::")[2]: gate["state"] for gate in self.report["gates"]}

    def gate_of(self, test: str) -> Any:
        """The only gate of a test."""
        (found,) = (gate for gate in self.report["gates"] if gate["eval"].endswith(f"::{test}"))
        return found

    def finding(self, code: str) -> Any:
        """The only finding of a code."""
        (found,) = (one for one in self.report["findings"] if one["code"] == code)
        return found


class Project:
    """A user's project: 60 pairs and one judge, which calls copies a tie and prefers the better answer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("pytest.ini", "[pytest]\n")
        self.pairs(60)
        self.judges(longest={})

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def pairs(self, count: int) -> None:
        """Write pairs c001, c002, …"""
        self.write("corpora/rows.jsonl", rows(count))

    def judges(self, **named: Mapping[str, Any]) -> None:
        """Write the configuration."""
        self.write("judgeaudit.toml", "".join(table(name, **keys) for name, keys in named.items()))

    def evals(self, text: str = CLONES, *, body: str = "", marks: str = "", takes: str = "") -> None:
        """Write the eval: lines before its assertion, markers, and further arguments."""
        text = text.replace("@pytest.mark.clone_gate", f"{marks}\n@pytest.mark.clone_gate")
        text = text.replace("(judge, pair):\n", f"(judge, pair{takes}):\n{body}")
        self.write(EVAL, text)

    def command(self, *options: str, plugins: Sequence[str] = PLUGINS, warn: bool = False) -> list[str]:
        """Return the command of a run with these plug-ins."""
        chosen = [word for name in plugins for word in ("-p", name)]
        return [sys.executable, "-m", "pytest", *chosen, *([] if warn else ["-W", "error"]), *options]

    def run(
        self,
        *options: str,
        plugins: Sequence[str] = PLUGINS,
        warn: bool = False,
        columns: int = 80,
    ) -> Ran:
        """Run pytest. It may show no traceback of ours, and warn of nothing unless ``warn``."""
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        done = subprocess.run(
            self.command(*options, plugins=plugins, warn=warn),
            cwd=self.root,
            env={
                **{key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)},
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "COLUMNS": str(columns),
            },
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=600,
            check=False,
        )
        assert "INTERNALERROR" not in done.stdout + done.stderr
        assert "pytest_judgeaudit/" not in done.stdout + done.stderr, "a traceback of ours"
        found = json.loads(report.read_text("ascii")) if report.exists() else {}
        return Ran(code=done.returncode, out=done.stdout, err=done.stderr, report=found)

    def audit(self, *options: str, **how: Any) -> Ran:
        """Run the audit, with a report whose exit status is that of the run."""
        ran = self.run("--judge-audit", "--judge-report=report.json", *options, **how)
        assert not ran.report or ran.report["exit"] == ran.code
        return ran

    def files(self) -> set[str]:
        """All files, but for caches."""
        found = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return {str(path) for path in found if not {"__pycache__", ".pytest_cache"} & set(path.parts)}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project for one test."""
    return Project(tmp_path)


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Project]:
    """Return a new project, for a run that several tests look at."""
    return lambda: Project(tmp_path_factory.mktemp("project"))
