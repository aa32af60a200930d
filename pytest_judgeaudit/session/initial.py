"""``--judge-init``: the three files of a first audit, written into a project that has none of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.saying import say
from pytest_judgeaudit.settings.sources import FILE, find_source


class Beginning(NamedTuple):
    """One file to write: where, what of ours it holds, and what is said of it."""

    path: Path
    holds: str
    meaning: str


def begin(config: pytest.Config) -> pytest.ExitCode:
    """
    Write a configuration, an eval and ten pairs; say what was written and what to run next.

    UsageError, and nothing written: where one of the files or another configuration is there already, where
    the folder is not the project's root, and where a file cannot be written.
    """
    root = config.rootpath
    _check_root(config, root)
    planned = _planned(config, root)
    _check_free(root, planned)
    _write({one.path: _text(one.holds) for one in planned}, root)
    say("judge audit: wrote")
    for one in planned:
        say(f"  {_shown(one.path, root):<24} {one.meaning}")
    say("next: pytest --judge-audit")
    return pytest.ExitCode.OK


def _planned(config: pytest.Config, root: Path) -> tuple[Beginning, ...]:
    evals = Path((config.getini("judge_audit_paths") or [root / "evals"])[0])
    if evals.suffix == ".py" or not evals.is_relative_to(root):
        raise pytest.UsageError(
            f"--judge-init: judge_audit_paths begins with {evals}, expected a folder in {root}"
        )
    return (
        Beginning(root / FILE, "judgeaudit.toml", "a planted judge, and how to name yours"),
        Beginning(evals / "test_judge.py", "eval.txt", "what must hold of a judge"),
        Beginning(root / "corpora" / "pairs.jsonl", "pairs.jsonl", "ten pairs to start from"),
    )


def _check_root(config: pytest.Config, root: Path) -> None:
    here = config.invocation_params.dir
    if here.resolve() != root.resolve():
        raise pytest.UsageError(
            f"--judge-init: this folder belongs to the project in {root}. Run it there, or first put a "
            "pytest.ini that begins with [pytest] here."
        )


def _check_free(root: Path, planned: tuple[Beginning, ...]) -> None:
    for one in planned:
        # A link that leads nowhere is a file of somebody's, too.
        if os.path.lexists(one.path):
            raise pytest.UsageError(
                f"--judge-init: {_shown(one.path, root)} is there already. Nothing was written: rename it, "
                "or start in another folder."
            )
    try:
        source = find_source(None, root)
    except Refused as error:
        raise pytest.UsageError(f"--judge-init: {error}") from None
    if source is not None:
        raise pytest.UsageError(
            f"--judge-init: {source.label} has a table [tool.judgeaudit] already, which {FILE} would hide. "
            "Nothing was written."
        )


def _write(texts: Mapping[Path, str], root: Path) -> None:
    """Write all files, or none."""
    made: list[Path] = []
    try:
        for path, text in texts.items():
            made += _folders(path.parent)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                made.append(path)
                file.write(text)
    except OSError as error:
        for one in reversed(made):
            one.rmdir() if one.is_dir() else one.unlink()
        raise pytest.UsageError(
            f"--judge-init: {_shown(path, root)} cannot be written: {error.strerror or error}. "
            "Nothing was written."
        ) from None


def _folders(folder: Path) -> list[Path]:
    """Make a folder with its parents; those that were not there before, the outermost first."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()][::-1]
    for one in missing:
        one.mkdir()
    return missing


def _text(name: str) -> str:
    return (files("pytest_judgeaudit.session") / "beginning" / name).read_text(encoding="utf-8")


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
