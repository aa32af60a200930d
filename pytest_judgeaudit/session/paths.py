"""Which files a run is about: the evals to run, and which modules hold evals at all."""

from __future__ import annotations

import os

import pytest

from pytest_judgeaudit.session.choices import Settings, without_gate
from pytest_judgeaudit.session.marking import OURS


def choose_paths(config: pytest.Config, settings: Settings) -> None:
    """
    Run the declared evals where no path is given, and a gate's test where a gate is named.

    In xdist's workers too: they are handed the command line, not what was made of it.
    """
    config.args[:] = list(dict.fromkeys(without_gate(argument) for argument in config.args))
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        return
    missing = [path for path in settings.paths if not path.exists()]
    if missing and not hasattr(config, "workerinput"):
        shown = os.path.relpath(missing[0], settings.root)
        raise pytest.UsageError(
            f"no evals at {shown}. Name a path, or set judge_audit_paths in the ini-file to where they are."
            f"{_misplaced(config, settings)}"
        )
    config.args[:] = [str(path) for path in settings.paths]


def _misplaced(config: pytest.Config, settings: Settings) -> str:
    """Explain a root directory that pytest took from an option with a path, or guessed."""
    if config.invocation_params.dir != settings.root:
        return f" The root directory is {settings.root}: write options with paths as --judge-report=FILE."
    if config.inipath is None:
        return (
            f" No ini-file was found from {settings.root} up: write a pytest.ini where the project begins."
        )
    return ""


def is_eval_path(settings: Settings, path: str) -> bool:
    """Whether a module holds evals: it lies where evals are, or names one of our markers."""
    file = settings.root / path
    if any(file.is_relative_to(folder) for folder in settings.paths):
        return True
    text = file.read_text("utf-8", "replace") if file.is_file() else ""
    return any(f"mark.{name}" in text for name in OURS)
