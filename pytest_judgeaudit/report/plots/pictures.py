"""All pictures that a report has data for, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_judgeaudit.report.details import Detail
from pytest_judgeaudit.report.facts import Report
from pytest_judgeaudit.report.plots import cells
from pytest_judgeaudit.report.plots.canvas import Picture


def pictures(report: Report, details: Sequence[Detail]) -> Sequence[Picture]:
    """Draw what there is data for; the rest is left out."""
    drawn = (cells.certificate_map(report), cells.decomposition(report), cells.patterns(report))
    found = [picture for picture in drawn if picture is not None]
    return [*found, *cells.forests(report)]
