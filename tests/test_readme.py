"""The README as a newcomer uses it: its files in an empty project, its commands in order, a model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.audit.auditing import EXITS
from pytest_judgeaudit.corpora import finite_code
from pytest_judgeaudit.corpora.sources import load_pairs
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.session.controller import HELD
from pytest_judgeaudit.stats import minimum_n
from tests.serving import blocks, run, serving

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FILES = {block.argument: block.text for block in blocks(README) if block.mark == "file"}
(COMMANDS,) = (block.text.splitlines() for block in blocks(README) if block.mark == "run")
RIGHT = frozenset(pair.first for pair in finite_code.pairs("signal"))


def knows_the_battery(_, a, b):
    """A judge that ties on copies and else prefers the reference program."""
    return "tie" if a == b else "A" if a in RIGHT else "B"


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory):
    """What came of the three commands: results, calls counted by the server after each, the report."""
    project = tmp_path_factory.mktemp("newcomer")
    (project / "pytest.ini").write_text("[pytest]\n")
    with serving(knows_the_battery) as server:
        for name, text in FILES.items():
            (project / name).parent.mkdir(exist_ok=True)
            written = re.sub(r"127\.0\.0\.1:\d+", server.host, text)
            (project / name).write_text(written, encoding="utf-8")
        *online, replay = COMMANDS
        results, calls = [], []
        for command in online:
            results.append(run(command, project))
            calls.append(server.calls)
    results.append(run(replay, project))
    report = json.loads((project / "audit.json").read_text(encoding="utf-8"))
    return SimpleNamespace(results=results, calls=calls, report=report, project=project)


def test_the_readme_says_what_to_write_and_what_to_run():
    assert list(FILES) == ["judgeaudit.toml", "evals/test_judge.py"]
    assert [command.partition(" ")[0] for command in COMMANDS] == ["pytest"] * 3


def test_the_first_file_points_at_a_server_of_ones_own():
    assert re.search(r'base_url = "http://127\.0\.0\.1:\d+/v1"', FILES["judgeaudit.toml"])


@pytest.mark.slow
def test_every_command_of_the_readme_succeeds(newcomer):
    assert [result.returncode for result in newcomer.results] == [0, 0, 0], newcomer.results


@pytest.mark.slow
def test_the_plan_asks_nothing_and_the_live_run_all_288_calls(newcomer):
    assert newcomer.calls == [0, 288]
    assert "PLAN · 288 calls · 2 gates" in newcomer.results[0].stdout
    assert "288 asked" in newcomer.results[1].stdout


@pytest.mark.slow
def test_the_replay_needs_no_server(newcomer):
    answers = newcomer.report["answers"]
    assert (answers["hit"], answers["asked"], answers["missing"], answers["stale"]) == (288, 0, 0, 0)


@pytest.mark.slow
def test_the_report_says_pass(newcomer):
    assert (newcomer.report["state"], newcomer.report["exit"]) == ("pass", 0)
    assert [gate["state"] for gate in newcomer.report["gates"]] == ["PASS", "PASS"]


@pytest.mark.slow
def test_answers_lie_where_the_readme_says(newcomer):
    assert "stores the answers under `snapshots/`" in README
    assert list((newcomer.project / "snapshots").rglob("mine.jsonl"))


@pytest.mark.slow
def test_a_gate_has_the_id_that_the_readme_shows(newcomer):
    (shown,) = re.findall(r"^evals/\S+::\S+::clone_gate\[\S+\]$", README, re.MULTILINE)
    assert shown in [gate["id"] for gate in newcomer.report["gates"]]
    for result in newcomer.results[1:]:
        assert "290 passed" in result.stdout


@pytest.mark.slow
def test_a_passed_clone_gate_reads_as_the_readme_says(newcomer):
    quoted = re.search(r"A passed clone gate reads: \*(.*?)\*", README, re.DOTALL)[1]
    (statement,) = [gate["statement"] for gate in newcomer.report["gates"] if gate["kind"] == "clone_gate"]
    position = 0
    for part in " ".join(quoted.split()).rstrip(".").split("…"):
        position = statement.index(part.strip(), position)


def test_the_exit_codes_of_the_readme_are_those_of_the_code():
    table = dict(re.findall(r"^\| (\d+) \| (.*?) \|$", README, re.MULTILINE))
    assert set(table) == {str(code) for code in (*EXITS.values(), pytest.ExitCode.USAGE_ERROR)}
    assert EXITS["hold"] == HELD == 10
    for state, word in (("pass", "passed"), ("miss", "missed"), ("hold", "HOLD")):
        assert word in table[str(EXITS[state])]


def test_the_sizes_of_the_readme_are_the_smallest_that_can_pass():
    assert f"fewer\nthan {minimum_n(0)}:" in README
    assert f"need {minimum_n(0, m=2)}:" in README


def test_the_example_row_of_the_readme_is_read(tmp_path):
    (row,) = [text for text in re.findall(r"```json\n(.*?)```", README, re.DOTALL) if '"chosen"' in text]
    (tmp_path / "pairs.jsonl").write_text(row, encoding="utf-8")
    (pair,) = load_pairs("pairs.jsonl", kind="signal", root=tmp_path).pairs
    assert (pair.id, pair.subset, pair.target) == ("t1", "physics", "first")


def test_judges_of_the_readme_have_names_that_stand_in_ids_as_they_are():
    names = re.findall(r'^name = "(.*?)"$', README, re.MULTILINE)
    assert names
    assert [slug(name) for name in names] == names


def test_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README):
        assert (ROOT / target).exists(), target
