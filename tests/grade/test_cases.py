"""The script that evaluates files of cases, on cases of its own and on the shared ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "grader_cases.py"
CASE = {
    "id": "a",
    "kind": "matcher",
    "tier": "core",
    "spec": {"type": "literal", "value": "x"},
    "answer": "x",
}


def run(*files):
    return subprocess.run(
        [sys.executable, SCRIPT, *files], capture_output=True, text=True, timeout=300, check=False
    )


def written(folder, **changes):
    file = folder / "cases.jsonl"
    file.write_text(json.dumps({**CASE, **changes}) + "\n", encoding="utf-8")
    return file


def test_a_miss_of_the_core_is_printed_and_fails(tmp_path):
    done = run(written(tmp_path, expected={"hit": False}))
    assert done.stdout.splitlines()[0] == 'a {"hit": false} {"hit": true}'
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed"
    assert done.returncode == 1


def test_a_miss_of_the_hard_tier_is_printed_and_does_not_fail(tmp_path):
    done = run(written(tmp_path, tier="hard", expected={"hit": False}))
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed"
    assert done.returncode == 0


def test_a_hit_passes(tmp_path):
    assert run(written(tmp_path, expected={"hit": True})).stdout.splitlines()[-1] == "1 passed, 0 failed"


def test_the_shared_cases_hold(shared):
    done = run(shared / "cases" / "grader_cases.jsonl")
    assert done.returncode == 0, done.stdout
    right, total = done.stdout.splitlines()[-2].removeprefix("tier hard: ").split(" of ")
    assert int(right) >= 0.95 * int(total)
