"""The plug-in as every pytest in its environment has it: installed, and mostly unused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Every file that is opened and every socket that is made, and what is loaded at the end.
CONFTEST = """
import json
import sys
from pathlib import Path

seen = {"open": [], "socket": 0}

def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        seen["open"].append(arguments[0])
    elif event == "socket.__new__":
        seen["socket"] += 1

sys.addaudithook(watch)

def pytest_unconfigure():
    Path("seen.json").write_text(json.dumps({**seen, "modules": sorted(sys.modules)}))
"""
PLAIN = "def test_plain(tmp_path):\n    assert tmp_path\n"
EVAL = """
import pytest

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.rate_gate(lower=0.5)
@pytest.mark.parametrize("value", [1, 2])
def test_rate(value):
    raise OSError("it ran")
"""
LIGHT = ("hookspecs", "plugin", "session.fixtures", "session.marking", "session.options", "session.unused")


class Project:
    """A project with one plain test, and an eval whose source and configuration are broken."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers -p no:cacheprovider\n")
        (root / "conftest.py").write_text(CONFTEST)
        (root / "test_plain.py").write_text(PLAIN)

    def with_evals(self):
        for name in ("evals", "corpora"):
            (self.root / name).mkdir()
        (self.root / "evals/test_e.py").write_text(EVAL)
        (self.root / "corpora/rows.jsonl").write_text("{no JSON\n")
        (self.root / "judgeaudit.toml").write_text("no TOML\n")

    def run(self, *options):
        """Run pytest with every plug-in that is installed."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-W", "error", *options],
            cwd=self.root,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        seen = self.root / "seen.json"
        found = json.loads(seen.read_text()) if seen.exists() else {}
        seen.unlink(missing_ok=True)
        return done, found

    def files(self):
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))


@pytest.fixture(scope="module")
def unused(tmp_path_factory):
    """What a run of a plain test saw with the plug-in, and without it."""
    project = Project(tmp_path_factory.mktemp("unused"))
    before = project.files()
    runs = [project.run(), project.run("-p", "no:judgeaudit")]
    assert project.files() == before, "a run leaves nothing behind"
    return runs


def test_unused_it_loads_nothing_but_its_door(unused):
    (_, loaded), (_, without) = unused
    new = set(loaded["modules"]) - set(without["modules"])
    ours = {name for name in new if name.partition(".")[0] == "pytest_judgeaudit"}
    foreign = {name.partition(".")[0] for name in new - ours}
    assert foreign <= sys.stdlib_module_names
    assert not any(name.startswith("pytest_judgeaudit") for name in without["modules"])
    doors = tuple(f"pytest_judgeaudit.{name}" for name in LIGHT)
    assert {n for n in ours if not n.startswith(doors)} <= {
        "pytest_judgeaudit",
        "pytest_judgeaudit.session",
    }


def test_unused_it_says_nothing_and_opens_no_socket(unused):
    (ran, seen), (without, _) = unused
    assert (ran.returncode, without.returncode, seen["socket"]) == (0, 0, 0)
    lines, plain = (done.stdout.splitlines() for done in (ran, without))
    shown = [line for line, other in zip(lines, plain, strict=True) if line != other]
    assert [line for line in shown if "plugins: " not in line and " passed in " not in line] == []
    assert (ran.stderr, without.stderr) == ("", "")


@pytest.fixture(scope="module")
def skipped(tmp_path_factory):
    """What a plain run saw of a project with evals."""
    project = Project(tmp_path_factory.mktemp("skipped"))
    project.with_evals()
    before = project.files()
    ran = project.run("-rs", "-v")
    assert project.files() == before
    return ran


def test_an_eval_is_skipped_and_says_how_to_run_it(skipped):
    done, _ = skipped
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].strip("= ").startswith("1 passed, 3 skipped in ")
    assert "evals/test_e.py::test_copies_tie[skipped] SKIPPED (an eval: run it with" in done.stdout
    assert "SKIPPED [1] evals/test_e.py:4: an eval: run it with --judge-audit" in done.stdout


def test_neither_source_nor_configuration_of_a_skipped_eval_is_read(skipped):
    _, seen = skipped
    opened = {Path(name).name for name in seen["open"]}
    assert "test_e.py" in opened
    assert not {"rows.jsonl", "judgeaudit.toml"} & opened
    assert seen["socket"] == 0


def test_an_option_of_ours_is_unknown_without_the_plugin(tmp_path):
    done, _ = Project(tmp_path).run("-p", "no:judgeaudit", "--judge-audit")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "unrecognized arguments: --judge-audit" in done.stderr


def test_every_marker_is_known_to_strict_markers(tmp_path):
    done, _ = Project(tmp_path).run("--markers")
    names = [
        line.partition("(")[0] for line in done.stdout.splitlines() if line.startswith("@pytest.mark.")
    ]
    assert {
        f"@pytest.mark.{name}" for name in ("clone_pairs", "signal_pairs", "clone_gate", "rate_gate")
    } < (set(names))
