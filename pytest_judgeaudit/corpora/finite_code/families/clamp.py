"""Saturating arithmetic: a level between two bounds that is changed, rests, and is changed again."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, Integers
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
A tank holds at least $LOW and at most $HIGH litres and starts with level litres. Three changes \
follow one after the other: first litres are added, then evaporation takes $LEAK away, then second \
litres are added; adding a negative number of litres drains them. After each single change the level \
is corrected at once: a level above $HIGH becomes $HIGH, and a level below $LOW becomes $LOW. Return \
the level after the third correction."""

BOUNDED = """\
def solve(level, first, second):
    def bounded(value):
        return $LOW if value < $LOW else min(value, $HIGH)

    filled = bounded(level + first)
    rested = bounded(filled - $LEAK)
    return bounded(rested + second)
"""

DROPS = """\
def solve(level, first, second):
    for change in (first, -$LEAK, second):
        step = 1 if change > 0 else -1
        for _ in range(abs(change)):
            if $LOW <= level + step <= $HIGH:
                level += step
    return level
"""

FAULTS = {
    "no bound after the first change": Fault(
        shape="bounded", was="bounded(level + first)", now="level + first"
    ),
    "no evaporation after draining": Fault(
        shape="bounded", was="filled - $LEAK", now="filled - $LEAK if first > 0 else filled"
    ),
    "last change only bounded above": Fault(
        shape="bounded", was="bounded(rested + second)", now="min(rested + second, $HIGH)"
    ),
    "lower bound never reached": Fault(shape="drops", was="$LOW <= level", now="$LOW < level"),
    "checked before the step": Fault(shape="drops", was="level + step <= $HIGH", now="level <= $HIGH"),
    "evaporates last": Fault(shape="drops", was="(first, -$LEAK, second)", now="(first, second, -$LEAK)"),
    "changes added up": Fault(shape="drops", was="(first, -$LEAK, second)", now="(first + second, -$LEAK)"),
}


def _setting(low: int, high: int, leak: int, *, reach: int, reference: str, fault: str) -> Setting:
    domain = Domain(
        arguments=(
            Integers(name="level", low=low, high=high),
            Integers(name="first", low=-reach, high=reach),
            Integers(name="second", low=-reach, high=reach),
        )
    )
    values = {"LOW": low, "HIGH": high, "LEAK": leak}
    return Setting(values=values, domain=domain, reference=reference, fault=fault)


FAMILY = Family(
    name="clamp",
    task=TASK,
    shapes={"bounded": BOUNDED, "drops": DROPS},
    faults=FAULTS,
    settings=(
        _setting(0, 6, 1, reach=4, reference="bounded", fault="lower bound never reached"),
        _setting(1, 7, 2, reach=4, reference="drops", fault="no bound after the first change"),
        _setting(0, 5, 2, reach=4, reference="bounded", fault="no evaporation after draining"),
        _setting(2, 9, 1, reach=4, reference="drops", fault="changes added up"),
        _setting(0, 8, 3, reach=3, reference="bounded", fault="evaporates last"),
        _setting(3, 8, 1, reach=4, reference="drops", fault="last change only bounded above"),
        _setting(0, 9, 2, reach=3, reference="bounded", fault="checked before the step"),
        _setting(1, 6, 3, reach=5, reference="drops", fault="no bound after the first change"),
        _setting(0, 7, 4, reach=4, reference="bounded", fault="no bound after the first change"),
        _setting(2, 6, 2, reach=5, reference="drops", fault="changes added up"),
        _setting(0, 4, 1, reach=5, reference="bounded", fault="last change only bounded above"),
        _setting(1, 5, 1, reach=5, reference="drops", fault="checked before the step"),
    ),
)
