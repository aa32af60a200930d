"""Command line and ini: one table of options. Every run of pytest imports it: keep it light."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

GROUP = "judge audit"


class Option(NamedTuple):
    """One command-line option: its flag, and what argparse is told."""

    flag: str
    help: str
    argparse: dict[str, Any]

    @property
    def dest(self) -> str:
        """The attribute name under which pytest keeps the value."""
        return self.flag.removeprefix("--").replace("-", "_")


def _switch(flag: str, text: str) -> Option:
    return Option(flag=flag, help=text, argparse={"action": "store_true", "default": False})


def _value(flag: str, metavar: str, text: str, *, repeat: bool = False) -> Option:
    action: dict[str, Any] = {"action": "append", "default": []} if repeat else {"default": None}
    return Option(flag=flag, help=text, argparse={"metavar": metavar, **action})


OPTIONS = (
    _switch(
        "--judge-audit",
        "run the evals: those of ini judge_audit_paths where no path is given. Without it every eval test "
        "is skipped and nothing is read or asked",
    ),
    _switch(
        "--judge-live",
        "also ask for answers that are missing or stale (default: stored answers only, no connection)",
    ),
    _switch("--judge-live-all", "ask for every answer again: a fresh campaign"),
    _value("--judge", "NAME", "only this judge (repeatable)", repeat=True),
    _value("--agent", "NAME", "only this agent (repeatable)", repeat=True),
    _value("--criterion", "NAME", "only this criterion (repeatable)", repeat=True),
    _value(
        "--judge-config",
        "FILE",
        "the configuration (default: judgeaudit.toml beside the ini-file, else [tool.judgeaudit] in "
        "pyproject.toml)",
    ),
    _value(
        "--judge-report", "FILE", "write the audit; by suffix .json, .html or .md (repeatable)", repeat=True
    ),
    _value("--judge-baseline", "FILE", "compare with an earlier JSON report, task by task"),
    _switch("--judge-freeze", "write the protocol lock without asking anything"),
    Option(
        flag="--judge-probe",
        help="ask every configured model three times (or N, at least 2) what it is",
        argparse={"nargs": "?", "const": "3", "default": None, "metavar": "N"},
    ),
    _switch(
        "--judge-plan",
        "collect only: the calls a run would make, and which gates can pass at this number of tasks",
    ),
    _value(
        "--judge-show",
        "TASK",
        "show one task from what is stored: the prompt's parts, both orders, raw answers, attempts, "
        "grades; nothing else",
    ),
    _switch(
        "--judge-prune", "remove stored answers and accepted grades that no item of a complete run uses"
    ),
    _switch(
        "--judge-selfcheck", "run planted judges and logs, and show that each fault is caught; nothing else"
    ),
    _switch(
        "--judge-init",
        "write a configuration, an eval and ten example pairs into a project that has none; nothing else",
    ),
    _value("--judge-shard", "I/N", "only tasks whose hash falls in shard I of N"),
)


class Ini(NamedTuple):
    """One ini value."""

    name: str
    help: str
    type: str
    default: Any


INI = (
    Ini(
        name="judge_audit_paths",
        help="what --judge-audit runs when no path is given, relative to the ini-file (default: evals)",
        type="paths",
        default=None,
    ),
    Ini(
        name="judge_audit_snapshots",
        help="the folder of stored answers, relative to the ini-file (default: snapshots)",
        type="string",
        default="snapshots",
    ),
)


def add(parser: pytest.Parser) -> None:
    """Add every option and ini value of the tables."""
    group = parser.getgroup(GROUP)
    for option in OPTIONS:
        group.addoption(option.flag, dest=option.dest, help=option.help, **option.argparse)
    for ini in INI:
        parser.addini(ini.name, ini.help, type=ini.type, default=ini.default)  # type: ignore[arg-type]


def asked_for_audit(config: pytest.Config) -> bool:
    """Whether any option asks for a part of an audit; alone, options that need it are a usage error."""
    if config.getoption("judge_audit"):
        return True
    lonely = [option.flag for option in OPTIONS if config.getoption(option.dest, None)]
    if lonely and not config.getoption("help"):
        raise pytest.UsageError(f"{lonely[0]} does nothing by itself. Add --judge-audit.")
    return False
