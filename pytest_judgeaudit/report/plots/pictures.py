"""All pictures that a report has data for, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_judgeaudit.report.details import Detail
from pytest_judgeaudit.report.facts import Report
from pytest_judgeaudit.report.plots import cells, floors, scales
from pytest_judgeaudit.report.plots.canvas import Picture
from pytest_judgeaudit.report.plots.traffic import traffic

DRAWN = (
    *(cells.certificate_map, cells.decomposition, cells.patterns, cells.forests),
    *(scales.ladders, floors.floors, floors.sights, floors.spreads, floors.noise, scales.risks),
)


def pictures(report: Report, details: Sequence[Detail]) -> Sequence[Picture]:
    """Draw what there is data for; the rest is left out."""
    found: list[Picture] = []
    for draw in DRAWN:
        drawn = draw(report)
        if isinstance(drawn, Picture):
            found.append(drawn)
        elif drawn is not None:
            found += drawn
    timed = traffic(details)
    return [*found, timed] if timed else found
