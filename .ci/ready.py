"""
Say what keeps the Python that runs this from checking this checkout; exit 0 if nothing does.

It must belong to a virtual environment that holds the project, editable or as an equal copy, and everything
that ``pyproject.toml`` asks for at run time and in the extra ``dev``.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

PROJECT = "pytest-judgeaudit"
PACKAGE = "pytest_judgeaudit"


def difference(source: Path, copy: Path) -> str | None:
    """Find the first file of a package that its installed copy lacks or holds differently."""
    for file in sorted(source.rglob("*")):
        name = file.relative_to(source)
        if not file.is_file() or "__pycache__" in name.parts:
            continue
        if not (copy / name).is_file() or (copy / name).read_bytes() != file.read_bytes():
            return name.as_posix()
    return None


def unmet(requirements: list[str]) -> str | None:
    """Find the first requirement that the environment does not meet."""
    from packaging.requirements import Requirement  # noqa: PLC0415  comes with pytest

    for requirement in map(Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            return f"{requirement.name} is not installed"
        if not requirement.specifier.contains(version, prereleases=True):
            return f"{requirement.name} is {version}, expected {requirement.specifier}"
    return None


def misfit(root: Path) -> str | None:
    """Say why the installed project is not this checkout."""
    project = importlib.metadata.distribution(PROJECT)
    origin = json.loads(project.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        here = Path(url2pathname(urlsplit(origin["url"]).path)).resolve() == root
        return None if here else "it holds another checkout of the project"
    name = difference(root / PACKAGE, Path(str(project.locate_file(PACKAGE))))
    return name and f"its copy of the project differs from this checkout in {name}"


def obstacle(root: Path) -> str | None:
    """Say why this environment cannot check the checkout at ``root``; None if it can."""
    if sys.prefix == sys.base_prefix:
        return "it is not a virtual environment"
    try:
        import tomllib  # noqa: PLC0415  the Python may be an old one
    except ImportError:
        return "its Python is older than 3.11"
    metadata = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    try:
        return misfit(root) or unmet([*metadata["dependencies"], *metadata["optional-dependencies"]["dev"]])
    except ImportError as error:  # PackageNotFoundError is one
        return f"{error.name} is not installed in it"


if __name__ == "__main__":
    if (reason := obstacle(Path(__file__).resolve().parents[1])) is not None:
        sys.stdout.write(reason + "\n")
        sys.exit(1)
