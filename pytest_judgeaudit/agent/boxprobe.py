"""Trying to get out of a box with a program of ours inside it, before an agent's program is let in."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_judgeaudit.agent.boxes import HOME, WORKSPACE, Box, parts_of
from pytest_judgeaudit.agent.probing import canary
from pytest_judgeaudit.agent.processes import Processes
from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.records.traces import Check, Enforcement

_LIMIT_S = 60.0
_FILES = 5

# Runs inside; the names of what was asked are keys of its answer.
_PROGRAM = """
import json, os, socket, sys
asked = json.loads(sys.argv[1])
def text(path):
    try:
        with open(path, "rb") as file:
            return file.read(4096).decode("utf-8", "replace")
    except OSError:
        return ""
def entries(path):
    return [name for _, folders, names in os.walk(path) for name in names]
def writes(path):
    try:
        with open(path, "w") as file:
            file.write("x")
        return True
    except OSError:
        return False
def reaches(address):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.connect((address, 9))
        return True
    except OSError:
        return False
def space(kind):
    try:
        return os.readlink("/proc/self/ns/" + kind)
    except OSError:
        return ""
print(json.dumps({
    "workspace": sorted(os.listdir(asked["workspace"])),
    "writes": writes(os.path.join(asked["workspace"], "probe.txt")),
    "read": [path for path in asked["files"] if text(path)],
    "walked": [path for path in asked["folders"] if entries(path)],
    "environment": sorted(os.environ),
    "others": "".join(text("/proc/%s/environ" % pid) for pid in os.listdir("/proc") if pid.isdigit()),
    "spaces": {kind: space(kind) for kind in ("net", "pid")},
    "reaches": reaches("192.0.2.1"),
}))
"""


def probe_box(box: Box, sandbox: Sandbox, *, program: str | None) -> Enforcement:
    """
    Run a program of ours in an agent's box, which is only widened by our own interpreter.

    ``not enforced``, with the reason, where bubblewrap is missing, does not start, or lets something out.
    """
    if program is None:
        return _not_enforced(box, "bubblewrap (bwrap) is not installed")
    with canary(sandbox) as bird:
        files = [str(bird.file), *_files(box)]
        asked = {
            "workspace": WORKSPACE,
            "files": files,
            "folders": [str(path) for path in box.hidden if path.is_dir()],
        }
        ours = parts_of([sys.executable], path=os.defpath)
        wider = replace(box, binds=tuple(dict.fromkeys([*box.binds, *ours])))
        command = [sys.executable, "-I", "-S", "-c", _PROGRAM, json.dumps(asked)]
        try:
            done = Processes().run(
                wider.arguments(program, command), folder=sandbox.path, env=box.env, limit_s=_LIMIT_S
            )
            found = json.loads(done.output)
        except (OSError, ValueError) as error:
            return _not_enforced(box, f"bubblewrap does not work here: {_why(error, locals().get('done'))}")
        checks = tuple(_checks(box, sandbox, found))
    failed = [check.name for check in checks if not check.held]
    return Enforcement(
        mechanism="bubblewrap",
        state="not enforced" if failed else "enforced",
        network=box.network,
        checks=checks,
        reason=f"a probe found: {', '.join(failed)}" if failed else "",
    )


def _not_enforced(box: Box, reason: str) -> Enforcement:
    return Enforcement(
        mechanism="none", state="not enforced", network=box.network, reason=printable(reason, clip=300)
    )


def _why(error: Exception, done: Any) -> str:
    errors = getattr(done, "errors", b"").decode("utf-8", "replace").strip()
    return errors.splitlines()[-1] if errors else str(error)


def _files(box: Box) -> list[str]:
    """Return files that must not be readable: the hidden ones, and some of the folders to keep out of."""
    found = [str(path) for path in box.hidden if path.is_file()]
    for folder in box.keep_out:
        inside = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
        found += [str(path) for path in inside if path not in box.binds][:_FILES]
    return found


def _checks(box: Box, sandbox: Sandbox, found: Mapping[str, Any]) -> list[Check]:
    leaked = [*found["read"], *found["walked"]]
    shown = sorted(path.name for path in sandbox.path.iterdir())
    ours = {kind: str(Path("/proc/self/ns", kind).readlink()) for kind in ("net", "pid")}
    handed = {*box.env, "PWD", "LC_CTYPE"}
    spare = set(found["environment"]) - handed
    # Each process shows the environment that it was started with, bubblewrap's own too.
    told = [name for name in os.environ if name not in handed and f"{name}=" in found["others"]]
    checks = [
        Check(name="the workspace is shown", held=found["workspace"] == shown),
        Check(name="the workspace is read-only", held=found["writes"] is False),
        Check(
            name="nothing outside is shown",
            held=not leaked,
            detail=printable(", ".join(leaked), clip=200),
        ),
        Check(name="the environment is scrubbed", held=not spare and not told),
        Check(name="other processes are not shown", held=found["spaces"]["pid"] not in ("", ours["pid"])),
    ]
    if not box.network:
        apart = found["spaces"]["net"] not in ("", ours["net"])
        checks.append(Check(name="the network is closed", held=apart and not found["reaches"]))
    return checks


def clean_environment(names: Mapping[str, str], *, path: str, home: str = HOME) -> dict[str, str]:
    """Return the environment of a command: the few variables that programs need, and those declared."""
    return {
        "PATH": path,
        "HOME": home,
        "TMPDIR": "/tmp" if home == HOME else home,  # noqa: S108 - inside the box
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        **names,
    }
