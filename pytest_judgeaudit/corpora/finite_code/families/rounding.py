"""A rounding rule: to the nearest multiple of a unit, halves to the even multiple."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, Integers
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
A till adds up count pieces at price cents each (a negative price is a refund), and then adds a fee \
once, which in cents is $FEE. Return the total in cents, rounded to the nearest multiple of $UNIT \
cents. A total that lies exactly halfway between two neighbouring multiples goes to the one that is \
a multiple of $DOUBLE; this rule holds for negative totals too."""

QUOTIENT = """\
def solve(price, count):
    steps, rest = divmod(price * count + $FEE, $UNIT)
    gap = 2 * rest - $UNIT
    if gap > 0 or (gap == 0 and steps % 2 == 1):
        steps += 1
    return steps * $UNIT
"""

MAGNITUDE = """\
def solve(price, count):
    total = price * count + $FEE
    nearest = (abs(total) + $HALF) // $UNIT * $UNIT
    if nearest - abs(total) == $HALF and nearest % $DOUBLE > 0:
        nearest -= $UNIT
    return nearest if total > 0 else -nearest
"""

FAULTS = {
    "halves go down": Fault(shape="quotient", was=" or (gap == 0 and steps % 2 == 1)", now=""),
    "halves go up": Fault(shape="quotient", was="(gap == 0 and steps % 2 == 1)", now="gap == 0"),
    "halves go to the odd": Fault(shape="quotient", was="steps % 2 == 1", now="steps % 2 == 0"),
    "fee for each piece": Fault(shape="quotient", was="price * count + $FEE", now="(price + $FEE) * count"),
    "always up": Fault(shape="quotient", was="gap > 0", now="rest > 0"),
    "halves towards zero": Fault(shape="magnitude", was=" and nearest % $DOUBLE > 0", now=""),
    "sign lost": Fault(shape="magnitude", was="nearest if total > 0 else -nearest", now="nearest"),
    "sign of the price": Fault(
        shape="magnitude",
        was="nearest if total > 0 else -nearest",
        now="nearest if price > 0 else -nearest",
    ),
    "negative halves away from zero": Fault(
        shape="magnitude", was="$DOUBLE > 0", now="$DOUBLE > 0 and total > 0"
    ),
}


def _setting(
    unit: int, fee: int, *, price: tuple[int, int], count: int, reference: str, fault: str
) -> Setting:
    domain = Domain(
        arguments=(
            Integers(name="price", low=price[0], high=price[1]),
            Integers(name="count", low=1, high=count),
        )
    )
    values = {"UNIT": unit, "HALF": unit // 2, "DOUBLE": 2 * unit, "FEE": fee}
    return Setting(values=values, domain=domain, reference=reference, fault=fault)


FAMILY = Family(
    name="rounding",
    task=TASK,
    shapes={"quotient": QUOTIENT, "magnitude": MAGNITUDE},
    faults=FAULTS,
    settings=(
        _setting(4, 1, price=(-30, 30), count=9, reference="quotient", fault="halves towards zero"),
        _setting(6, 2, price=(-40, 40), count=7, reference="magnitude", fault="halves go up"),
        _setting(10, 5, price=(-50, 50), count=6, reference="quotient", fault="always up"),
        _setting(
            4, 6, price=(-40, 40), count=7, reference="magnitude", fault="negative halves away from zero"
        ),
        _setting(12, 19, price=(-50, 50), count=6, reference="quotient", fault="sign of the price"),
        _setting(20, 10, price=(-60, 60), count=5, reference="magnitude", fault="fee for each piece"),
        _setting(4, 3, price=(-30, 30), count=8, reference="quotient", fault="sign lost"),
        _setting(6, 1, price=(-40, 40), count=7, reference="magnitude", fault="halves go down"),
        _setting(10, 15, price=(-50, 50), count=6, reference="quotient", fault="halves towards zero"),
        _setting(8, 4, price=(-40, 40), count=7, reference="magnitude", fault="halves towards zero"),
        _setting(14, 17, price=(-50, 50), count=6, reference="quotient", fault="halves go down"),
        _setting(16, 6, price=(-60, 60), count=5, reference="magnitude", fault="halves go to the odd"),
    ),
)
