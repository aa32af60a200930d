"""Whether what should keep an agent in really does: attempts to get out that are made, not assumed."""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_judgeaudit.agent.sandboxes import Sandbox
from pytest_judgeaudit.agent.tools import SPECS, Toolbox
from pytest_judgeaudit.records.tools import ToolUse
from pytest_judgeaudit.records.traces import Check, Enforcement


class Remembered:
    """Enforcement by sandbox: each is probed once. Safe to use from several threads."""

    def __init__(self) -> None:
        self._known: dict[Path, Enforcement] = {}
        self._lock = threading.Lock()

    def get(self, sandbox: Sandbox, probe: Callable[[], Enforcement]) -> Enforcement:
        """Return what is known of a sandbox, or probe it."""
        with self._lock:
            if sandbox.path not in self._known:
                self._known[sandbox.path] = probe()
            return self._known[sandbox.path]


class Canary:
    """A file beside a sandbox whose content must never be seen in it."""

    def __init__(self, file: Path, token: str) -> None:
        self.file = file
        self.token = token


@contextmanager
def canary(sandbox: Sandbox) -> Iterator[Canary]:
    """Put a canary into a folder beside the sandbox, and remove it."""
    folder = Path(tempfile.mkdtemp(prefix="beside-", dir=sandbox.path.parent))
    token = secrets.token_hex(16)
    file = folder / "canary.txt"
    try:
        file.write_text(token, encoding="ascii")
        yield Canary(file, token)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class ToolSurfaceProbe:
    """Tries the sandbox's own tools with paths that lead to a canary."""

    def __init__(self) -> None:
        self._known = Remembered()

    def enforcement(self, sandbox: Sandbox) -> Enforcement:
        """Return the tool surface of a sandbox with the probes made on it."""
        return self._known.get(sandbox, lambda: _tool_surface(sandbox))


def _tool_surface(sandbox: Sandbox) -> Enforcement:
    with canary(sandbox) as bird:
        checks = [*_path_checks(sandbox, bird), _view(sandbox), _other_tools(sandbox)]
    return Enforcement(mechanism="tool surface", state="enforced", checks=tuple(checks))


def _path_checks(sandbox: Sandbox, bird: Canary) -> Iterator[Check]:
    beside = f"{bird.file.parent.name}/{bird.file.name}"
    ways = {
        "absolute path": str(bird.file),
        "path upwards": f"../{beside}",
        "path upwards from below": f"a/../../{beside}",
        "path with back-slashes": f"..\\{beside}",
        "address of a file": f"file://{bird.file}",
    }
    for name, path in ways.items():
        box = Toolbox(sandbox, tuple(SPECS))
        seen = [box.call(_use(tool, path=path, pattern=".")) for tool in SPECS]
        held = not any(bird.token in text for text in seen) and len(box.events) == len(SPECS)
        yield Check(name=f"{name} is denied", held=held)


def _view(sandbox: Sandbox) -> Check:
    """The listing shows what was copied and no more; nothing, and that denied, in a blind arm."""
    box = Toolbox(sandbox, tuple(SPECS))
    listing = box.call(_use("list", path="."))
    if sandbox.blind:
        there = list(sandbox.path.iterdir())
        return Check(name="nothing is there and no tool is granted", held=not there and bool(box.events))
    entries = [line for line in listing.splitlines() if not line.startswith("[")]
    most = len(sandbox.tree.files) or 1
    return Check(name="the copy is shown", held=0 < len(entries) <= most and not box.events)


def _other_tools(sandbox: Sandbox) -> Check:
    box = Toolbox(sandbox, tuple(SPECS))
    box.call(_use("bash", command="true"))
    return Check(name="a tool that was not granted is denied", held=len(box.events) == 1)


def _use(tool: str, **arguments: str) -> ToolUse:
    return ToolUse(id="probe", name=tool, arguments=arguments, raw=json.dumps(arguments))
