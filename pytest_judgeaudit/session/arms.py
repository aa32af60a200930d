"""The arms of questions: what an agent can see, and under which names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pytest_judgeaudit.records.errors import Refused, nearest

ARMS = ("sighted", "blind", "renamed-sighted", "renamed-blind")
_ARM = re.compile(r"(renamed-)?(sighted|blind)(?:@([1-9]\d{0,3}))?")


class Arm(NamedTuple):
    """An arm by its parts; ``seed`` counts the corpus' ``rename_seeds`` from 1, None without a rename."""

    name: str
    blind: bool
    seed: int | None

    @classmethod
    def of(cls, name: str) -> Arm:
        """Read an arm's name; Refused for one that is none."""
        found = _ARM.fullmatch(name)
        if found is None or (found[3] and not found[1]):
            raise Refused(f"arms: found {name!r}, expected {', '.join(ARMS)}.{nearest(name, ARMS)}")
        return cls(name, found[2] == "blind", int(found[3] or 1) if found[1] else None)


def checked_arms(arms: Any) -> tuple[str, ...]:
    """Check the argument of a marker: a tuple of arms, each once; Refused for anything else."""
    if isinstance(arms, str) or not isinstance(arms, (tuple, list)) or not arms:
        raise Refused(f"arms: found {arms!r}, expected a tuple of {', '.join(ARMS)}")
    for name in arms:
        if not isinstance(name, str):
            raise Refused(f"arms: found {name!r}, expected a tuple of {', '.join(ARMS)}")
        Arm.of(name)
        if arms.count(name) > 1:
            raise Refused(f"arms: {name!r} stands there twice")
    return tuple(arms)


def every_seed(arms: Sequence[str], seeds: int) -> tuple[str, ...]:
    """
    Write out renamed arms, one for each seed of the corpus.

    >>> every_seed(("blind", "renamed-blind"), 2)
    ('blind', 'renamed-blind', 'renamed-blind@2')
    """
    found: list[str] = []
    for arm in map(Arm.of, arms):
        if arm.seed is None or "@" in arm.name:
            found.append(arm.name)
        else:
            found += [arm.name, *(f"{arm.name}@{number}" for number in range(2, seeds + 1))]
    return tuple(dict.fromkeys(found))
