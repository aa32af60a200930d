"""Options and ini values: what is read, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_judgeaudit.session.choices import Settings, Shard, without_gate
from pytest_judgeaudit.session.options import INI, OPTIONS, asked_for_audit


@pytest.fixture
def parsed(pytester, monkeypatch):
    """Return the configuration of a pytest with these options."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return lambda *options: pytester.parseconfig("-p", "judgeaudit", *options)


def refusal(read, config):
    with pytest.raises(pytest.UsageError) as caught:
        read(config)
    (line,) = caught.value.args
    return line


# Reading


def test_without_an_option_nothing_is_asked_for(parsed):
    assert not asked_for_audit(parsed())


def test_defaults_are_those_of_the_design(parsed):
    config = parsed("--judge-audit")
    assert asked_for_audit(config)
    found = Settings.of(config)
    assert (found.mode, found.judges, found.criteria, found.reports) == ("replay", (), (), ())
    assert (found.paths, found.snapshots) == ((found.root / "evals",), found.root / "snapshots")
    assert (found.plan_only, found.freeze, found.prune, found.probe, found.shard) == (
        False,
        False,
        False,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        (["--judge-live"], "live"),
        (["--judge-live-all"], "live-all"),
        (["--judge-live", "--judge-live-all"], "live-all"),
    ],
)
def test_asking_is_never_the_default(parsed, options, mode):
    assert Settings.of(parsed("--judge-audit", *options)).mode == mode


def test_repeatable_options_gather(parsed):
    config = parsed(
        "--judge-audit",
        *("--judge=a", "--judge=b", "--criterion=neutral"),
        *("--judge-report=x.json", "--judge-report=out/y.json"),
    )
    found = Settings.of(config)
    assert (found.judges, found.criteria) == (("a", "b"), ("neutral",))
    assert found.reports == (Path.cwd() / "x.json", Path.cwd() / "out/y.json")


def test_ini_values_are_relative_to_the_ini_file_and_options_to_the_working_folder(
    parsed, pytester, monkeypatch
):
    ini = "[pytest]\njudge_audit_paths = checks more/checks\njudge_audit_snapshots = kept\n"
    (pytester.path / "pytest.ini").write_text(ini)
    (pytester.path / "sub").mkdir()
    monkeypatch.chdir(pytester.path / "sub")
    found = Settings.of(parsed("--judge-audit", "--judge-config=j.toml", "--judge-report=x.json"))
    root = pytester.path
    assert found.root == root
    assert found.paths == (root / "checks", root / "more/checks")
    assert found.snapshots == root / "kept"
    assert found.configuration == root / "sub/j.toml"
    assert found.reports == (root / "sub/x.json",)


@pytest.mark.parametrize(("option", "calls"), [("--judge-probe", 3), ("--judge-probe=5", 5)])
def test_a_probe_makes_three_calls_or_as_many_as_are_named(parsed, option, calls):
    assert Settings.of(parsed("--judge-audit", option)).probe == calls


# Refusing


@pytest.mark.parametrize(
    "option",
    [option.flag for option in OPTIONS if option.flag not in {"--judge-audit", "--judge-selfcheck"}],
)
def test_an_option_without_the_audit_says_that_it_does_nothing(parsed, option):
    value = {"--judge-shard": "1/2", "--judge-report": "x.json"}.get(option, "3")
    takes_value = next(one for one in OPTIONS if one.flag == option).argparse.get("metavar")
    config = parsed(f"{option}={value}" if takes_value else option)
    assert refusal(asked_for_audit, config) == f"{option} does nothing by itself. Add --judge-audit."


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (
            "--judge-report=a.txt",
            "--judge-report a.txt: unknown suffix. Expected a name ending in .json, .html, .md.",
        ),
        (
            "--judge-probe=1",
            (
                "--judge-probe=1: expected a whole number of calls, at least 2: one call cannot show that "
                "an answer is stable."
            ),
        ),
        ("--judge-shard=3/2", "--judge-shard 3/2: expected I/N with 1 <= I <= N, such as 1/4."),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(parsed, option, words):
    assert refusal(Settings.of, parsed("--judge-audit", option)) == words


def test_a_report_where_no_file_can_be_is_refused_before_anything_is_asked(parsed, pytester):
    (pytester.path / "taken.json").mkdir()
    (pytester.path / "block").write_text("")
    here = Path.cwd()
    assert refusal(Settings.of, parsed("--judge-audit", "--judge-report=taken.json")) == (
        f"--judge-report taken.json: {here}/taken.json is a folder. Name a file of your own."
    )
    assert refusal(Settings.of, parsed("--judge-audit", "--judge-report=block/x/a.json")) == (
        f"--judge-report a.json: {here}/block is no folder. Name a file of your own."
    )
    assert Settings.of(parsed("--judge-audit", "--judge-report=new/folder/a.json")).reports


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "-1/2", "1/0", "a/b", "1/2/3", "1 / 2", "\u0661/\u0662"]
)
def test_only_a_share_of_a_whole_is_a_shard(text):
    with pytest.raises(pytest.UsageError, match="expected I/N with 1 <= I <= N, such as 1/4"):
        Shard.parse(text)


# Shards


def test_every_task_is_in_exactly_one_shard():
    shards = [Shard.parse(f"{index}/7") for index in range(1, 8)]
    tasks = [f"task-{number}" for number in range(500)] + ["", "Ж🙂", "half \ud800"]
    holders = [[str(shard) for shard in shards if shard.holds(task)] for task in tasks]
    assert {len(held) for held in holders} == {1}
    assert {held[0] for held in holders} == {f"{index}/7" for index in range(1, 8)}


def test_one_shard_of_one_holds_everything():
    assert Shard.parse("1/1").holds("anything")
    assert Shard.parse(None) is None


# Gate ids


@pytest.mark.parametrize(
    ("argument", "selected"),
    [
        ("evals/test_a.py::test_x::clone_gate[qwen-neutral]", "evals/test_a.py::test_x"),
        ("evals/test_a.py::TestA::test_x::utility_gate[q-n]", "evals/test_a.py::TestA::test_x"),
        ("evals/test_a.py::test_x::rate_gate[all]", "evals/test_a.py::test_x"),
        ("evals/test_a.py::test_x::clone_gate[q-n-a::b[c]]", "evals/test_a.py::test_x"),
        ("evals/test_a.py::test_x::grades[q-n]", "evals/test_a.py::test_x"),
        ("evals/test_a.py::collected", "evals/test_a.py"),
        ("evals/test_a.py::test_x[q-n-c1-AB]", "evals/test_a.py::test_x[q-n-c1-AB]"),
        ("evals/clone_gate", "evals/clone_gate"),
        ("evals/test_a.py::clone_gated", "evals/test_a.py::clone_gated"),
    ],
)
def test_the_id_of_a_gate_selects_its_test(argument, selected):
    assert without_gate(argument) == selected


# Help


def test_every_option_and_ini_value_explains_itself(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    out = pytester.runpytest_subprocess("-p", "judgeaudit", "--help").stdout.str()
    group = out.partition("judge audit:")[2]
    assert all(option.flag in group for option in OPTIONS)
    assert all(f"{ini.name} ({ini.type})" in out for ini in INI)
