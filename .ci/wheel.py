"""
Build the sdist and from it the wheel, look into both, and use what a user gets, away from this tree.

In a clean environment with the wheel and in an empty folder: the self-check, ``--judge-init`` and its first
audit, and the README's files and commands with a judge behind a server of this process. Then the sdist is
installed in the wheel's place. Ends with 1 and the reason where something is wrong.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "pytest_judgeaudit"
REQUIRED = (
    "py.typed",
    "corpora/finite_code/certificates.json",
    "corpora/ladder/tasks.toml",
    "corpora/questions.schema.json",
    "corpora/renaming/vocabulary/python.txt",
    "judge/texts/pairwise-1.txt",
    "report/schema.json",
    "report/templates/report.html.j2",
    "session/beginning/judgeaudit.toml",
    "settings/judgeaudit.schema.json",
)
"""One of each kind of files that are no modules."""

SOURCES = ("pyproject.toml", "README.md", "LICENSE", f"{PACKAGE}/py.typed", "tests/conftest.py")
FOREIGN = re.compile(r"(^|/)(__pycache__|\.venv|\.git|\.[a-z_]+_cache|\.journal|dist|build)(/|$)|\.pyc$")
"""What belongs to a machine or to a run."""


class WheelError(Exception):
    """Something that a user would miss, or would get and should not."""


def wrong_in_wheel(names: Iterable[str], sources: Iterable[str]) -> Iterator[str]:
    """
    Say what a wheel of these files lacks or should not hold.

    ``sources`` are the files of the package in the tree, relative to it.
    """
    found, wanted = set(names), {f"{PACKAGE}/{name}" for name in sources}
    meta = {name for name in found if re.match(rf"{PACKAGE}-[^/]+\.dist-info/", name)}
    yield from (f"the wheel lacks {name}" for name in sorted(wanted - found))
    yield from (f"the wheel holds {name}" for name in sorted(found - wanted - meta))
    yield from (f"the package lacks {name}" for name in REQUIRED if f"{PACKAGE}/{name}" not in wanted)
    for ending in ("licenses/LICENSE", "entry_points.txt", "METADATA"):
        if not any(name.endswith(f".dist-info/{ending}") for name in meta):
            yield f"the wheel lacks {ending}"


def wrong_in_sdist(names: Iterable[str]) -> Iterator[str]:
    """Say what an sdist of these files lacks or should not hold; each name begins with its folder."""
    found = {name.partition("/")[2] for name in names}
    yield from (f"the sdist lacks {name}" for name in SOURCES if name not in found)
    yield from (f"the sdist holds {name}" for name in sorted(found) if FOREIGN.search(name))


def sources() -> list[str]:
    """The files of the package in this tree."""
    files = (file.relative_to(ROOT / PACKAGE) for file in (ROOT / PACKAGE).rglob("*") if file.is_file())
    return [file.as_posix() for file in files if "__pycache__" not in file.parts]


def run(*command: str | Path, cwd: Path, expected: int = 0, env: Mapping[str, str] | None = None) -> str:
    """Run a command away from the tree, and return what it said; WheelError for another exit status."""
    done = subprocess.run(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != expected:
        shown = (done.stdout + done.stderr)[-4000:]
        raise WheelError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{shown}")
    return done.stdout


def new_environment(folder: Path) -> Path:
    """Make a clean environment and return its interpreter."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def built(work: Path) -> tuple[Path, Path]:
    """Build both in an environment of their own: the sdist from the tree, the wheel from the sdist."""
    python = new_environment(work / "tools")
    run(python, "-m", "pip", "install", "-q", "build", cwd=work)
    run(python, "-m", "build", "-q", "--outdir", work / "made", ROOT, cwd=work)
    (wheel,), (sdist,) = (work / "made").glob("*.whl"), (work / "made").glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        wrong = list(wrong_in_wheel(archive.namelist(), sources()))
    with tarfile.open(sdist) as archive:
        wrong += wrong_in_sdist(archive.getnames())
    if wrong:
        raise WheelError("\n".join(wrong))
    return wheel, sdist


def begin(python: Path, folder: Path, env: Mapping[str, str]) -> None:
    """Let ``--judge-init`` make a project, and audit it."""
    folder.mkdir()
    run(python, "-m", "pytest", "--judge-init", cwd=folder, env=env)
    if "1 PASS, 1 MISS" not in run(python, "-m", "pytest", "--judge-audit", cwd=folder, env=env):
        raise WheelError("--judge-init: its first audit does not find the planted fault")


def follow_readme(python: Path, folder: Path, env: Mapping[str, str]) -> None:
    """Write the README's files and run its commands; only the last one has no server."""
    from tests.serving import serving  # noqa: PLC0415 - of the tree, which this process alone knows
    from tests.test_readme import COMMANDS, FILES, knows_the_battery  # noqa: PLC0415 - likewise

    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    with serving(knows_the_battery) as server:
        for name, text in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(re.sub(r"127\.0\.0\.1:\d+", server.host, text), encoding="utf-8")
        for command in COMMANDS[:-1]:
            run(python, "-m", *command.split(), cwd=folder, env=env)
    run(python, "-m", *COMMANDS[-1].split(), cwd=folder, env=env)


def use(wheel: Path, sdist: Path, work: Path) -> None:
    """Install the wheel and do with it what a user does; then install the sdist."""
    from tests.serving import environment  # noqa: PLC0415 - of the tree

    env = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    python, empty = new_environment(work / "clean"), work / "empty"
    empty.mkdir()
    install = (python, "-m", "pip", "install", "-q")
    run(*install, wheel, cwd=empty, env=env)
    where = f"import {PACKAGE}; print({PACKAGE}.__file__)"
    place = Path(run(python, "-c", where, cwd=empty, env=env).strip())
    if not place.is_relative_to(work / "clean"):
        raise WheelError(f"{place} was imported, expected the installed package")
    print(run(python, "-m", "pytest", "--judge-selfcheck", cwd=empty, env=env))
    begin(python, work / "begun", env)
    follow_readme(python, work / "readme", env)
    run(*install, "--no-deps", "--force-reinstall", sdist, cwd=empty, env=env)
    lost = [name for name in sources() if not (place.parent / name).is_file()]
    if lost:
        raise WheelError(f"installed from the sdist it lacks {', '.join(lost)}")
    begin(python, work / "again", env)


def main() -> int:
    """Build and use it."""
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        try:
            use(*built(work), work)
        except WheelError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
