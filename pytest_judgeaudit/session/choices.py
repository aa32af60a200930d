"""What the command line and the ini-file chose, read once and checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

SUFFIXES = (".json", ".html", ".md")
"""Suffixes of our reports; plug-ins may register others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The ``index``-th (from 1) of ``count`` shares of the tasks."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str | None) -> Shard | None:
        """Read ``I/N``; UsageError for anything else."""
        if text is None:
            return None
        found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise pytest.UsageError(f"--judge-shard {text}: expected I/N with 1 <= I <= N, such as 1/4.")
        return cls(index=int(found[1]), count=int(found[2]))

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def holds(self, task: str) -> bool:
        """Whether a task falls into this share: by hash of its id, so all its calls stay together."""
        digest = hashlib.blake2b(task.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.index - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """
    What the command line and the ini-file ask for.

    ``mode`` is ``replay``, ``live`` or ``live-all``. ``judges``, ``criteria`` and ``agents`` are empty for
    all.
    ``root`` is pytest's root directory, ``paths`` the evals to run where the command line names none,
    ``snapshots`` the folder of stored answers. ``probe`` is the number of calls of a probe.
    """

    root: Path
    mode: Literal["replay", "live", "live-all"]
    judges: tuple[str, ...]
    criteria: tuple[str, ...]
    agents: tuple[str, ...]
    configuration: Path | None
    reports: tuple[Path, ...]
    baseline: Path | None
    plan_only: bool
    show: str | None
    freeze: bool
    prune: bool
    probe: int | None
    shard: Shard | None
    paths: tuple[Path, ...]
    snapshots: Path
    verbose: int

    @property
    def narrowed(self) -> bool:
        """Whether judges, criteria or agents are left out."""
        return bool(self.judges or self.criteria or self.agents)

    @classmethod
    def of(cls, config: pytest.Config, *, suffixes: Iterable[str] = ()) -> Settings:
        """
        Read and check the options; UsageError, one line, for what is wrong.

        ``suffixes`` are those of reports that plug-ins write.
        """
        _check_options(config)
        explicit = config.getoption("judge_config")
        here = config.invocation_params.dir
        return cls(
            root=config.rootpath,
            mode=_mode(config.getoption),
            judges=tuple(config.getoption("judge")),
            criteria=tuple(config.getoption("criterion")),
            agents=tuple(config.getoption("agent")),
            configuration=here / explicit if explicit else None,
            reports=tuple(
                _report(here / name, (*SUFFIXES, *suffixes)) for name in config.getoption("judge_report")
            ),
            baseline=here / config.getoption("judge_baseline")
            if config.getoption("judge_baseline")
            else None,
            plan_only=config.getoption("judge_plan"),
            show=config.getoption("judge_show"),
            freeze=config.getoption("judge_freeze"),
            prune=config.getoption("judge_prune"),
            probe=_probe(config.getoption("judge_probe")),
            shard=Shard.parse(config.getoption("judge_shard")),
            paths=tuple(config.getini("judge_audit_paths") or (config.rootpath / "evals",)),
            snapshots=config.rootpath / (config.getini("judge_audit_snapshots") or "snapshots"),
            verbose=config.get_verbosity(),
        )


def _check_options(config: pytest.Config) -> None:
    narrowed = any(config.getoption(name) for name in ("judge", "criterion", "agent"))
    if config.getoption("judge_prune") and narrowed:
        raise pytest.UsageError(
            "--judge-prune removes what a complete run does not use. Leave --judge, --criterion and "
            "--agent out."
        )
    if config.getoption("dist", "no") == "each" and _mode(config.getoption) != "replay":
        raise pytest.UsageError(
            "--dist=each: every worker would ask for every answer, and each would be paid for. "
            "Use --dist=load."
        )


def _mode(option: Callable[[str], Any]) -> Literal["replay", "live", "live-all"]:
    if option("judge_live_all"):
        return "live-all"
    return "live" if option("judge_live") else "replay"


def _probe(value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or int(value) < 2:
        raise pytest.UsageError(
            f"--judge-probe={value}: expected a whole number of calls, at least 2: one call cannot show "
            "that an answer is stable."
        )
    return int(value)


def _report(path: Path, suffixes: Sequence[str]) -> Path:
    if path.suffix not in suffixes:
        raise pytest.UsageError(
            f"--judge-report {path.name}: unknown suffix. Expected a name ending in {', '.join(suffixes)}."
        )
    # Known before anything is asked; what else the disk says is told when the report is written.
    nearest = next(parent for parent in path.parents if parent.exists())
    if path.is_dir() or not nearest.is_dir():
        what = path if path.is_dir() else nearest
        kind = "a folder" if path.is_dir() else "no folder"
        raise pytest.UsageError(f"--judge-report {path.name}: {what} is {kind}. Name a file of your own.")
    return path


def without_gate(argument: str) -> str:
    """
    Turn the id of a gate, as the summary prints it, into the id of its test.

    >>> without_gate("evals/test_a.py::test_x::clone_gate[qwen-neutral]")
    'evals/test_a.py::test_x'
    """
    return _GATE.sub("", argument)


_GATE = re.compile(
    r"::(?:clone_gate|utility_gate|rate_gate|operational_gate|blind_floor|grades|collected)(?:\[.*\])?$"
)
