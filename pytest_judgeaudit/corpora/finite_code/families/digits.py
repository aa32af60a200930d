"""A digit rule: a weighted checksum over the digits of a number in some base."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, Integers
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
Write number in base $BASE and count the positions of its digits from the right, so that the last \
digit has position 1. A digit in an odd position contributes itself. A digit in an even position is \
multiplied by $WEIGHT, and the sum of the base-$BASE digits of the product is what it contributes. \
Return the remainder of the sum of all contributions after division by $MODULUS."""

ONE_BY_ONE = """\
def solve(number):
    total, even = 0, False
    while number > 0:
        number, digit = divmod(number, $BASE)
        if even:
            digit *= $WEIGHT
            digit = digit // $BASE + digit % $BASE
        total += digit
        even = not even
    return total % $MODULUS
"""

IN_PAIRS = """\
def solve(number):
    if number == 0:
        return 0
    rest, pair = divmod(number, $SQUARE)
    even, odd = divmod(pair, $BASE)
    high, low = divmod(even * $WEIGHT, $BASE)
    return (solve(rest) + odd + high + low) % $MODULUS
"""

FAULTS = {
    "odd positions weighted": Fault(shape="one by one", was="0, False", now="0, True"),
    "product kept whole": Fault(
        shape="one by one", was="\n            digit = digit // $BASE + digit % $BASE", now=""
    ),
    "carry lost": Fault(shape="one by one", was="digit // $BASE + digit % $BASE", now="digit % $BASE"),
    "all but the last weighted": Fault(shape="one by one", was="even = not even", now="even = True"),
    "zero never returned": Fault(
        shape="one by one", was="total % $MODULUS", now="total % $MODULUS or $MODULUS"
    ),
    "roles exchanged": Fault(shape="in pairs", was="even, odd =", now="odd, even ="),
    "high part forgotten": Fault(shape="in pairs", was=" + high + low", now=" + low"),
    "rest not taken apart": Fault(shape="in pairs", was="solve(rest)", now="rest"),
    "carry counted twice": Fault(shape="in pairs", was=" + high + low", now=" + high + high + low"),
}


def _setting(base: int, weight: int, modulus: int, *, high: int, reference: str, fault: str) -> Setting:
    values = {"BASE": base, "SQUARE": base * base, "WEIGHT": weight, "MODULUS": modulus}
    domain = Domain(arguments=(Integers(name="number", low=0, high=high),))
    return Setting(values=values, domain=domain, reference=reference, fault=fault)


FAMILY = Family(
    name="digits",
    task=TASK,
    shapes={"one by one": ONE_BY_ONE, "in pairs": IN_PAIRS},
    faults=FAULTS,
    settings=(
        _setting(10, 2, 10, high=499, reference="one by one", fault="high part forgotten"),
        _setting(10, 3, 7, high=499, reference="in pairs", fault="carry lost"),
        _setting(8, 2, 9, high=511, reference="one by one", fault="zero never returned"),
        _setting(8, 3, 8, high=511, reference="in pairs", fault="carry counted twice"),
        _setting(5, 3, 11, high=624, reference="one by one", fault="all but the last weighted"),
        _setting(6, 4, 7, high=649, reference="in pairs", fault="rest not taken apart"),
        _setting(7, 3, 5, high=485, reference="one by one", fault="odd positions weighted"),
        _setting(9, 5, 10, high=599, reference="in pairs", fault="product kept whole"),
        _setting(10, 7, 8, high=599, reference="one by one", fault="carry counted twice"),
        _setting(4, 2, 6, high=511, reference="in pairs", fault="zero never returned"),
        _setting(12, 5, 13, high=575, reference="one by one", fault="roles exchanged"),
        _setting(3, 2, 4, high=485, reference="in pairs", fault="all but the last weighted"),
    ),
)
