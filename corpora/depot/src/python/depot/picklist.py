"""What a workshop takes from the shelves. Packing is in packlist.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class PickLine(NamedTuple):
    """A quantity of a part at a shelf; ``missing`` is what the shelf lacks."""

    shelf_code: str
    part_no: str
    taken: int
    missing: int


def plan_picks(wanted: Mapping[str, int], shelves: Sequence[tuple[str, str, int]]) -> list[PickLine]:
    """
    Take each part from its shelves, the fullest shelf first.

    ``shelves`` are (shelf code, part, quantity). The walk is in the order of shelf codes.
    """
    picks = []
    for part_no, quantity in wanted.items():
        left = quantity
        stocked = sorted((s for s in shelves if s[1] == part_no), key=lambda s: -s[2])
        for shelf_code, _, held in stocked:
            taken = min(left, held)
            left -= taken
            if taken:
                picks.append(PickLine(shelf_code, part_no, taken, 0))
        if left:
            picks.append(PickLine("", part_no, 0, left))
    return sorted(picks)
