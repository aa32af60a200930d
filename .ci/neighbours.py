"""
Run the audit project of ``tests/neighbours`` beside other plug-ins, in environments of its own.

``neighbours.py [--python 3.12] [--pytest 8.4] [--only NAME]``: each option may be given several times.
Every combination gets a virtual environment with the project as a wheel and the plug-ins of
``tests/neighbours/requirements.txt``. Prints one table; exits with 1 if anything deviates from the run
without the neighbour, and with 2 where a Python is not on this machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.neighbours.neighbours import NEIGHBOURS  # noqa: E402
from tests.neighbours.project import decide  # noqa: E402
from tests.neighbours.runs import Bench  # noqa: E402
from tests.serving import serving  # noqa: E402

PYTHONS, PYTESTS = ("3.11", "3.12", "3.13"), ("8.4", "")
"""An empty release of pytest is the newest."""


def find_python(version: str) -> str | None:
    """Find an interpreter on the PATH, else among those of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    found = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)]
    return next((str(one) for one in found if one and _is(version, str(one))), None)


def _is(version: str, python: str) -> bool:
    # A shim of pyenv stands on the PATH for versions that are installed and not chosen.
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def pip(python: str, *arguments: str) -> None:
    """Run pip; what it says is shown where it fails."""
    command = [python, "-m", "pip", *arguments, "--quiet", "--no-input", "--disable-pip-version-check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"pip {' '.join(arguments)}:\n{done.stderr[-3000:]}")


def environment(folder: Path, python: str, wheel: Path, release: str) -> str:
    """Make an environment and return its interpreter."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    made = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    # Until pytest 9 subtests are a plug-in.
    more = [f"pytest=={release}.*", "pytest-subtests"] if release else []
    pip(made, "install", str(wheel), "-r", str(ROOT / "tests" / "neighbours" / "requirements.txt"), *more)
    return made


def rows(bench: Bench, only: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Run every neighbour that the environment has."""
    for name, neighbour in NEIGHBOURS.items():
        absent = [need for need in neighbour.needs if need not in bench.versions]
        if absent or (only and name not in only):
            continue
        versions = ", ".join(f"{need} {bench.versions[need]}" for need in neighbour.needs)
        yield f"{name} ({versions})" if versions else name, list(neighbour.scenario(bench))


def main() -> int:
    """Make, run and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for flag in ("python", "pytest", "only"):
        parser.add_argument(f"--{flag}", action="append", default=[])
    chosen = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as room, serving(decide) as server:
        pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", room, str(ROOT))
        (wheel,) = Path(room).glob("*.whl")
        print("| environment | neighbour | deviations |\n|---|---|---|")
        for version in chosen.python or PYTHONS:
            python = find_python(version)
            if python is None:
                print(f"Python {version} is not on this machine", file=sys.stderr)
                return 2
            for release in chosen.pytest or PYTESTS:
                folder = Path(room, f"{version}-{release or 'newest'}")
                made = environment(folder, python, wheel, release)
                bench = Bench(server=server, room=folder / "runs", python=made, thorough=True)
                where = f"Python {version}, pytest {bench.versions['pytest']}"
                for name, deviations in rows(bench, chosen.only):
                    failed += bool(deviations)
                    shown = "; ".join(deviations).replace("\n", " ")[:2000] or "none"
                    print(f"| {where} | {name} | {shown} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
