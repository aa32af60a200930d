"""Run lengths: how many readings stand in long stretches of equal neighbours."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, IntegerList
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
A run is a stretch of equal neighbouring elements of values that cannot be extended to either side. \
A run counts if it has at least $LEAST elements and its elements are not equal to $IDLE. Return the \
sum of the lengths of all runs that count; 0 if none does."""

SCAN = """\
def solve(values):
    total = length = 0
    previous = None
    for value in values + [None]:
        if value != previous:
            if length >= $LEAST and previous != $IDLE:
                total += length
            length = 0
        length += 1
        previous = value
    return total
"""

TWO_ENDS = """\
def solve(values):
    total = 0
    start = 0
    while start < len(values):
        stop = start + 1
        while stop < len(values) and values[stop] == values[start]:
            stop += 1
        if stop - start >= $LEAST and values[start] != $IDLE:
            total += stop - start
        start = stop
    return total
"""

FAULTS = {
    "last run forgotten": Fault(shape="scan", was="values + [None]", now="values"),
    "strictly longer": Fault(shape="scan", was="length >= $LEAST", now="length > $LEAST"),
    "counts runs": Fault(shape="scan", was="total += length", now="total += 1"),
    "next value tested": Fault(shape="scan", was="previous != $IDLE", now="value != $IDLE"),
    "idle runs count": Fault(shape="two ends", was=" and values[start] != $IDLE", now=""),
    "last element cut off": Fault(
        shape="two ends", was="while stop < len(values) and", now="while stop < len(values) - 1 and"
    ),
    "tails counted again": Fault(shape="two ends", was="start = stop\n", now="start += 1\n"),
    "element skipped": Fault(shape="two ends", was="start = stop\n", now="start = stop + 1\n"),
    "least not enough": Fault(shape="two ends", was="stop - start >= $LEAST", now="stop - start > $LEAST"),
}


def _setting(
    least: int, idle: int, *, high: int, longest: int, reference: str, fault: str, low: int = 0
) -> Setting:
    domain = Domain(arguments=(IntegerList(name="values", low=low, high=high, longest=longest),))
    return Setting(values={"LEAST": least, "IDLE": idle}, domain=domain, reference=reference, fault=fault)


FAMILY = Family(
    name="runs",
    task=TASK,
    shapes={"scan": SCAN, "two ends": TWO_ENDS},
    faults=FAULTS,
    settings=(
        _setting(2, 0, high=2, longest=5, reference="scan", fault="idle runs count"),
        _setting(2, 1, high=2, longest=5, reference="two ends", fault="last run forgotten"),
        _setting(3, 0, high=1, longest=8, reference="scan", fault="strictly longer"),
        _setting(3, 1, high=1, longest=8, reference="two ends", fault="last element cut off"),
        _setting(2, 2, high=3, longest=4, reference="scan", fault="least not enough"),
        _setting(2, 3, high=3, longest=4, reference="two ends", fault="tails counted again"),
        _setting(3, 2, high=2, longest=6, reference="scan", fault="counts runs"),
        _setting(2, -1, low=-1, high=1, longest=5, reference="two ends", fault="element skipped"),
        _setting(4, 0, high=1, longest=8, reference="scan", fault="last element cut off"),
        _setting(4, 1, high=1, longest=8, reference="two ends", fault="strictly longer"),
        _setting(3, -1, low=-1, high=1, longest=6, reference="scan", fault="tails counted again"),
        _setting(2, 4, low=3, high=5, longest=5, reference="two ends", fault="next value tested"),
    ),
)
