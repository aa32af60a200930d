"""Every benchmark runs, at a size at which its figures mean nothing, and ends with one line of JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SMALL = {
    "bootstrap": ("--repeats", "1"),
    "collect": ("--items", "96", "--repeat", "1"),
    "kill_fuzz": ("--kills", "1", "--tasks", "4"),
    "live": ("--calls", "8", "--repeat", "1"),
    "regrade": ("--items", "960", "--repeat", "1"),
    "startup": ("--items", "96", "--repeat", "1"),
    "statistics_at_size": ("--tasks", "600", "--repeat", "1"),
    "unused": ("--tests", "3", "--repeat", "1"),
}
PARTS = {"children", "growth", "projects"}


def test_every_script_is_run_here_and_has_its_line_in_the_readme():
    assert {file.stem for file in FOLDER.glob("*.py")} == PARTS | set(SMALL)
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in SMALL if f"| `{name}.py` |" not in readme] == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the benchmarks are for POSIX")
@pytest.mark.parametrize("name", SMALL)
def test_a_script_runs_at_a_small_size(name, tmp_path):
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", *SMALL[name]],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])
