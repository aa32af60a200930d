"""What goes into which box. Picking is in picklist.py."""

from __future__ import annotations

from collections.abc import Iterable

BOX_GRAMS = 12_000


def plan_boxes(weights: Iterable[tuple[str, int]]) -> list[list[str]]:
    """
    Put parts into boxes of at most BOX_GRAMS, heaviest first, each into the first box with room.

    A part that is heavier than a box is refused.
    """
    boxes: list[list[str]] = []
    loads: list[int] = []
    for part_no, grams in sorted(weights, key=lambda pair: -pair[1]):
        if grams > BOX_GRAMS:
            raise ValueError(f"{part_no} weighs {grams} g, a box holds {BOX_GRAMS} g")
        for number, load in enumerate(loads):
            if load + grams <= BOX_GRAMS:
                boxes[number].append(part_no)
                loads[number] += grams
                break
        else:
            boxes.append([part_no])
            loads.append(grams)
    return boxes
