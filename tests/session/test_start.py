"""Putting an audit together: where the evals are, and configurations that are refused."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.session.panel import NO_JUDGE


def refused(ran, *lines):
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    assert ran.errors == list(lines)
    assert "test session starts" not in ran.out


# Where the evals are


def test_without_a_path_the_evals_of_the_ini_file_are_run_from_any_folder(project, monkeypatch):
    project.write("pytest.ini", "[pytest]\njudge_audit_paths = checks\n")
    project.evals()
    project.write("checks/test_c.py", (project.root / "evals/test_e.py").read_text())
    project.write("tests/test_plain.py", "def test_plain():\n    ...\n")
    (gate,) = project.audit("-q").report["gates"]
    assert gate["eval"] == "checks/test_c.py::test_copies_tie"
    ran = project.audit("-q", "tests")
    assert (ran.code, ran.report["gates"]) == (0, [])
    assert "NO GATE · no gate was run" in ran.out


def test_without_evals_the_run_says_where_it_looked(project):
    refused(
        project.audit(),
        "no evals at evals. Name a path, or set judge_audit_paths in the ini-file to where they are.",
    )


def test_without_an_ini_file_the_run_says_where_it_looked_for_one(project):
    (project.root / "pytest.ini").unlink()
    refused(
        project.audit(),
        "no evals at evals. Name a path, or set judge_audit_paths in the ini-file to where they are. "
        f"No ini-file was found from {project.root} up: write a pytest.ini where the project begins.",
    )


def test_a_root_that_an_option_moved_is_explained(project):
    project.evals()
    (project.root / "pytest.ini").unlink()
    elsewhere = project.root.parent / f"{project.root.name}.json"
    elsewhere.write_text("{}")
    ran = project.run("--judge-audit", "--judge-report", str(elsewhere))
    refused(
        ran,
        "no evals at evals. Name a path, or set judge_audit_paths in the ini-file to where they are. "
        f"The root directory is {project.root.parent}: write options with paths as --judge-report=FILE.",
    )


def test_a_root_that_an_option_moved_elsewhere_is_explained_too(project, tmp_path_factory):
    project.evals()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "report.json").write_text("{}")
    (elsewhere / "pytest.ini").write_text("[pytest]\n")
    ran = project.run("--judge-audit", "--judge-report", str(elsewhere / "report.json"))
    refused(
        ran,
        "no evals at evals. Name a path, or set judge_audit_paths in the ini-file to where they are. "
        f"The root directory is {elsewhere}: write options with paths as --judge-report=FILE.",
    )


# Configurations


def test_every_fault_of_the_configuration_is_a_line(project):
    project.evals()
    project.write(
        "judgeaudit.toml", '[[judge]]\nname = "a"\nfamly = "x"\napi = "embedded"\nmodel = "coin"\n'
    )
    ran = project.audit("-n2")
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    assert any('Did you mean "family"?' in line for line in ran.errors)
    assert all(line.startswith("judgeaudit.toml:") for line in ran.errors)


def test_a_name_that_is_not_configured_is_refused_with_the_nearest(project):
    project.evals()
    refused(
        project.audit("--judge=longst"),
        '--judge longst: not configured; there are longest. Did you mean "longest"?',
    )


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "n2"])
def test_without_a_judge_the_lines_to_write_are_shown_once(project, workers):
    project.evals()
    project.write("evals/test_f.py", (project.root / "evals/test_e.py").read_text())
    (project.root / "judgeaudit.toml").unlink()
    ran = project.audit(*workers)
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    assert ran.err.strip() == f"ERROR: {NO_JUDGE}"


def test_a_judge_that_cannot_be_seated_is_told_once_and_without_the_tests(project):
    project.evals()
    project.write("evals/test_f.py", (project.root / "evals/test_e.py").read_text())
    project.judges(longest={}, log={"api": "recorded", "path": "log.jsonl"})
    ran = project.audit()
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    assert len(ran.errors) == 1
    assert "log" in ran.errors[0]
    assert "evals/" not in ran.errors[0]


def test_a_folder_that_syrupy_would_clean_up_is_refused(project):
    project.evals()
    ran = project.audit("--snapshot-dirname=snapshots")
    refused(ran, *ran.errors)
    assert ran.errors[0].startswith(
        "--snapshot-dirname: found 'snapshots', which is in judge_audit_snapshots"
    )


def test_an_agent_that_is_not_configured_stops_the_run(project):
    project.evals()
    refused(project.audit("--agent=reader"), "--agent reader: not configured; there are none.")


# Instead of a run


def test_a_plan_asks_nothing_and_runs_nothing(project):
    project.evals()
    project.judges(
        longest={},
        mine={"api": "python", "callable": "mine:ask"},
    )
    project.write("mine.py", "def ask(messages):\n    raise OSError('asked')\n")
    before = project.files()
    ran = project.run("--judge-audit", "--judge-plan", "-n2")
    assert ran.code == 0
    assert "PLAN · 120 calls, 60 of them to ask · 2 gates, 2 of them cannot pass" in ran.out
    assert "no tests ran" in ran.last
    assert project.files() == before


def test_a_freeze_is_kept_compared_and_refuses_to_ask_under_another_protocol(project):
    project.judges(mine={"api": "python", "callable": "mine:ask"})
    project.write("mine.py", 'def ask(messages):\n    return \'{"winner": "tie"}\'\n')
    project.evals()
    ran = project.run("--judge-audit", "--judge-freeze")
    assert (ran.code, "protocol frozen at " in ran.out) == (0, True)
    ran = project.audit("--judge-live", "-q", "-n2")
    assert (ran.code, ran.report["protocol"]["state"]) == (0, "frozen before the first call")
    project.pairs(61)
    ran = project.audit("--judge-live", "-n2")
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    (line,) = ran.errors
    assert line == (
        "the protocol changed since it was frozen: items evals/test_e.py::test_copies_tie. Freeze it anew "
        "with --judge-freeze, or undo the change."
    )
    ran = project.audit("-q")
    assert ran.report["protocol"]["state"] == "changed after 60 calls"


def test_a_probe_shows_what_is_requested_and_what_is_served(project):
    project.evals()
    ran = project.run("--judge-audit", "--judge-probe")
    assert (ran.code, "nothing to probe" in ran.out) == (0, True)
    closed = {"api": "openai", "base_url": "http://127.0.0.1:9/v1", "limits": {"attempts": 1}}
    project.judges(qwen=closed)
    ran = project.run("--judge-audit", "--judge-probe=2")
    assert ran.code == 1
    assert next(line.split() for line in ran.out.splitlines() if line.startswith("  qwen")) == [
        "qwen",
        "REJECTED",
        "qwen",
        "nothing",
    ]


def test_shards_share_the_tasks_and_their_gates_are_partial(project):
    project.evals()
    runs = [project.audit("-q", f"--judge-shard={index}/2") for index in (1, 2)]
    tasks = [{trial["task"] for trial in ran.report["trials"]} for ran in runs]
    assert len(tasks[0] | tasks[1]) == 60
    assert not tasks[0] & tasks[1]
    assert [(ran.code, ran.gate()["state"]) for ran in runs] == [(0, "PARTIAL")] * 2


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "-n 2"])
@pytest.mark.parametrize("ini", ["", "testpaths = tests\n"], ids=["no testpaths", "testpaths"])
def test_without_a_path_only_the_evals_run(project, ini, options):
    project.evals()
    project.write("pytest.ini", f"[pytest]\n{ini}")
    project.write("tests/test_other.py", "def test_other():\n    assert False\n")
    ran = project.audit(*options)
    assert (ran.code, ran.states()) == (0, {"clone_gate[longest-neutral]": "PASS"})
