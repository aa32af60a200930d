"""
The controlled ladder: ten tasks of five requirements, in texts that meet the first 0 to 5 of them.

Texts of one task differ in what they say and hardly in length. Pairs of two levels have a declared winner;
pairs of one level differ in wording alone and should be tied.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import NamedTuple

import tomli

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Kind, Pair

SOURCE = "battery:ladder"
LEVELS = range(6)
"""How many of the five requirements a text meets."""

OPENINGS = ("Here is the text that you asked for.", "Below is the text that you asked us for.")
"""The surfaces of one level: three words apart."""


class Rung(NamedTuple):
    """One task: its prompt, and a sentence that meets each requirement or has its length alone."""

    id: str
    prompt: str
    met: tuple[str, ...]
    missed: tuple[str, ...]

    def text(self, level: int, *, surface: int = 0) -> str:
        """Return the text that meets the first ``level`` requirements."""
        return " ".join((OPENINGS[surface], *self.met[:level], *self.missed[level:]))


@cache
def tasks() -> tuple[Rung, ...]:
    """Return the ten tasks, in the order of their file."""
    text = files(__package__).joinpath("tasks.toml").read_text(encoding="utf-8")
    return tuple(
        Rung(found["id"], found["prompt"], tuple(found["met"]), tuple(found["missed"]))
        for found in tomli.loads(text)["task"]
    )


@cache
def pairs(kind: Kind) -> tuple[Pair, ...]:
    """
    Return the ladder's pairs of one kind, in order AB.

    ``signal``: the 150 pairs of two levels, subset ``gap 1`` to ``gap 5``; the higher level should win and
    stands first. ``equivalent``: the 60 pairs of one level in two surfaces, subset ``level 0`` to
    ``level 5``. The family is the task. Refused: copies, of which a level has no more than any text.
    """
    if kind == "signal":
        return tuple(_signal(task, high, low) for task in tasks() for low, high in combinations(LEVELS, 2))
    if kind == "equivalent":
        return tuple(_equivalent(task, level) for task in tasks() for level in LEVELS)
    raise Refused(f"{SOURCE} has no {kind} pairs; there are signal and equivalent pairs")


def _signal(task: Rung, high: int, low: int) -> Pair:
    return Pair(
        id=f"{task.id}-{high}-{low}",
        prompt=task.prompt,
        first=task.text(high),
        second=task.text(low),
        target="first",
        kind="signal",
        subset=f"gap {high - low}",
        family=task.id,
        source=SOURCE,
    )


def _equivalent(task: Rung, level: int) -> Pair:
    return Pair(
        id=f"{task.id}-{level}",
        prompt=task.prompt,
        first=task.text(level),
        second=task.text(level, surface=1),
        target="tie",
        kind="equivalent",
        # Of one level by construction; no person validated that they are equally good.
        stratum="unvalidated",
        subset=f"level {level}",
        family=task.id,
        source=SOURCE,
    )
