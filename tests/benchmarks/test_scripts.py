"""Every benchmark runs, at a size at which its figures mean nothing, and ends with one line of JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SMALL = {
    "bootstrap": ("--repeats", "1"),
    "collect": ("--items", "96", "--repeat", "1"),
    "kill_fuzz": ("--kills", "1", "--tasks", "4"),
    "live": ("--calls", "8", "--repeat", "1", "--in-flight", "4"),
    "peers": ("--samples", "8", "--repeat", "1", "--only", "ours"),
    "profiled": ("--items", "96"),
    "regrade": ("--items", "960", "--repeat", "1"),
    "startup": ("--items", "96", "--repeat", "1"),
    "statistics_at_size": ("--tasks", "600", "--repeat", "1"),
    "unused": ("--tests", "3", "--repeat", "1"),
}
PARTS = {"children", "growth", "projects", "server"}
PEERS = ("inspect_ai", "deepeval", "pytest-evals", "pydantic-evals")


def test_every_script_is_run_here_and_has_its_line_in_the_readme():
    assert {file.stem for file in FOLDER.glob("*.py")} == PARTS | set(SMALL)
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in SMALL if f"| `{name}.py` |" not in readme] == []


def run(name, *options, folder):
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", *options],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the benchmarks are for POSIX")
@pytest.mark.parametrize("name", SMALL)
def test_a_script_runs_at_a_small_size(name, tmp_path):
    assert run(name, *SMALL[name], folder=tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(
    "PEER_ENVIRONMENTS" not in os.environ,
    reason="installs 700 MB from the package index: name a folder for it in PEER_ENVIRONMENTS",
)
@pytest.mark.parametrize("tool", PEERS)
def test_another_tool_runs_beside_us_at_a_small_size(tool, tmp_path):
    small = ("--samples", "8", "--repeat", "1", "--in-flight", "2", "--only", tool)
    found = run("peers", *small, "--environments", os.environ["PEER_ENVIRONMENTS"], folder=tmp_path)
    assert set(found["live"]) == set(found["stored"]) == {tool}
