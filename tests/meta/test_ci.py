"""The scripts that run everything, and the README's commands that they run."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI = ROOT / ".ci"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def load(name):
    spec = importlib.util.spec_from_file_location(f"ci_{name}", CI / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


plan, ready, wheel = load("plan"), load("ready"), load("wheel")

BLOCK = "<!-- command: main -->\n\n```sh\n./main --now\n```\n"


@pytest.mark.skipif(not README.strip(), reason="README.md is still empty")
def test_readme_has_the_two_commands_in_one_line_each():
    assert plan.command(README, "test") == "./check"
    assert "--judge-audit" in plan.command(README, "main")


def test_a_command_is_the_line_below_its_marker():
    assert (
        plan.command(f"# Title\n\n```sh\nother\n```\n{BLOCK}text\n```sh\nmore\n```\n", "main")
        == "./main --now"
    )


@pytest.mark.parametrize(
    "readme",
    [
        "",
        BLOCK + BLOCK,
        BLOCK.replace("--now", "--now\nagain"),
        "<!-- command: main -->\ntext\n" + BLOCK[22:],
    ],
)
def test_a_readme_without_exactly_one_line_is_refused(readme):
    with pytest.raises(plan.PlanError, match=r"^README\.md: expected one fenced block of one line"):
        plan.command(readme, "main")


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "test_a.py").write_text(
        "def test_one(): ...\ndef test_two(): ...\ndef test_twofold(): ...\n"
    )
    return tmp_path


def test_a_listing_becomes_arguments_of_pytest(suite):
    listing = "# all\n\ntest_a.py not test_one test_twofold  # they ask for too much\n"
    module = str(suite / "test_a.py")
    assert list(plan.acceptance(listing, suite)) == [
        module,
        "--deselect=test_a.py::test_one",
        "--deselect=test_a.py::test_twofold",
    ]
    assert list(plan.acceptance("test_a.py  # whole", suite)) == [module]
    assert list(plan.acceptance("# nothing yet\n", suite)) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("test_b.py", "there is no module test_b.py"),
        ("test_a.py not test_one", "expected 'MODULE' or"),
        ("test_a.py test_one  # why", "expected 'MODULE' or"),
        ("test_a.py not  # why", "expected 'MODULE' or"),
        ("test_a.py not test_gone  # why", "expected exactly one test"),
        ("test_a.py not test_two  # why", "expected exactly one test"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(suite, line, message):
    with pytest.raises(plan.PlanError, match=message) as caught:
        list(plan.acceptance(f"# first\n{line}\n", suite))
    assert str(caught.value).startswith(".ci/acceptance:2: ")


def test_the_listing_names_what_is_there(shared):
    list(plan.acceptance((CI / "acceptance").read_text(encoding="utf-8"), shared / "acceptance"))


def test_an_equal_copy_has_no_difference_and_another_one_names_its_first(tmp_path):
    source, copy = tmp_path / "source", tmp_path / "copy"
    (source / "inner").mkdir(parents=True)
    (source / "inner" / "page.txt").write_text("text")
    (source / "module.py").write_text("x = 1\n")
    shutil.copytree(source, copy)
    (source / "__pycache__").mkdir()
    (source / "__pycache__" / "module.pyc").write_bytes(b"")
    assert ready.difference(source, copy) is None
    (copy / "module.py").write_text("x = 2\n")
    assert ready.difference(source, copy) == "module.py"
    (copy / "inner" / "page.txt").unlink()
    assert ready.difference(source, copy) == "inner/page.txt"


def test_an_unmet_requirement_is_named():
    assert ready.unmet(["pytest>=8", "absent-package; python_version < '3'"]) is None
    assert ready.unmet(["pytest>=8", "absent-package>=1"]) == "absent-package is not installed"
    assert ready.unmet(["pytest<8"]).endswith("expected <8")


def test_a_wheel_of_the_package_and_its_licence_is_right():
    meta = [f"pytest_judgeaudit-1.dist-info/{name}" for name in ("licenses/LICENSE", "entry_points.txt")]
    names = [*meta, "pytest_judgeaudit-1.dist-info/METADATA"]
    package = [f"pytest_judgeaudit/{name}" for name in wheel.REQUIRED]
    assert list(wheel.wrong_in_wheel([*names, *package], wheel.REQUIRED)) == []
    assert list(wheel.wrong_in_wheel([*names[1:], *package[1:], "tests/a.py"], wheel.REQUIRED)) == [
        "the wheel lacks pytest_judgeaudit/py.typed",
        "the wheel holds tests/a.py",
        "the wheel lacks licenses/LICENSE",
    ]


def test_what_the_wheel_must_hold_lies_in_the_package():
    assert set(wheel.REQUIRED) < set(wheel.sources())


def test_an_sdist_holds_what_it_is_built_from_and_nothing_of_a_run():
    names = [f"pytest_judgeaudit-1/{name}" for name in wheel.SOURCES]
    assert list(wheel.wrong_in_sdist(names)) == []
    more = ["p/.venv/bin/python", "p/tests/__pycache__/a.pyc", "p/snapshots/.journal/run.jsonl"]
    assert len(list(wheel.wrong_in_sdist([*names, *more]))) == 3
    assert list(wheel.wrong_in_sdist(names[1:])) == ["the sdist lacks pyproject.toml"]


@pytest.mark.parametrize("script", ["check", ".ci/run", ".ci/functions"])
def test_a_script_is_valid_bash(script):
    subprocess.run(["bash", "-n", script], cwd=ROOT, check=True)


def bash(command, text):
    run = ["bash", "-c", f". .ci/functions; {command}"]
    return subprocess.run(run, cwd=ROOT, input=text, capture_output=True, text=True, check=False)


def test_addresses_of_package_indexes_are_not_shown():
    text = (
        "Looking in indexes: https://user:secret@index.example/simple\n"
        "HTTPSConnectionPool(host='index.example', port=443): Failed to resolve 'index.example'\n"
    )
    shown = bash("redact", text).stdout
    assert shown.count("<address>") == 3
    assert "index" not in shown.replace("indexes", "")
    assert "secret" not in shown


def test_a_quiet_command_is_heard_when_it_fails():
    quiet, loud = bash("quietly echo well", ""), bash("quietly sh -c 'echo badly; exit 3'", "")
    assert (quiet.returncode, quiet.stdout + quiet.stderr) == (0, "")
    assert (loud.returncode, loud.stderr) == (3, "badly\n")
