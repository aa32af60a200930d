"""The page about shards as a reader follows it: four machines record, one replays what they wrote."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.serving import longer, run, serving

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "record-in-shards.md").read_text(encoding="utf-8")
FREEZE, RECORD, _, REPLAY = (
    text.split("\n") for text in re.findall(r"^ {3}```sh\n(.*?)\n {3}```", PAGE, re.DOTALL | re.MULTILINE)
)
JUDGE = """
[[judge]]
name = "mine"
family = "qwen"
api = "openai"
model = "m"
base_url = "http://{host}/v1"
"""


@pytest.mark.slow
def test_four_machines_record_what_one_replays(tmp_path):
    (tmp_path / "start").mkdir()
    start = tmp_path / "start"
    assert run("pytest --judge-init", start).returncode == 0
    with serving(longer) as server:
        (start / "judgeaudit.toml").write_text(JUDGE.format(host=server.host), encoding="utf-8")
        assert run(FREEZE[0].strip(), start).returncode == 0
        machines = []
        for number in range(1, 5):
            machine = tmp_path / f"machine-{number}"
            shutil.copytree(start, machine)
            done = run(RECORD[0].strip().replace("1/4", f"{number}/4"), machine)
            assert done.returncode in (0, 5), done.stdout
            machines.append(machine)
        assert server.calls == 30
    names = [file.name for machine in machines for file in (machine / "snapshots").rglob("mine*.jsonl")]
    assert set(names) <= {f"mine.{number}of4.jsonl" for number in range(1, 5)}
    assert len(names) >= 2
    for machine in machines:
        shutil.copytree(machine / "snapshots", start / "snapshots", dirs_exist_ok=True)
    done = run(REPLAY[0].strip(), start)
    report = json.loads((start / "audit.json").read_text(encoding="utf-8"))
    assert (done.returncode, report["exit"]) == (1, 1), (
        done.stdout
    )  # the longer answer is the better one in half
    assert (report["answers"]["hit"], report["answers"]["missing"]) == (30, 0)
    assert {gate["kind"]: gate["state"] for gate in report["gates"]} == {
        "clone_gate": "PASS",
        "utility_gate": "MISS",
    }
    assert report["protocol"]["state"] == "frozen before the first call"
    assert run(REPLAY[1].strip(), start).returncode == 1
    assert list((start / "snapshots").rglob("*.ambr"))


@pytest.mark.slow
def test_a_shard_alone_decides_no_gate_and_keeps_a_task_together(tmp_path):
    assert run("pytest --judge-init", tmp_path).returncode == 0
    done = run("pytest --judge-audit --judge-shard=1/4 --judge-report=audit.json", tmp_path)
    report = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert done.returncode == 0, done.stdout
    assert {gate["state"] for gate in report["gates"]} == {"PARTIAL"}
    shown: dict[str, set[tuple[str, str]]] = {}
    for trial in report["trials"]:
        shown.setdefault(trial["task"], set()).add((trial["cell"], trial["order"]))
    assert shown
    assert {len(presentations) for presentations in shown.values()} == {3}
