"""Holm families: every declared clone gate keeps its place, measured or not (RULES R1–R3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.stats.families import holm


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """
    One clone gate in its family.

    ``p_raw`` is None for a member that was not measured: it counts with p = 1 and prints none.
    ``absent`` counts members that selection left out, this one included. ``p_holm`` is then what the gate
    has if they count with p = 1, an upper limit. ``record`` is the family as the report shows it, one for
    all of its members.
    """

    family: str
    members: tuple[str, ...]
    p_raw: float | None
    p_holm: float | None
    absent: int
    record: Mapping[str, Any]


def families(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return the declared families: name to gate ids, in the order of their declaration."""
    members: dict[str, dict[str, None]] = defaultdict(dict)
    for member in plan.members:
        members[member.family or member.study][member.gate] = None
    return {name: tuple(gates) for name, gates in members.items()}


def standings(plan: Plan, p_values: Mapping[str, float | None]) -> dict[str, Standing]:
    """
    Adjust each family's p-values by Holm.

    ``p_values`` maps the id of each clone gate that was selected in full to its raw p, None where it is
    HOLD; a member that is not there was left out by selection.
    """
    return dict(_standings(families(plan), p_values))


def _standings(
    declared: Mapping[str, tuple[str, ...]], p_values: Mapping[str, float | None]
) -> Iterator[tuple[str, Standing]]:
    for family, members in declared.items():
        raw = {name: p_values.get(name) for name in members}
        adjusted = holm({name: 1.0 if p is None else p for name, p in raw.items()})
        absent = sum(name not in p_values for name in members)
        record = {"name": family, "m": len(members), "members": list(members)}
        for name in members:
            yield (
                name,
                Standing(
                    family=family,
                    members=members,
                    p_raw=raw[name],
                    p_holm=None if raw[name] is None else adjusted[name],
                    absent=absent,
                    record=record,
                ),
            )
