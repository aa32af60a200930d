"""``--judge-selfcheck``: planted faults through the whole pipeline, each of which an audit must find."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_judgeaudit.session.planted import projects
from pytest_judgeaudit.session.planting import Missed, Planted, Report
from pytest_judgeaudit.session.saying import say

REPORT = "report.json"
LONGEST_S = 300
FOREIGN = ("PYTEST", "GITHUB_")
"""How variables begin that make the pytest of a planted project another one than a user's."""

ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_judgeaudit.plugin"}
"""Only this plug-in is loaded: what others do is not what is checked."""


class Seen(NamedTuple):
    """What came of one planted fault."""

    fault: str
    caught: bool
    said: str


def check() -> pytest.ExitCode:
    """Audit every planted project, say what was found, and return 0 only if every fault was."""
    say("planted faults, each through a run of its own, and what the audit says of them")
    missed = 0
    for seen in _all_seen():
        missed += not seen.caught
        say(f"  {'caught' if seen.caught else 'MISSED'}  {seen.fault:<24} {seen.said}")
    say(f"{missed} of the planted faults went by" if missed else "every planted fault was caught")
    return pytest.ExitCode.TESTS_FAILED if missed else pytest.ExitCode.OK


def _all_seen() -> Iterator[Seen]:
    for planted in projects():
        with tempfile.TemporaryDirectory(prefix="judgeaudit-selfcheck-") as folder:
            try:
                report = _audited(planted, Path(folder))
            except Missed as error:
                yield from (Seen(check.fault, caught=False, said=str(error)) for check in planted.checks)
                continue
        for check in planted.checks:
            try:
                yield Seen(check.fault, caught=True, said=check.look(report))
            except (Missed, KeyError) as error:
                yield Seen(check.fault, caught=False, said=str(error))


def _audited(planted: Planted, folder: Path) -> Report:
    """Write a project, audit it, and return the report of its last run."""
    for name, text in {"pytest.ini": "[pytest]\n", **planted.files}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for options in planted.runs:
        (folder / REPORT).unlink(missing_ok=True)
        output = _run(folder, *options)
    try:
        found: Report = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise Missed(f"no report was written: {output[-300:].strip()}") from None
    return found


def _run(folder: Path, *options: str) -> str:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--judge-audit"]
    try:
        done = subprocess.run(  # noqa: S603 - this Python, with words of ours
            [*command, f"--judge-report={REPORT}", *options],
            cwd=folder,
            env={
                **ours,
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTEST_PLUGINS": "pytest_judgeaudit.plugin",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Missed(f"the audit took longer than {LONGEST_S} s") from None
    return done.stdout + done.stderr
