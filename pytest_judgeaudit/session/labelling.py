"""The arguments that only ``labelled_answers`` has: its controls, and how its source writes labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.labelled import CONTROLS, LABELS, Control


def checked_controls(controls: Any) -> tuple[Control, ...]:
    """Return the controls that a marker asks for, in our order; Refused for an unknown one."""
    if isinstance(controls, str) or not isinstance(controls, Collection):
        raise Refused(f"controls: found {controls!r}, expected a tuple of {', '.join(CONTROLS)}, or ()")
    for control in controls:
        if control not in CONTROLS:
            raise Refused(
                f"controls: found {control!r}, expected {', '.join(CONTROLS)}."
                f"{nearest(str(control), CONTROLS)}"
            )
    return tuple(control for control in CONTROLS if control in controls)


def checked_words(labels: Any) -> Mapping[str, str | int | bool] | None:
    """Return how a source writes both labels, None for as we do; Refused where they are not two words."""
    if labels is None:
        return None
    named = isinstance(labels, Mapping) and set(labels) == set(LABELS)
    plain = named and all(isinstance(word, str | int) for word in labels.values())
    # True equals 1: whoever writes one label with each cannot tell them apart in every row.
    if not plain or len(set(labels.values())) < len(LABELS):
        raise Refused(
            f"labels: found {labels!r}, expected how the source writes both, "
            "such as {'good': 'pass', 'bad': 'fail'}"
        )
    return dict(labels)
