"""Reports as files: their forms, a CI job's summary, and what is refused before anything is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.controller import Gathered
from pytest_judgeaudit.session.publishing import Publisher


def publisher(tmp_path, *names, **changes):
    return Publisher(
        reports=[tmp_path / name for name in names], snapshots=tmp_path / "snapshots", **changes
    )


def published(found):
    found.publish(Audit(state="pass"), Gathered())


def test_the_suffix_chooses_the_form(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra report is not installed")
    published(publisher(tmp_path, "a.html", "b.md", "sub/c.json"))
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "b.md").read_text().startswith("## Judge audit: NO GATE")
    assert json.loads((tmp_path / "sub/c.json").read_text())["schema"] == 1


def test_a_jobs_summary_is_added_to_and_names_the_reports(tmp_path):
    summary = tmp_path / "new" / "summary.md"
    published(
        publisher(tmp_path, "a.json", summary=summary, run_url="https://ci.example/o/r/actions/runs/7")
    )
    published(publisher(tmp_path, summary=summary))
    text = summary.read_text()
    assert text.count("## Judge audit: NO GATE") == 2
    assert "`a.json` among the [files of this run](<https://ci.example/o/r/actions/runs/7>)." in text


def test_what_cannot_be_written_is_told_and_the_rest_is_written(tmp_path):
    (tmp_path / "taken").write_text("")
    found = publisher(tmp_path, "taken/a.json", "b.json", summary=tmp_path)
    with pytest.raises(Refused) as caught:
        published(found)
    first, second = str(caught.value).splitlines()
    assert first.startswith(f"{tmp_path / 'taken' / 'a.json'}: the report could not be written")
    assert second.startswith(f"GITHUB_STEP_SUMMARY: {tmp_path} could not be written")
    assert (tmp_path / "b.json").exists()


def test_a_fault_in_one_report_costs_no_other_and_is_one_line(tmp_path, monkeypatch):
    html = pytest.importorskip("pytest_judgeaudit.report.html", reason="the extra report is not installed")

    def broken(_):
        raise KeyError("a fault\nof ours")

    monkeypatch.setattr(html, "to_html", broken)
    summary = tmp_path / "summary.md"
    found = publisher(tmp_path, "a.html", "b.json", "c.md", "d.html", summary=summary)
    with pytest.raises(Refused) as caught:
        published(found)
    told = str(caught.value).splitlines()
    assert [line.partition(": ")[0] for line in told] == [
        str(tmp_path / name) for name in ("a.html", "d.html")
    ]
    assert all("could not be made: KeyError: " in line for line in told)
    assert (tmp_path / "b.json").exists()
    assert (tmp_path / "c.md").exists()
    assert "## Judge audit" in summary.read_text()


def test_a_jobs_summary_is_written_before_the_page(tmp_path, monkeypatch):
    html = pytest.importorskip("pytest_judgeaudit.report.html", reason="the extra report is not installed")

    summary = tmp_path / "summary.md"
    monkeypatch.setattr(html, "to_html", lambda _: summary.read_text())
    published(publisher(tmp_path, "a.html", summary=summary))
    assert (tmp_path / "a.html").read_text().startswith("## Judge audit")


# In a run


def test_a_page_shows_what_is_stored_of_every_trial(project):
    pytest.importorskip("matplotlib", reason="the extra report is not installed")
    project.evals()
    project.judges(mine={"api": "python", "callable": "mine:ask"}, longest={})
    project.write("mine.py", 'def ask(messages):\n    return \'{"winner": "tie"} \'\n')
    project.audit("--judge-live", "-q", "-n2", "--judge-report=live.html")
    project.audit("-q", "--judge-report=replay.html")
    for name in ("live.html", "replay.html"):
        text = (project.root / name).read_text("utf-8")
        rows = text[text.index('id="trials-data">') + len('id="trials-data">') :]
        data = json.loads(rows[: rows.index("</script>")])
        found = [dict(zip(data["keys"], row, strict=True)) for row in data["rows"]]
        assert len(found) == 120, name
        assert {row["text"] for row in found if row["answer"] != "direct"} == {'{"winner": "tie"} '}
        assert {row["text"] for row in found if row["answer"] == "direct"} == {None}
        assert all(row["tries"] for row in found if row["answer"] != "direct")
        assert all(len(row["prompt"]) == 16 for row in found)


HIDE = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "matplotlib" else find(name, *rest)
"""


def test_without_the_extra_a_page_is_refused_before_anything_is_asked(project):
    project.evals()
    project.judges(mine={"api": "python", "callable": "mine:ask"})
    project.write("mine.py", "def ask(messages):\n    raise OSError('asked')\n")
    project.write("hide.py", HIDE)
    ran = project.run("-p", "hide", "--judge-audit", "--judge-live", "--judge-report=a.html")
    assert ran.code == pytest.ExitCode.USAGE_ERROR
    (line,) = ran.errors
    assert line == (
        "--judge-report: an HTML report needs matplotlib, which cannot be imported. Run pip install "
        "'pytest-judgeaudit[report]', or write .json or .md."
    )
    assert not (project.root / "snapshots").exists()


def test_a_step_summary_is_written_whenever_it_is_set(project, monkeypatch):
    project.evals()
    summary = project.root / "out" / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    command = project.command("--judge-audit", "-q")
    subprocess.run(command, cwd=project.root, check=False, capture_output=True)
    assert summary.read_text("utf-8").startswith("## Judge audit: PASS")


def test_a_plain_run_writes_no_step_summary(project, monkeypatch):
    summary = project.root / "summary.md"
    project.write("tests/test_plain.py", "def test_plain():\n    ...\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests"], cwd=project.root, check=False, capture_output=True
    )
    assert done.returncode == 0
    assert not Path(summary).exists()
