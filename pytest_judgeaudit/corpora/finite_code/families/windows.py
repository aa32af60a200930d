"""Window sums: the largest sum of neighbouring elements that does not exceed a cap."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, IntegerList
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
A window is a stretch of exactly $WIDTH neighbouring elements of values. Return the largest sum of a \
window among those windows whose sum is at most $CAP. Return $DEFAULT if there is no such window, in \
particular if values has fewer than $WIDTH elements."""

SLICES = """\
def solve(values):
    best = None
    for start in range(len(values) - $WIDTH + 1):
        total = sum(values[start:start + $WIDTH])
        if total <= $CAP and (best is None or total > best):
            best = total
    return $DEFAULT if best is None else best
"""

SLIDING = """\
def solve(values):
    total = 0
    sums = []
    for index, value in enumerate(values):
        total += value
        if index >= $WIDTH:
            total -= values[index - $WIDTH]
        if index >= $WIDTH - 1 and total <= $CAP:
            sums.append(total)
    return max(sums) if sums else $DEFAULT
"""

FAULTS = {
    "last window missed": Fault(shape="slices", was=" - $WIDTH + 1", now=" - $WIDTH"),
    "sum below the cap": Fault(shape="slices", was="total <= $CAP", now="total < $CAP"),
    "short windows at the end": Fault(
        shape="slices", was="range(len(values) - $WIDTH + 1)", now="range(len(values))"
    ),
    "keeps the smallest": Fault(shape="slices", was="total > best", now="total < best"),
    "drops the wrong element": Fault(
        shape="sliding", was="values[index - $WIDTH]", now="values[index - $LAST]"
    ),
    "drops one too late": Fault(shape="sliding", was="index >= $WIDTH:", now="index > $WIDTH:"),
    "short windows at the start": Fault(shape="sliding", was="index >= $WIDTH - 1 and ", now=""),
    "default competes": Fault(
        shape="sliding", was="max(sums) if sums else $DEFAULT", now="max(sums + [$DEFAULT])"
    ),
    "cap on the size": Fault(shape="sliding", was="total <= $CAP", now="abs(total) <= $CAP"),
}


def _setting(
    width: int,
    cap: int,
    default: int,
    *,
    elements: tuple[int, int],
    longest: int,
    reference: str,
    fault: str,
) -> Setting:
    low, high = elements
    domain = Domain(arguments=(IntegerList(name="values", low=low, high=high, longest=longest),))
    values = {"WIDTH": width, "LAST": width - 1, "CAP": cap, "DEFAULT": default}
    return Setting(values=values, domain=domain, reference=reference, fault=fault)


FAMILY = Family(
    name="windows",
    task=TASK,
    shapes={"slices": SLICES, "sliding": SLIDING},
    faults=FAULTS,
    settings=(
        _setting(2, 4, 1, elements=(-1, 3), longest=4, reference="slices", fault="default competes"),
        _setting(2, 3, 0, elements=(-2, 2), longest=4, reference="sliding", fault="last window missed"),
        _setting(
            3, 5, 9, elements=(0, 3), longest=5, reference="slices", fault="short windows at the start"
        ),
        _setting(2, 1, 0, elements=(-2, 2), longest=4, reference="sliding", fault="default competes"),
        _setting(2, 5, -1, elements=(0, 4), longest=4, reference="slices", fault="drops one too late"),
        _setting(3, 0, -8, elements=(-1, 2), longest=5, reference="sliding", fault="cap on the size"),
        _setting(3, 4, 7, elements=(0, 2), longest=6, reference="slices", fault="drops the wrong element"),
        _setting(2, 6, 9, elements=(1, 5), longest=4, reference="sliding", fault="keeps the smallest"),
        _setting(3, 0, 4, elements=(-2, 1), longest=5, reference="slices", fault="cap on the size"),
        _setting(
            2, 2, 8, elements=(-1, 2), longest=5, reference="sliding", fault="short windows at the end"
        ),
        _setting(4, 3, -5, elements=(-1, 1), longest=6, reference="slices", fault="last window missed"),
        _setting(3, 1, 6, elements=(-1, 1), longest=6, reference="sliding", fault="sum below the cap"),
    ),
)
