"""Runs of the project in an environment, and what two of them must have in common."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import Any

from tests.neighbours import project
from tests.serving import Judge, environment

TIMES = {"started", "ended", "load"}
"""Keys of an attempt that belong to the moment and to the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run left: status, output, report, outcomes by test, stored answers and snapshots, calls."""

    code: int
    out: str
    report: Mapping[str, Any]
    outcomes: Mapping[str, Sequence[str]]
    stored: Mapping[str, object]
    calls: int
    folder: Path

    def gates(self, part: str = "") -> dict[str, str]:
        """The state of each gate whose id holds ``part``."""
        return {gate["id"]: gate["state"] for gate in self.report.get("gates", ()) if part in gate["id"]}

    def reasons(self, part: str) -> str:
        """Why the gates whose id holds ``part`` are on HOLD."""
        gates = (gate for gate in self.report.get("gates", ()) if part in gate["id"])
        return " ".join(reason for gate in gates for reason in gate["reasons"])


@dataclass(kw_only=True)
class Bench:
    """
    A Python with plug-ins, a judge, and room for projects.

    ``packages`` is a folder of more packages, or empty. ``thorough`` scenarios take twice the time.
    """

    server: Judge
    room: Path
    python: str = sys.executable
    packages: str = ""
    thorough: bool = False
    _numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.bare = cache(self.bare)

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """The version of each distribution that it has."""
        code = (
            "import importlib.metadata as m, json; "
            "print(json.dumps({d.metadata['Name'].lower(): d.version for d in m.distributions()}))"
        )
        done = subprocess.run(
            [self.python, "-c", code], env=self._environment(self.room), capture_output=True, check=True
        )
        return json.loads(done.stdout)

    def bare(self, *paths: str) -> Ran:
        """Run the project with no plug-in but ours and syrupy, once for each choice of paths."""
        return self.run(paths=paths)

    def run(
        self,
        *options: str,
        plugins: Sequence[str] = (),
        files: Mapping[str, str] | None = None,
        paths: Sequence[str] = (),
        folder: Path | None = None,
        audit: bool = True,
        live: bool = True,
        autoload: bool = False,
    ) -> Ran:
        """Run pytest in a new project, or once more in a ``folder``; the served judge may be asked."""
        if folder is None:
            folder = self.room / f"run{next(self._numbers)}"
            project.write(folder, self.server.host, files or {})
        before = self.server.calls
        chosen = () if autoload else ("judgeaudit", "syrupy", *plugins)
        named = [word for name in chosen for word in ("-p", name)]
        ours = ["--judge-audit", "--judge-report=report.json", *(["--judge-live"] if live else [])]
        for name in ("report.json", "junit.xml"):
            (folder / name).unlink(missing_ok=True)
        done = subprocess.run(
            [
                *(self.python, "-m", "pytest", *named, "--junitxml=junit.xml"),
                *(ours if audit else ()),
                *options,
                *(paths or ("tests", "evals")),
            ],
            cwd=folder,
            env=self._environment(folder, autoload=autoload),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=300,
            check=False,
        )
        report = folder / "report.json"
        return Ran(
            code=done.returncode,
            out=done.stdout + done.stderr,
            report=json.loads(report.read_text("ascii")) if report.exists() else {},
            outcomes=_outcomes(folder / "junit.xml"),
            stored=dict(_stored(folder)),
            calls=self.server.calls - before,
            folder=folder,
        )

    def _environment(self, folder: Path, *, autoload: bool = False) -> Mapping[str, str]:
        return {
            **environment(),
            "PYTHONPATH": os.pathsep.join(filter(None, (self.packages, str(folder)))),
            "EDITOR_FILE": str(folder / "editor.jsonl"),
            **({} if autoload else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        }


def deviations(ran: Ran, expected: Ran, *, report: bool = True) -> Iterator[str]:
    """Say in what two runs differ that should not."""
    if "INTERNALERROR" in ran.out or "pytest_judgeaudit/" in ran.out:
        yield "a traceback: " + ran.out[-3000:]
    if ran.code != expected.code:
        yield f"exit status {ran.code}, expected {expected.code}: {ran.out[-1500:]}"
    if ran.calls != expected.calls:
        yield f"{ran.calls} calls, expected {expected.calls}"
    yield from _differences("outcome of", ran.outcomes, expected.outcomes)
    yield from _differences("stored", ran.stored, expected.stored)
    if report:
        yield from _differences("report:", ran.report, expected.report)


def _differences(what: str, found: Any, expected: Any) -> Iterator[str]:
    """Name the innermost places that differ, in mappings and in lists of one length."""
    if found == expected:
        return
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        found, expected = dict(enumerate(found)), dict(enumerate(expected))
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        for name in dict.fromkeys((*expected, *found)):
            yield from _differences(f"{what} {name}", found.get(name), expected.get(name))
    else:
        yield f"{what}: {_short(found)}, expected {_short(expected)}"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) < 400 else f"{text[:400]}…"


def _outcomes(junit: Path) -> Mapping[str, Sequence[str]]:
    """What JUnit says of each test: nothing where it passed; one list for all cases of one name."""
    found: dict[str, list[str]] = {}
    for case in ET.parse(junit).iter("testcase") if junit.exists() else ():  # noqa: S314 - our own file
        tags = [child.tag for child in case if child.tag != "properties"]
        found.setdefault(f"{case.get('classname')}::{case.get('name')}", []).extend(tags)
    return found


def _stored(folder: Path) -> Iterator[tuple[str, object]]:
    """Answers by name without their times, accepted grades and other snapshots by their file."""
    for file in sorted(folder.rglob("*.ambr")):
        yield file.relative_to(folder).as_posix(), file.read_text("utf-8")
    for file in sorted((folder / "snapshots").glob("[!.]*/**/*.jsonl")):
        for line in file.read_text("ascii").splitlines():
            row = json.loads(line)
            for attempt in row.get("attempts", ()):
                for key in TIMES & attempt.keys():
                    del attempt[key]
            yield f"{file.relative_to(folder).as_posix()} {row.get('name')}", row
