"""Order statistics: the k-th smallest different value above a floor."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, IntegerList
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
Consider only the elements of values that are greater than $FLOOR, and count equal ones once. Return \
the element at place $K when these are put in ascending order (place 1 is the smallest). Return \
$DEFAULT if there are fewer than $K of them."""

SORTED_LIST = """\
def solve(values):
    different = []
    for value in sorted(values):
        if value > $FLOOR and (not different or value != different[-1]):
            different.append(value)
    if len(different) >= $K:
        return different[$K - 1]
    return $DEFAULT
"""

CLIMB = """\
def solve(values):
    reached = $FLOOR
    for _ in range($K):
        above = [value for value in values if value > reached]
        if len(above) == 0:
            return $DEFAULT
        reached = min(above)
    return reached
"""

FAULTS = {
    "floor included": Fault(shape="sorted list", was="value > $FLOOR", now="value >= $FLOOR"),
    "one more needed": Fault(shape="sorted list", was=">= $K", now="> $K"),
    "compared with the first only": Fault(
        shape="sorted list", was="value != different[-1]", now="value != different[0]"
    ),
    "counted from the top": Fault(shape="sorted list", was="different[$K - 1]", now="different[-$K]"),
    "repeats counted": Fault(
        shape="sorted list", was=" and (not different or value != different[-1])", now=""
    ),
    "last one kept": Fault(shape="climb", was="return $DEFAULT", now="return reached"),
    "first taken for the smallest": Fault(shape="climb", was="min(above)", now="above[0]"),
    "needs two above": Fault(shape="climb", was="len(above) == 0", now="len(above) < 2"),
}


def _setting(
    k: int, floor: int, default: int, *, elements: tuple[int, int], longest: int, reference: str, fault: str
) -> Setting:
    low, high = elements
    domain = Domain(arguments=(IntegerList(name="values", low=low, high=high, longest=longest),))
    values = {"K": k, "FLOOR": floor, "DEFAULT": default}
    return Setting(values=values, domain=domain, reference=reference, fault=fault)


FAMILY = Family(
    name="rank",
    task=TASK,
    shapes={"sorted list": SORTED_LIST, "climb": CLIMB},
    faults=FAULTS,
    settings=(
        _setting(2, 0, -1, elements=(0, 4), longest=4, reference="sorted list", fault="floor included"),
        _setting(
            2, 1, 0, elements=(0, 4), longest=4, reference="climb", fault="first taken for the smallest"
        ),
        _setting(3, -1, -1, elements=(-1, 2), longest=5, reference="sorted list", fault="last one kept"),
        _setting(2, -1, 9, elements=(-2, 2), longest=4, reference="climb", fault="needs two above"),
        _setting(1, 2, 0, elements=(0, 4), longest=4, reference="sorted list", fault="floor included"),
        _setting(2, 3, 0, elements=(2, 6), longest=4, reference="climb", fault="one more needed"),
        _setting(3, 0, 7, elements=(0, 3), longest=5, reference="sorted list", fault="one more needed"),
        _setting(2, -2, 5, elements=(-2, 2), longest=4, reference="climb", fault="last one kept"),
        _setting(3, 1, 0, elements=(1, 4), longest=5, reference="sorted list", fault="repeats counted"),
        _setting(2, 0, 8, elements=(-1, 3), longest=4, reference="climb", fault="counted from the top"),
        _setting(
            2,
            5,
            1,
            elements=(5, 8),
            longest=5,
            reference="sorted list",
            fault="first taken for the smallest",
        ),
        _setting(
            3, 2, -4, elements=(2, 5), longest=5, reference="climb", fault="compared with the first only"
        ),
    ),
)
