"""``--judge-init``: an empty project becomes one that runs, and nothing of anybody's is overwritten."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import tomli

from pytest_judgeaudit.stats import clopper_pearson_lower, clopper_pearson_upper, minimum_n
from tests.serving import run, serving

FILES = {"judgeaudit.toml", "evals/test_judge.py", "corpora/pairs.jsonl"}


def files(folder: Path) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
    return {path.as_posix() for path in found if not {"__pycache__", ".pytest_cache"} & set(path.parts)}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A project made by the option alone."""
    folder = tmp_path_factory.mktemp("begun")
    done = run("pytest --judge-init", folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_three_files_are_written_and_named_with_the_next_command(begun):
    folder, said = begun
    assert files(folder) == FILES
    named = re.findall(r"^  (\S+)  ", said, re.MULTILINE)
    assert set(named) == FILES
    assert said.splitlines()[-1] == "next: pytest --judge-audit"


def test_what_is_written_runs_offline_and_finds_the_planted_fault(begun):
    folder, _ = begun
    done = run("pytest --judge-audit --judge-report=audit.json -p no:cacheprovider", folder)
    report = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    assert done.returncode == 0, done.stdout
    assert {gate["kind"]: gate["state"] for gate in report["gates"]} == {
        "clone_gate": "PASS",
        "utility_gate": "MISS",
    }
    assert [joint["label"] for joint in report["joint"]] == ["clone gate only"]
    assert report["answers"]["asked"] == 0


def test_the_written_files_are_not_written_again(begun):
    folder, _ = begun
    before = {name: (folder / name).read_bytes() for name in FILES}
    done = run("pytest --judge-init", folder)
    assert done.returncode == 4
    assert done.stderr.strip().startswith("ERROR: --judge-init: judgeaudit.toml is there already.")
    assert {name: (folder / name).read_bytes() for name in FILES} == before


@pytest.mark.parametrize("name", sorted(FILES))
def test_one_file_in_the_way_is_named_and_nothing_is_written(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine", encoding="utf-8")
    done = run("pytest --judge-init", tmp_path)
    assert (done.returncode, done.stdout) == (4, "")
    (error,) = done.stderr.strip().splitlines()
    assert name in error
    assert files(tmp_path) == {name}
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_a_link_that_leads_nowhere_is_in_the_way_too(tmp_path):
    (tmp_path / "judgeaudit.toml").symlink_to(tmp_path / "gone")
    assert run("pytest --judge-init", tmp_path).returncode == 4
    assert files(tmp_path) == {"judgeaudit.toml"}


def test_a_file_that_cannot_be_written_takes_the_others_back(tmp_path):
    (tmp_path / "corpora").write_text("a file where a folder is expected", encoding="utf-8")
    done = run("pytest --judge-init", tmp_path)
    assert done.returncode == 4
    (error,) = done.stderr.strip().splitlines()
    assert "corpora/pairs.jsonl cannot be written" in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpora"]


def test_a_configuration_in_pyproject_is_not_hidden(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\n[tool.judgeaudit.audit]\nseed = 1\n", encoding="utf-8"
    )
    done = run("pytest --judge-init", tmp_path)
    assert done.returncode == 4
    assert "pyproject.toml has a table [tool.judgeaudit] already" in done.stderr
    assert files(tmp_path) == {"pyproject.toml"}


def test_a_folder_inside_of_another_project_is_refused_with_its_root(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "inner").mkdir()
    done = run("pytest --judge-init", tmp_path / "inner")
    assert done.returncode == 4
    assert f"belongs to the project in {tmp_path}." in done.stderr
    assert files(tmp_path) == {"pytest.ini"}


def test_the_eval_goes_where_the_ini_file_says_evals_are(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\njudge_audit_paths = checks\n", encoding="utf-8")
    assert run("pytest --judge-init", tmp_path).returncode == 0
    assert files(tmp_path) == {
        "pytest.ini",
        "judgeaudit.toml",
        "checks/test_judge.py",
        "corpora/pairs.jsonl",
    }
    assert run("pytest --judge-audit", tmp_path).returncode == 0


def test_paths_of_evals_that_are_no_folder_here_are_refused(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\njudge_audit_paths = test_e.py\n", encoding="utf-8")
    done = run("pytest --judge-init", tmp_path)
    assert done.returncode == 4
    assert "judge_audit_paths begins with" in done.stderr
    assert files(tmp_path) == {"pytest.ini"}


def test_the_bounds_and_sizes_in_the_comments_are_those_of_ten_pairs(begun):
    text = " ".join((begun[0] / "evals/test_judge.py").read_text(encoding="utf-8").split()).replace(
        " # ", " "
    )
    upper, lower = clopper_pearson_upper(0, 10), clopper_pearson_lower(10, 10)
    assert (
        f"with nothing wrong in ten, the bound is {upper:.0%} adverse and {lower:.0%} right".replace(
            "%", " %"
        )
        in text
    )
    assert f"at least {minimum_n(0)} pairs, {minimum_n(0, m=2)} with two judges" in text


def test_a_judge_of_ones_own_is_put_in_as_the_comments_say(begun, tmp_path):
    folder, _ = begun
    text = (folder / "judgeaudit.toml").read_text(encoding="utf-8")
    rows = [
        json.loads(row) for row in (folder / "corpora/pairs.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    better = {row["chosen"] for row in rows}
    mine = re.search(r"^# \[\[judge\]\]\n(?:# .+\n)+", text, re.MULTILINE)[0]
    written = text + re.sub("^# ", "", mine, flags=re.MULTILINE).replace('api_key_env = "MY_KEY"', "")
    assert [judge["name"] for judge in tomli.loads(written)["judge"]] == ["longest", "mine"]
    for name in FILES - {"judgeaudit.toml"}:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with serving(lambda _, a, b: "tie" if a == b else "A" if a in better else "B") as server:
        address = re.sub(r"127\.0\.0\.1:\d+", server.host, written)
        (tmp_path / "judgeaudit.toml").write_text(address, encoding="utf-8")
        done = run("pytest --judge-audit --judge-live --judge-report=audit.json", tmp_path)
        assert server.calls == 30
    assert done.returncode == 0, done.stdout
    report = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert {joint["judge"]: joint["label"] for joint in report["joint"]} == {
        "longest": "clone gate only",
        "mine": "both gates pass",
    }


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_write_nothing(tmp_path, option):
    assert run(f"pytest --judge-init {option}", tmp_path).returncode == 0
    assert files(tmp_path) == set()
